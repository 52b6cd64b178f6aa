"""Which machine code a processor gets, and that it finds the same attacks on each level."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import pytest

from engine.board.attacks import bishop_attacks, fill_attacks, rook_attacks, walk
from engine.board.magics import BISHOP_MAGICS, ROOK_MAGICS
from engine.board.position import AttackTables
from engine.native import processor
from engine.native.bits import has_pext, pext, signed
from engine.native.jit import KernelError

ALL = [feature for needed in processor._NEEDED.values() for feature in needed]
WIDE = ("znver4", "sapphirerapids", "cascadelake")  # processors with vectors of 512 bits


@pytest.mark.parametrize(
    ("name", "missing", "expected"),
    [
        ("raptorlake", None, ["x86-64-v3-pext"]),
        ("znver3", None, ["x86-64-v3-pext"]),
        ("znver4", None, ["x86-64-v4-pext", "x86-64-v3-pext"]),
        ("sapphirerapids", None, ["x86-64-v4-pext", "x86-64-v3-pext"]),
        ("sapphirerapids", "avx512bw", ["x86-64-v3-pext"]),
        ("cascadelake", None, ["x86-64-v3-pext"]),
        ("znver2", None, ["x86-64-v3", "x86-64-v2", "x86-64"]),
        ("generic", None, ["x86-64-v3", "x86-64-v2", "x86-64"]),
        ("raptorlake", "bmi2", ["x86-64-v2", "x86-64"]),
        ("core2", "popcnt", ["x86-64"]),
    ],
)
def test_levels(
    monkeypatch: pytest.MonkeyPatch, name: str, missing: str | None, expected: list[str]
) -> None:
    monkeypatch.setattr(processor, "is_x86_64", lambda: True)
    monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: name)
    has = [*ALL, *(processor._NEEDED_FOR_WIDE if name in WIDE else ())]
    features = {feature: feature != missing for feature in has}
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
    assert processor.usable_levels() == expected
    if name != "core2":
        assert expected[0] in processor.shipped_levels()


@pytest.mark.parametrize(
    ("system", "named", "expected"),
    [
        ("darwin", "arm64-apple-darwin23.1.0", "arm64-apple-darwin"),
        ("darwin", "arm64-apple-darwin24.6.0", "arm64-apple-darwin"),
        ("darwin", "x86_64-apple-macosx14.2", "x86_64-apple-macosx"),
        ("linux", "x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"),
        ("win32", "x86_64-pc-windows-msvc", "x86_64-pc-windows-msvc-elf"),
    ],
)
def test_an_update_of_the_system_keeps_the_name_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, system: str, named: str, expected: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(llvm, "get_process_triple", lambda: named)
    assert processor.triple() == expected


def unguarded(word: int) -> int:
    return pext(word, 7)


@pytest.mark.jit_only
def test_pext_needs_its_level(build: Callable[..., list[Callable[..., Any]]]) -> None:
    cpu = "x86-64-v3" if processor.is_x86_64() else "generic"
    with pytest.raises(KernelError, match="needs pext"):
        build(unguarded, cpu=cpu)


def finds_attacks(tables: AttackTables, square: int, occupied: int) -> bool:
    """Do the tables know what walking finds?"""
    found = rook_attacks(tables, square, occupied)
    if found != walk(square, occupied, 1):
        return False
    found = bishop_attacks(tables, square, occupied)
    return found == walk(square, occupied, 2)


def level_has_pext() -> bool:
    return has_pext()


@pytest.mark.jit_only
@pytest.mark.parametrize("cpu", ["best", "second", "x86-64-v2"])
def test_each_level_finds_all_attacks(
    build: Callable[..., list[Callable[..., Any]]], cpu: str
) -> None:
    usable = processor.usable_levels()
    if cpu in ("best", "second"):
        cpu = usable[min(len(usable) - 1, int(cpu == "second"))]
    elif not processor.is_x86_64() or usable[0] == "x86-64":
        pytest.skip("not for this processor")
    fill: Any = fill_attacks
    functions = (fill.function, finds_attacks, level_has_pext)
    filled, finds, uses_pext = build(*functions, cpu=cpu)
    assert uses_pext() == cpu.endswith(processor.PEXT)
    tables = AttackTables()
    for square in range(64):
        tables.rook[square].multiplier = signed(ROOK_MAGICS[square])
        tables.bishop[square].multiplier = signed(BISHOP_MAGICS[square])
    filled(tables)
    generator = random.Random(5)
    for _ in range(2000):
        occupied = generator.getrandbits(64) & generator.getrandbits(64)
        assert all(finds(tables, square, signed(occupied)) for square in range(64))
