"""Positions to fit on, made quickly."""

from __future__ import annotations

from random import Random

import numpy as np

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import START, set_fen
from engine.board.game import push
from engine.board.notation import legal_moves
from engine.board.position import MoveLists
from tuning.data.dataset import Records
from tuning.data.packed import POSITION, PackedPosition, pack


def random_positions(count: int, seed: int = 1, longest: int = 160) -> Records:
    """From random games, every fifth ply; dtype packing.POSITION."""
    random, lists, pos = Random(seed), MoveLists(), new_position(new_attack_tables())
    positions = np.zeros(count, POSITION)
    number = 0
    while number < count:
        set_fen(pos, START)
        for ply in range(longest):
            moves = legal_moves(pos, lists)
            if not moves or number == count:
                break
            push(pos, random.choice(moves))
            if ply % 5 == 4:
                pack(pos, PackedPosition(positions[number : number + 1].view(np.uint8)))
                number += 1
    return positions


def bare_kings() -> Records:
    """One position whose score is exact knowledge; dtype packing.POSITION."""
    pos, positions = new_position(new_attack_tables()), np.zeros(1, POSITION)
    set_fen(pos, "k7/8/8/8/8/8/8/7K w - - 0 1")
    pack(pos, PackedPosition(positions.view(np.uint8)))
    return positions
