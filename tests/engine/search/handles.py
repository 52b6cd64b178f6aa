"""Where a search thread keeps what several tests set and look at, named once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.board.fen import set_fen
from engine.search import negamax, pruning
from engine.search.state import REDUCTION_SIZE, ReductionTable, SearchThread

PLY = 4  # of the node whose steps a test calls one at a time
MIDDLE_GAME = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
CHECKS = (  # the side to move is in check: one checker, two, a pawn, a knight; captures and blocks
    "4k3/8/8/8/4r3/8/3PKP2/2N5 w - - 0 1",
    "4k3/8/8/b7/8/5n2/3P4/R3K2R w KQ - 0 1",
    "4k3/8/8/8/3p4/4K3/5P2/8 w - - 0 1",
    "rnbqkbnr/ppp2ppp/8/1B1pp3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 3",
    "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
)
TACTICAL = (  # winning and losing captures, promotions, en passant, castling
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
)


def set_up(thread: SearchThread, fen: str) -> None:
    set_fen(thread.position, fen)


def evaluated(thread: SearchThread, static_eval: int) -> None:
    """As the static evaluation of the node at PLY."""
    thread.stack[PLY].static_eval = static_eval


def own_reductions(thread: SearchThread) -> None:
    """A table of this thread alone, in which `reduce_by` sets a base reduction."""
    thread.reduction_table = ReductionTable()


def reduce_by(thread: SearchThread, depth: int, move_number: int, amount: int) -> None:
    """The base reduction in 1/1024 plies."""
    last = REDUCTION_SIZE - 1
    thread.reduction_table.reductions[min(depth, last), min(move_number, last)] = amount


def in_check(thread: SearchThread) -> bool:
    return bool(thread.position.snapshots[thread.position.ply].checkers)


def killers(thread: SearchThread, ply: int) -> np.ndarray[Any, Any]:
    """The two of a ply, to be read and written."""
    view: np.ndarray[Any, Any] = thread.stack[ply].killers
    return view


def continuation_rows(thread: SearchThread, ply: int) -> np.ndarray[Any, Any]:
    view: np.ndarray[Any, Any] = thread.stack[ply].continuation_rows
    return view


def best_line(thread: SearchThread, ply: int) -> list[int]:
    """The principal variation from a ply on."""
    frame = thread.stack[ply]
    moves: list[int] = frame.pv[: frame.pv_length].tolist()
    return moves


class FakeSearch:
    """Stands in for a search: takes its scores from a list, and keeps its arguments."""

    def __init__(self, *scores: int):
        self.scores = list(scores)
        self.calls: list[tuple[int, ...]] = []  # all arguments after the thread

    def __call__(self, thread: SearchThread, *arguments: int) -> int:
        self.calls.append(tuple(int(value) for value in arguments))
        return self.scores.pop(0)


def replace(monkeypatch: pytest.MonkeyPatch, name: str, *scores: int) -> FakeSearch:
    """A search that the steps of a node call, replaced by one with these scores."""
    fake = FakeSearch(*scores)
    for module in (negamax, pruning):
        monkeypatch.setattr(module, name, fake, raising=False)
    return fake
