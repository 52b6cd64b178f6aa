"""A repetition foreseen one move ahead, against making every move."""

from __future__ import annotations

import random
from collections.abc import Callable

from engine.board.attack_tables import new_position
from engine.board.cycles import can_repeat, fill_cycles
from engine.board.draws import is_repetition
from engine.board.fen import START, set_fen
from engine.board.makemove import make, unmake
from engine.board.notation import legal_moves, parse_move
from engine.board.position import MoveLists, Position
from engine.native import jit
from engine.search.shared import Shared

WALKS = 20 if jit.INTERPRETED else 1000
PLIES = 12


def test_there_are_3668_reversible_moves(shared: Shared) -> None:
    assert fill_cycles(shared.tables) == 3668


def repeats_by_trying(pos: Position, lists: MoveLists, ply: int) -> bool:
    for move in legal_moves(pos, lists):
        make(pos, move)
        repeated = is_repetition(pos, ply + 1)
        unmake(pos)
        if repeated:
            return True
    return False


def test_random_walks(shared: Shared, lists: MoveLists) -> None:
    """Few pieces and short ways, so that many positions come again."""
    rng = random.Random(5)
    pos = new_position(shared.tables)
    fens = ["4k3/8/8/8/8/8/8/4K2R w - - 0 1", "k7/1n6/8/8/8/8/6N1/7K w - - 0 1", START]
    seen = 0
    for walk in range(WALKS):
        set_fen(pos, fens[walk % len(fens)])
        for ply in range(PLIES):
            expected = repeats_by_trying(pos, lists, ply)
            found = bool(can_repeat(pos, ply))
            seen += expected
            # A position of the search itself is also reached by a move of the other side's that
            # was just made: whoever may go back has the draw in hand.
            assert found or not expected
            moves = legal_moves(pos, lists)
            back = pos.snapshots[pos.ply - 1].move if ply >= 2 and rng.random() < 0.5 else 0
            turned = (back & 63) << 6 | (back >> 6) & 63
            make(pos, turned if turned in moves else rng.choice(moves))
    assert seen > WALKS // 10


def test_nothing_repeats_after_a_pawn_move(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("4k3/7p/8/8/8/8/P7/4K3 w - - 0 1")
    for text in ("e1e2", "e8e7", "a2a3"):
        make(pos, parse_move(pos, lists, text))
    assert not can_repeat(pos, 3)
