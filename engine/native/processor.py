"""LLVM's name for this machine, and its instruction sets."""

from __future__ import annotations

import re
import sys

import llvmlite.binding as llvm

X86_64_LEVELS = ("x86-64-v3", "x86-64-v2", "x86-64")  # best first
_NEEDED = {
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "popcnt", "sahf", "sse4.2", "ssse3"),
    "x86-64": (),
}
PEXT = "-pext"  # ends the name of a level on which kernels use this instruction
PEXT_LEVEL = "x86-64-v3" + PEXT
# With vectors of 512 bits, where they pay: the search is 6.5 % faster.
WIDE_LEVEL = "x86-64-v4" + PEXT
_NEEDED_FOR_WIDE = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512vnni")
# Excavator, Zen 1 and Zen 2 have `pext` as a slow microprogram. Processors that LLVM does not know
# may, too.
_SLOW_PEXT = ("bdver4", "znver1", "znver2", "generic", "x86-64")
# These lower their clock for such vectors.
_SLOW_WIDE = ("skylake-avx512", "cascadelake", "cooperlake")
# In a wheel for others: down to x86-64-v2. Only very old processors lack that.
SHIPPED_X86_64_LEVELS = (WIDE_LEVEL, PEXT_LEVEL, *X86_64_LEVELS[:2])


# LLVM names macOS with the release of its kernel, which every update raises.
_RELEASE = re.compile(r"(?<=-darwin)[\d.]+|(?<=-macosx)[\d.]+")


def triple() -> str:
    """LLVM's name for this kind of machine. (On Windows its JIT linker wants ELF.)"""
    name = _RELEASE.sub("", str(llvm.get_process_triple()))
    return name + ("-elf" if sys.platform == "win32" else "")


def is_x86_64() -> bool:
    return triple().startswith("x86_64")


def usable_levels() -> list[str]:
    """The instruction sets, of those we compile for, that this processor has, best first.

    A process never mixes objects with and without `pext`: they lay out the tables differently.
    """
    if not is_x86_64():
        return ["generic"]
    features = llvm.get_host_cpu_features()
    levels = [
        level
        for level in X86_64_LEVELS
        if all(features.get(feature) for needed in _levels_up_to(level) for feature in needed)
    ]
    name = llvm.get_host_cpu_name()
    if levels[0] != "x86-64-v3" or name in _SLOW_PEXT:
        return levels
    has_wide = all(features.get(feature) for feature in _NEEDED_FOR_WIDE)
    return [WIDE_LEVEL, PEXT_LEVEL] if has_wide and name not in _SLOW_WIDE else [PEXT_LEVEL]


def cpu_and_features(level: str) -> tuple[str, str]:
    """What LLVM calls a level. It would avoid vectors of 512 bits if it were not told."""
    wide = "-prefer-256-bit,+avx512vnni"
    return level.removesuffix(PEXT), wide if level == WIDE_LEVEL else ""


def _levels_up_to(level: str) -> list[tuple[str, ...]]:
    return [_NEEDED[each] for each in X86_64_LEVELS[X86_64_LEVELS.index(level) :]]


def shipped_levels() -> list[str]:
    """The instruction sets for which an installation compiles."""
    return list(SHIPPED_X86_64_LEVELS) if is_x86_64() else ["generic"]
