"""Lines of mate scores go on to mate."""

from __future__ import annotations

import random

import chess
import pytest

from engine.api import Engine
from engine.board.fen import set_fen
from engine.board.notation import legal_moves, move_text
from engine.events import SearchEvent, SearchInfo
from engine.limits import Limits
from engine.scores import MATE
from engine.search.iterations import Iterations
from engine.search.mate_line import extended_to_mate
from engine.search.root_moves import set_root_moves
from engine.search.state import Worker
from engine.tb.memory import Prober
from tests.reference.random_fens import random_ending

MATE_IN_4 = "1k6/5p2/2KPP3/2P3P1/1Ppp2B1/1p1p2p1/2b1P3/8 w - - 0 1"
MATED_IN_1 = "k7/8/1K6/8/8/8/8/7R b - - 0 1"  # by Kb8 and Rh8
# The lines of these mates once ended where the tablebases knew the rest.
CUT_SHORT = [
    "8/2p5/2p5/k1K5/8/3Q4/8/3b4 w - - 0 1",
    "8/1K6/8/6N1/8/3k4/5p1Q/3B4 w - - 0 1",
    "2R5/k2p4/3P4/2K5/8/8/8/8 b - - 0 1",
]
# The lines of these once mated sooner than their scores said, or went through a draw.
TOO_SHORT = [
    ("k7/8/K7/8/8/7b/Q7/n7 w - - 98 1", ""),
    ("4N3/2q5/8/8/7B/3k1K2/5p2/8 b - - 80 60", ""),
    ("8/8/5k2/8/6K1/8/8/2q5 b - - 95 60", "c1c6 g4h5"),
]
# The shortest mate by the tables would need a position for the third time.
REPEATED = [
    ("8/4N3/8/2K5/8/4k3/8/7B b - - 0 60", "e3d2 c5c6 d2e3 c6c5 e3d2 c5c6 d2e3"),
    ("3K4/7R/8/8/k7/8/8/8 w - - 0 60", "h7c7 a4a3 c7h7 a3a4 h7c7 a4a3 c7h7"),
]


def extended(worker: Worker, moves: tuple[int, ...], score: int) -> tuple[int, ...]:
    return extended_to_mate(moves, score, worker.position, worker.lists, worker.tt, Prober())


def assert_mates(fen: str, moves: tuple[int, ...], plies: int) -> None:
    board = chess.Board(fen)
    for move in moves:
        board.push(board.parse_uci(move_text(move, chess960=False)))
    assert board.is_checkmate() and len(moves) == plies


@pytest.mark.jit_only
def test_a_cut_line_is_known_to_the_transposition_table(worker: Worker) -> None:
    set_fen(worker.position, MATE_IN_4)
    set_root_moves(worker, legal_moves(worker.position, worker.lists))
    iterations = Iterations(worker, 1)
    for depth in range(1, 13):
        iterations.search(depth)
    line = iterations.lines[0]
    assert line.score == MATE - 7 and len(line.moves) == 7
    for length in range(1, len(line.moves) + 1):
        before = int(worker.position.ply), int(worker.nodes)
        found = extended(worker, line.moves[:length], line.score)
        assert found[:length] == line.moves[:length]
        assert_mates(MATE_IN_4, found, 7)
        assert (int(worker.position.ply), int(worker.nodes)) == before


def test_mate_in_one_is_seen_without_the_table(worker: Worker) -> None:
    set_fen(worker.position, MATED_IN_1)
    (only,) = legal_moves(worker.position, worker.lists)
    assert_mates(MATED_IN_1, extended(worker, (only,), 2 - MATE), 2)


@pytest.mark.parametrize(
    "fen",
    [
        "k7/8/8/8/8/8/8/K6R b - - 0 1",  # there are checks, but no mate
        "8/8/8/8/8/k7/p7/K7 b - - 0 1",  # nor is stalemate one
    ],
)
def test_neither_a_check_nor_stalemate_is_a_mate(worker: Worker, fen: str) -> None:
    set_fen(worker.position, fen)
    assert extended(worker, (), 2 - MATE) == ()


def test_lines_of_other_scores_and_unknown_mates_stay(worker: Worker) -> None:
    set_fen(worker.position, MATE_IN_4)
    moves = tuple(legal_moves(worker.position, worker.lists)[:1])
    assert extended(worker, moves, 300) == moves
    assert extended(worker, moves, MATE - 21) == moves


def assert_agree(board: chess.Board, info: SearchInfo) -> None:
    """A line with a mate score leads to mate at the move that it says, or breaks off before."""
    after = board.copy()
    for number, text in enumerate(info.pv):
        is_draw = after.is_repetition(3) or after.is_fifty_moves() or after.is_stalemate()
        assert number == 0 or not is_draw, info
        after.push(after.parse_uci(text))
    if info.bound != "exact":
        return
    if not info.score.mate:  # what tables know to be won has no distance to mate
        assert not after.is_checkmate() or abs(info.score.centipawns or 0) > 19_000, info
        return
    mate = info.score.mate
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    assert len(info.pv) <= plies and after.is_checkmate() == (len(info.pv) == plies), info


def searched(
    engine: Engine, fen: str, moves: str, limits: Limits
) -> tuple[chess.Board, list[SearchInfo]]:
    events: list[SearchEvent] = []
    engine.set_position(fen, moves.split())
    engine.go(limits, events.append)
    engine.wait()
    return engine.board(), [event for event in events if isinstance(event, SearchInfo)]


@pytest.mark.jit_only
@pytest.mark.parametrize("fen, moves", TOO_SHORT)
@pytest.mark.parametrize("lines", [1, 3])
def test_a_line_mates_when_its_score_says_so(fen: str, moves: str, lines: int) -> None:
    engine = Engine(hash_mb=4, multi_pv=lines)
    board, infos = searched(engine, fen, moves, Limits(depth=30, nodes=60_000))
    assert any(info.score.mate for info in infos)
    for info in infos:
        assert_agree(board, info)


@pytest.mark.jit_only
@pytest.mark.parametrize("fen, moves", REPEATED)
@pytest.mark.parametrize("lines", [1, 3])
def test_after_a_repetition_the_tables_know_a_win_and_no_distance(
    fen: str, moves: str, lines: int
) -> None:
    engine = Engine(hash_mb=4, multi_pv=lines)
    board, infos = searched(engine, fen, moves, Limits(depth=30, nodes=60_000))
    assert all(info.score.mate or abs(info.score.centipawns or 0) in (0, 19_999) for info in infos)
    for info in infos:
        assert_agree(board, info)


@pytest.mark.jit_only
@pytest.mark.parametrize("tables", [True, False])
def test_lines_and_scores_of_mates_agree_near_the_fifty_move_rule(tables: bool) -> None:
    rng = random.Random(8)
    engine = Engine(hash_mb=2, multi_pv=2, threads=2, tablebase_most_men=7 if tables else 0)
    mates = 0
    for _ in range(60):
        fen = random_ending(rng, rng.choice([0, *range(90, 100)]))
        for info in searched(engine, fen, "", Limits(depth=20, nodes=10_000))[1]:
            assert_agree(chess.Board(fen), info)
            mates += bool(info.score.mate)
    assert mates > 20


@pytest.mark.jit_only
@pytest.mark.parametrize("fen", CUT_SHORT)
def test_a_stopped_search_shows_its_mate_to_the_end(fen: str) -> None:
    _, infos = searched(Engine(hash_mb=2), fen, "", Limits(nodes=30_000))
    assert infos[-1].score.mate
    for info in infos:
        board = chess.Board(fen)
        for text in info.pv:
            board.push(board.parse_uci(text))
        if info.score.mate is not None:
            assert board.is_checkmate(), info
