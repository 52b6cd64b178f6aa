"""The same kernels a second time, with some calls redirected: how tools look into the engine."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any, cast

from engine.native.jit import F, kernel
from engine.native.registry import Kernel, callees, kernel_behind, reachable

_made: dict[tuple[Any, ...], dict[Any, Any]] = {}  # by module and what is replaced: the copies


def variant(root: F, module: str, replaced: Mapping[Any, Any]) -> F:
    """A copy of a kernel in which calls of some kernels, at any depth, become calls of others.

    `root`, and the kernels between it and the replaced ones, are copied; the copies are registered
    as kernels of `module`. `replaced` may also name a struct: the copies then take a subclass of
    it, which can hold what the new kernels need. Roots with the same replacements share copies.
    """
    new = _made.setdefault((module, *replaced.items()), {})
    new |= {_plain(old): _plain(other) for old, other in replaced.items()}
    calls = {function: {*callees(function).values()} for function in reachable([_plain(root)])}
    copied: list[Kernel] = []
    while found := [f for f, called in calls.items() if f not in new and called & new.keys()]:
        for function in found:
            copy: Any = FunctionType(function.__code__, dict(function.__globals__))
            copy.__annotations__ = function.__annotations__
            copy.__module__ = module
            copy.__qualname__ = f"{function.__module__}.{function.__qualname__}"
            new[function] = kernel(copy)
            copied.append(copy)
    for copy in copied:
        for name, value in list(copy.__globals__.items()):
            known = _plain(value)
            if isinstance(known, (FunctionType, type)) and known in new:
                copy.__globals__[name] = new[known]
    return cast(F, new[_plain(root)])


def _plain(value: Any) -> Any:
    """The kernel, if it is an entry."""
    return kernel_behind(value) or value
