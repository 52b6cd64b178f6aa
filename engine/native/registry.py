"""The registered kernels of this process, with their symbols and signatures."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.native.memory import Struct

Kernel = Callable[..., Any]


class Declaration(NamedTuple):
    """A kernel that another module defines, and the name under which this one calls it."""

    function: Kernel  # without a body
    caller: Kernel
    symbol: str


KERNELS: dict[str, Kernel] = {}  # symbol -> function
DECLARATIONS: list[Declaration] = []
ENTRIES: dict[str, Kernel] = {}  # symbol -> what Python calls instead of the function


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
    """The name of a kernel in the object file."""
    return f"{function.__module__}.{function.__qualname__}"


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
