"""Loads an object file, found or just compiled, so that Python can call its machine code."""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

from engine.kernels import PLAY
from engine.native import objects


class Library:
    """An object file in memory, ready to run."""

    def __init__(self, machine_code: bytes, origin: str):
        import llvmlite.binding as llvm

        from engine.native import processor

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_triple(processor.triple())
        self.origin = origin  # for messages: a path, or that it was compiled
        self._engine: Any = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), target.create_target_machine(jit=True)
        )
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        """Where a kernel's machine code starts."""
        address = int(self._engine.get_function_address(symbol))
        if not address:
            raise LookupError(f"no kernel {symbol} in {self.origin}")
        return address

    def raise_fault(self) -> None:
        """Raise IndexError for the first bad index that a checked kernel recorded, if any."""
        fault = self._fault
        if fault[0]:
            text = ctypes.string_at(fault[0]).decode()
            fault[0] = 0
            raise IndexError(f"{text}: index {fault[1]}")

    @functools.cached_property
    def _fault(self) -> Any:  # looking it up takes longer than a small kernel
        address = self._engine.get_global_value_address("kernel_fault")
        return (ctypes.c_int64 * 2).from_address(address)


_loading = threading.Lock()
_libraries: dict[str, Library] = {}


def library(name: str = PLAY) -> Library:
    """The kernels of an object (engine/kernels.py), loaded once per process.

    The first call compiles them if no compiled object is found.
    """
    with _loading:
        if name not in _libraries:
            _libraries[name] = _load(name)
        return _libraries[name]


def _load(name: str) -> Library:
    from engine.native import processor

    triple, levels = processor.triple(), processor.usable_levels()
    for cpu in levels:
        found = objects.find_object(name, triple, cpu)
        if found:
            path, machine_code = found
            return Library(machine_code, str(path))
    best = levels[0]
    file = objects.cached_file(name, triple, best)
    try:
        from engine.native import compiler
    except ImportError as error:
        raise SystemExit(
            f"The kernels are not compiled for this machine ({file}) "
            f"and cannot be compiled now: {error}. Install numba."
        ) from error
    machine_code = compiler.compile_object(name, [best])[best]
    saved = objects.save_object(file, machine_code)
    return Library(machine_code, f"compiled, {saved or 'not saved: no folder is writable'}")
