"""Plain Python: the tables of attacks that all threads of an engine share, filled once."""

from __future__ import annotations

import random

import numpy as np

from engine.board.attacks import fill_attacks
from engine.board.constants import NO_SQUARE
from engine.board.cycles import fill_cycles
from engine.board.magics import BISHOP_MAGICS, ROOK_MAGICS
from engine.board.position import AttackTables, Position
from engine.board.see import SEE_VALUES
from engine.native.bits import signed

KEY_SEED = 2026  # of the Zobrist keys


def new_attack_tables() -> AttackTables:
    """Attacks, Zobrist keys, exchange values."""
    tables = AttackTables()
    for square in range(64):
        tables.rook[square].multiplier = signed(ROOK_MAGICS[square])
        tables.bishop[square].multiplier = signed(BISHOP_MAGICS[square])
    fill_attacks(tables)

    generator = random.Random(KEY_SEED)
    for keys in (tables.piece_keys, tables.castling_keys, tables.en_passant_keys):
        numbers = [signed(generator.getrandbits(64)) for _ in range(keys.size)]
        keys[...] = np.reshape(numbers, keys.shape)
    tables.side_key = signed(generator.getrandbits(64))
    tables.castling_keys[0] = 0
    tables.en_passant_keys[NO_SQUARE] = 0
    fill_cycles(tables)
    tables.see_value[:] = SEE_VALUES
    return tables


def new_position(tables: AttackTables) -> Position:
    """An empty board; engine.board.fen sets it up."""
    pos = Position()
    pos.tables = tables
    return pos
