"""The same source compiled a second time, with some calls redirected."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any, cast

from engine.native.jit import Entry, F, kernel
from engine.native.registry import KERNELS, Kernel


def variant(root: F, module: str, replaced: Mapping[Kernel, Kernel]) -> F:
    """A copy of a kernel in which calls of some kernels, at any depth, become calls of others.

    `root`, and the kernels between it and the replaced ones, are copied; the copies are registered
    as kernels of `module`. None of those between may be recursive.
    """
    copies = {_plain(old): _plain(new) for old, new in replaced.items()}

    def copy_of(function: Kernel) -> Kernel:
        if function not in copies:
            copies[function] = function  # unless something below it changes
            namespace = function.__globals__
            called = {name: _plain(namespace.get(name)) for name in function.__code__.co_names}
            called = {name: callee for name, callee in called.items() if callee in kernels}
            changes = {name: copy_of(callee) for name, callee in called.items()}
            if changes != called:
                copy = FunctionType(function.__code__, {**namespace, **changes})
                copy.__annotations__ = function.__annotations__
                copy.__module__ = module
                copy.__qualname__ = f"{function.__module__}.{function.__qualname__}"
                copies[function] = kernel(copy)
        return copies[function]

    kernels = set(KERNELS.values())
    return cast(F, copy_of(_plain(root)))


def _plain(function: Any) -> Any:
    """The kernel behind an entry."""
    return function.function if isinstance(function, Entry) else function
