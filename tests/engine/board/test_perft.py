"""Leaf counts that are known from many programs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from engine.board.fen import START
from engine.board.perft import perft
from engine.board.position import MoveLists, Position
from engine.native import jit

# Two sizes: the second one is too slow for interpreted kernels.
WELL_KNOWN = {
    START: {3: 8902, 5: 4865609},
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": {2: 2039, 4: 4085603},
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": {3: 2812, 6: 11030083},
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": {2: 264, 5: 15833292},
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": {2: 1486, 4: 2103487},
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": {
        2: 2079,
        4: 3894594,
    },
}
CHESS960 = {
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9": {2: 807, 4: 667366},
    "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9": {2: 479, 4: 273318},
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9": {2: 593, 4: 382958},
}


@pytest.mark.parametrize("fen", WELL_KNOWN)
def test_well_known_counts(position: Callable[..., Position], lists: MoveLists, fen: str) -> None:
    pos = position(fen)
    for depth, leaves in WELL_KNOWN[fen].items():
        if depth <= 3 or not jit.INTERPRETED:
            assert perft(pos, lists, depth, 0) == leaves


@pytest.mark.parametrize("fen", CHESS960)
def test_chess960_counts(position: Callable[..., Position], lists: MoveLists, fen: str) -> None:
    pos = position(fen, chess960=True)
    for depth, leaves in CHESS960[fen].items():
        if depth <= 3 or not jit.INTERPRETED:
            assert perft(pos, lists, depth, 0) == leaves


@pytest.mark.parametrize("chess960", [False, True])
def test_random_positions_as_python_chess_counts(
    position: Callable[..., Position], lists: MoveLists, chess960: bool
) -> None:
    """Two plies, so that the moves after each move are right too."""
    rng = random.Random(chess960)
    for _ in range(2 if jit.INTERPRETED else 25):
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(rng.randrange(60)):
            moves = list(board.legal_moves)
            if moves:
                board.push(rng.choice(moves))
        leaves = 0
        for move in board.legal_moves:
            board.push(move)
            leaves += board.legal_moves.count()
            board.pop()
        fen = board.shredder_fen() if chess960 else board.fen()
        assert perft(position(fen, chess960), lists, 2, 0) == leaves, fen


@pytest.mark.jit_only
@pytest.mark.parametrize(
    "name", ["standard.epd", "chess960.epd", "random500.epd", "stress.epd", "tricky.perft"]
)
def test_shared_counts(
    data: Path, position: Callable[..., Position], lists: MoveLists, name: str
) -> None:
    checked = 0
    for fen, counts in perft_file(data / "perft" / name):
        pos = position(fen, chess960=name in ("chess960.epd", "tricky.perft"))
        for depth, leaves in counts:
            if leaves <= 1_000_000:
                assert perft(pos, lists, depth, 0) == leaves, f"{fen} depth {depth}"
                checked += 1
    assert checked > 20


def perft_file(path: Path) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Both formats: `FEN; D1 20; D2 400` in a line, and blocks of `epd` and `perft` lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".perft":
        for block in re.split(r"^id .*$", text, flags=re.MULTILINE)[1:]:
            fen = re.findall(r"^epd (.*)$", block, re.MULTILINE)[0]
            counts = re.findall(r"^perft (\d+) (\d+)$", block, re.MULTILINE)
            yield fen, [(int(depth), int(leaves)) for depth, leaves in counts]
    else:
        for line in filter(None, map(str.strip, text.splitlines())):
            counts = re.findall(r"D(\d+)\s+(\d+)", line)
            yield line.split(";")[0], [(int(depth), int(leaves)) for depth, leaves in counts]
