"""How Python becomes machine code: the decorators of kernels.

    @kernel                     # may be called by other kernels
    def attacked(pos: Position, square: int, by: int) -> bool: ...

    @entry                      # may also be called from Python
    def perft(pos: Position, depth: int) -> int: ...

The annotations are the signature: a Struct class is the address of one, `int` and `bool` are
int64, and there are no other types. The decorators only register the function. The kernels that a
game needs are compiled into one object file (compiler.py), normally when the engine is installed;
a normal start only loads it (loader.py), in hundredths of a second and without Numba. Those of any
other module are compiled when Python first calls one of them.

With NUMBA_DISABLE_JIT=1 nothing is compiled or loaded, and entries run as plain Python.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from engine.native.loader import Library, library
from engine.native.objects import needs_compiling
from engine.native.registry import ENTRIES, KERNELS, Kernel, KernelError, signature, symbol
from engine.native.settings import CHECKED, INTERPRETED
from engine.native.sources import build_id, object_of
from engine.native.structs import Struct

__all__ = [
    "CHECKED",
    "INTERPRETED",
    "KernelError",
    "entry",
    "kernel",
    "library",
    "needs_compiling",
]

F = TypeVar("F", bound=Kernel)


def kernel(function: F) -> F:
    """Register `function` for compilation and return it as it is."""
    KERNELS[symbol(function)] = function
    return function


def entry(function: F) -> F:
    """A kernel that Python can call. The GIL is released during the call."""
    ENTRIES[symbol(function)] = wrapped = Entry(kernel(function))
    return cast(F, wrapped)  # type checkers see the function's own signature


class Entry:
    """A kernel as Python sees it."""

    def __init__(self, function: Kernel):
        functools.update_wrapper(self, function)
        self.function = function
        self.object = object_of(function.__module__)
        build_id(self.object)  # read now: after a later edit these kernels are not the file's
        self._native: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if INTERPRETED:
            with np.errstate(over="ignore"):  # kernels rely on 64-bit wrap-around
                return self.function(*arguments)
        if self._native is None:
            self._native = self.bind(library(self.object))
        result = self._native(*arguments)
        if CHECKED:
            library(self.object).raise_fault()
        return result

    def bind(self, machine_code: Library) -> Callable[..., Any]:
        """The function in an object file. Each call checks the types of its arguments."""
        parameters, result = signature(self.function)
        if issubclass(result, Struct):
            raise KernelError(self.function, "a Struct cannot be returned to Python")
        structs = [(place, p) for place, p in enumerate(parameters) if issubclass(p, Struct)]
        c_types = [ctypes.c_void_p if issubclass(p, Struct) else ctypes.c_int64 for p in parameters]
        c_result = None if result is type(None) else ctypes.c_int64
        prototype: Any = ctypes.CFUNCTYPE(c_result, *cast("list[Any]", c_types))
        native: Callable[..., Any] = prototype(machine_code.address(symbol(self.function)))

        def call(*arguments: Any) -> Any:
            if len(arguments) != len(parameters):
                counts = f"{len(arguments)} arguments instead of {len(parameters)}"
                raise TypeError(f"{symbol(self.function)}: {counts}")
            passed = list(arguments)
            # Here and not in a method that ctypes calls: ctypes turns all that is raised there into
            # errors of its own, and Ctrl-C would be lost.
            for place, struct in structs:
                passed[place] = struct.address_of(passed[place])
            found = native(*passed)
            return bool(found) if result is bool else found

        return call
