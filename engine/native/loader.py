"""From an object file to callable machine code: found, or compiled and then kept."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from engine.native import objects


class Library:
    """An object file in memory, ready to run."""

    def __init__(self, machine_code: bytes, origin: str):
        import llvmlite.binding as llvm

        from engine.native import processor

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_triple(processor.triple())
        self.origin = origin  # for people: where it came from
        self._engine: Any = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), target.create_target_machine(jit=True)
        )
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        """Where a kernel's machine code starts."""
        address = int(self._engine.get_function_address(symbol))
        if not address:
            raise LookupError(f"no kernel {symbol}: is its module listed in engine/kernels.py?")
        return address

    def raise_fault(self) -> None:
        """Turn the first bad index that a checked kernel noted into an exception."""
        address = self._engine.get_global_value_address("kernel_fault")
        fault = (ctypes.c_int64 * 2).from_address(address)
        if fault[0]:
            text = ctypes.string_at(fault[0]).decode()
            fault[0] = 0
            raise IndexError(f"{text}: index {fault[1]}")


_loading = threading.Lock()
_library: Library | None = None


def library() -> Library:
    """The kernels, loaded once per process. The first call compiles if nothing was found."""
    global _library
    with _loading:
        if _library is None:
            _library = _load()
        return _library


def _load() -> Library:
    from engine.native import processor

    names = {cpu: objects.object_name(processor.triple(), cpu) for cpu in processor.usable_levels()}
    best_cpu, best_name = next(iter(names.items()))
    found = _find(list(names.values()))
    if found:
        return found
    with objects.turn_to_compile(best_name):
        return _find([best_name]) or _compile(best_cpu, best_name)


def _find(names: list[str]) -> Library | None:
    for name in names:
        found = objects.find_object(name)
        if found:
            path, machine_code = found
            return Library(machine_code, str(path))
    return None


def _compile(cpu: str, name: str) -> Library:
    try:
        from engine.native import compiler
    except ImportError as error:
        raise SystemExit(
            f"There are no compiled kernels for this machine ({name}), "
            f"and they cannot be compiled: {error}. Installing numba will do."
        ) from error
    machine_code = compiler.compile_engine([cpu])[cpu]
    saved = objects.save_object(name, machine_code)
    return Library(machine_code, f"compiled, {saved or 'not saved: no folder allows it'}")
