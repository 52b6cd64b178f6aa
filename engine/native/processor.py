"""What LLVM calls this machine, and which instructions it has."""

from __future__ import annotations

import sys

import llvmlite.binding as llvm

X86_64_LEVELS = ("x86-64-v3", "x86-64-v2", "x86-64")  # best first
_NEEDED = {
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "popcnt", "sahf", "sse4.2", "ssse3"),
    "x86-64": (),
}
SHIPPED_X86_64_LEVELS = X86_64_LEVELS[:2]  # in the wheel; only very old processors need the last


def triple() -> str:
    """What LLVM calls this kind of machine. (On Windows its JIT linker wants ELF.)"""
    return str(llvm.get_process_triple()) + ("-elf" if sys.platform == "win32" else "")


def is_x86_64() -> bool:
    return triple().startswith("x86_64")


def usable_levels() -> list[str]:
    """The instruction sets, of those we compile for, that this processor has, best first."""
    if not is_x86_64():
        return ["generic"]
    features = llvm.get_host_cpu_features()
    return [
        level
        for level in X86_64_LEVELS
        if all(features.get(feature) for needed in _levels_up_to(level) for feature in needed)
    ]


def _levels_up_to(level: str) -> list[tuple[str, ...]]:
    return [_NEEDED[each] for each in X86_64_LEVELS[X86_64_LEVELS.index(level) :]]


def shipped_levels() -> list[str]:
    """The instruction sets for which an installation compiles."""
    return list(SHIPPED_X86_64_LEVELS) if is_x86_64() else ["generic"]
