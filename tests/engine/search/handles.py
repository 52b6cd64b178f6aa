"""Where a search thread keeps what several tests set and look at, named once."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.board.fen import set_fen
from engine.search.state import Worker

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


def set_up(worker: Worker, fen: str) -> None:
    set_fen(worker.position, fen)


def in_check(worker: Worker) -> bool:
    return bool(worker.position.snapshots[worker.position.ply].checkers)


def killers(worker: Worker, ply: int) -> np.ndarray[Any, Any]:
    """The two of a ply, to be read and written."""
    view: np.ndarray[Any, Any] = worker.stack[ply].killers
    return view


def best_line(worker: Worker, ply: int) -> list[int]:
    """The principal variation from a ply on."""
    frame = worker.stack[ply]
    moves: list[int] = frame.pv[: frame.pv_length].tolist()
    return moves
