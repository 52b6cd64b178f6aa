"""Positions in 32 bytes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.board.attack_tables import new_position
from engine.board.fen import set_fen, to_fen
from engine.search.state import SearchThread
from tests.reference.random_fens import random_fens
from tuning.data.fens import FenReader, new_fen_reader, read_fens
from tuning.data.packed import POSITION, PackedPosition, pack, unpack


def first_fields(fen: str) -> list[str]:
    fields = fen.split()
    return [fields[0], fields[1], fields[4]]


def test_a_packed_position_comes_back(thread: SearchThread) -> None:
    again = new_position(thread.position.tables)
    packed = PackedPosition()
    for fen in random_fens(100):
        set_fen(thread.position, fen)
        pack(thread.position, packed)
        unpack(again, packed)
        assert first_fields(to_fen(again)) == first_fields(fen)
    assert POSITION.itemsize == PackedPosition.size == 32


def reader_of(lines: list[str]) -> FenReader:
    text = "\n".join(lines).encode() + b"\0"
    starts = np.cumsum([0] + [len(line) + 1 for line in lines[:-1]])
    return new_fen_reader(np.frombuffer(bytearray(text), np.uint8), list(starts))


def test_fens_are_read_as_they_are_packed(thread: SearchThread) -> None:
    fens = random_fens(100)
    reader = reader_of([f"{fen};12;0.5" for fen in fens])
    assert read_fens(reader, 0, len(fens)) == len(fens)
    packed = PackedPosition()
    for number, fen in enumerate(fens):
        set_fen(thread.position, fen)
        pack(thread.position, packed)
        assert bytes(reader.positions[number]._memory) == bytes(packed._memory)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "8/8/8/8/8/8/8/K1k5",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/KK6/k7 w - - 0 1",
        "9/8/8/8/8/8/8/K1k5 w - - 0 1",
        "8/8/8/8/8/8/8/8/K1k5 w - - 0 1",
        "8/8/8/8/8/8/K1k5 w - - 0 1",
        "8/8/8/8/8/8/8/K1k5 x - - 0 1",
        "8/8/8/8/8/8/8/K1kz4 w - - 0 1",
        "KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/KKKKKKKK/k7/8 w - - 0 1",
        "8/8/8/8/8/8/8/K1k4é w - - 0 1",
    ],
)
def test_what_is_no_fen_is_left_to_others(line: str) -> None:
    good = "8/8/8/8/8/8/8/K1k5 w - - 0 1"
    assert read_fens(reader_of([good, line, good]), 0, 3) == 1
