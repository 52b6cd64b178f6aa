"""Positions in 32 bytes."""

from __future__ import annotations

import pytest

from engine.board.attack_tables import new_position
from engine.board.fen import set_fen, to_fen
from engine.search.state import Worker
from tests.reference.random_fens import random_fens
from tuning.data.fens import packed
from tuning.data.packed import POSITION, PackedPosition, pack, unpack


def first_fields(fen: str) -> list[str]:
    fields = fen.split()
    return [fields[0], fields[1], fields[4]]


def test_a_packed_position_comes_back(worker: Worker) -> None:
    again = new_position(worker.position.tables)
    kept = PackedPosition()
    for fen in random_fens(100):
        set_fen(worker.position, fen)
        pack(worker.position, kept)
        unpack(again, kept)
        assert first_fields(to_fen(again)) == first_fields(fen)
    assert POSITION.itemsize == PackedPosition.size == 32


def test_fens_are_read_as_they_are_packed(worker: Worker) -> None:
    fens = random_fens(100)
    records, done = packed([f"{fen};12;0.5".encode() for fen in fens])
    assert done == len(fens)
    expected = PackedPosition()
    for fen, record in zip(fens, records, strict=True):
        set_fen(worker.position, fen)
        pack(worker.position, expected)
        assert record.tobytes() == bytes(expected._memory)


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
    good = b"8/8/8/8/8/8/8/K1k5 w - - 0 1"
    _, done = packed([good, line.encode(), good])
    assert done == 1
