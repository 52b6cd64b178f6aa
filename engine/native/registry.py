"""The registered kernels of this process, with their symbols and signatures."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NamedTuple

from engine.kernels import PREFIX
from engine.native.structs import Struct

Kernel = Callable[..., Any]


KERNELS: dict[str, Kernel] = {}  # symbol -> function
ENTRIES: dict[str, Any] = {}  # symbol -> what Python calls instead of the function


class KernelError(TypeError):
    """A kernel uses something that kernels cannot do. Names the kernel, the file and the line."""

    def __init__(self, function: Kernel, reason: str, line: int | None = None):
        code = function.__code__
        place = f"{code.co_filename}:{line or code.co_firstlineno}"
        super().__init__(f"{place}: kernel {symbol(function)}: {reason}")


class Signature(NamedTuple):
    parameters: tuple[type, ...]  # Struct subclasses, int or bool
    result: type  # the same or NoneType


def symbol(function: Kernel) -> str:
    """The name of a kernel in the object file, the same in a clone and installed."""
    return f"{function.__module__.removeprefix(PREFIX)}.{function.__qualname__}"


def signature(function: Kernel) -> Signature:
    """The signature that the annotations declare. KernelError if a kernel cannot have it."""
    hints = typing.get_type_hints(function)
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if code.co_flags & 0x0C or code.co_kwonlyargcount or function.__defaults__:
        raise KernelError(function, "no default values, keyword or variable arguments")
    for name in (*names, "return"):
        hint = hints.get(name)
        is_known = isinstance(hint, type) and (hint in (int, bool) or issubclass(hint, Struct))
        if not is_known and not (name == "return" and hint is type(None)):
            raise KernelError(function, f"{name} must be int, bool or a Struct, not {hint}")
    return Signature(tuple(hints[name] for name in names), hints["return"])


def kernel_behind(value: object) -> Kernel | None:
    """The kernel that a kernel calls by a name with this value, if it is one."""
    function = getattr(value, "function", value)  # that of an entry
    if isinstance(function, FunctionType) and KERNELS.get(symbol(function)) is function:
        return function
    return None


def callees(function: Kernel) -> dict[str, Kernel]:
    """The kernels that a kernel calls, by the names under which it does."""
    values = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    called = {name: kernel_behind(value) for name, value in values.items()}
    return {name: callee for name, callee in called.items() if callee is not None}


def reachable(functions: Iterable[Kernel]) -> list[Kernel]:
    """These kernels, and all that they call at any depth."""
    found: dict[Kernel, None] = {}
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if function not in found:
            found[function] = None
            waiting += callees(function).values()
    return list(found)
