"""Tablebases in the engine: scores, the choice of moves, reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import chess
import pytest

from engine.api import Engine
from engine.board.constants import MAX_PLY
from engine.chances import normalised
from engine.events import Message, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits
from engine.play.reports import SHOWN_TABLEBASE_WIN_CP, readable_score
from engine.scores import MATE_IN_RANGE, TABLEBASE_WIN, TABLEBASE_WIN_IN_RANGE
from engine.settings import Settings

pytestmark = pytest.mark.jit_only  # real searches

WON = "8/8/8/8/8/2k5/8/KBN5 w - - 0 1"  # takes too long to find without tablebases
LEAST_SHOWN_WIN = SHOWN_TABLEBASE_WIN_CP - MAX_PLY
QUEEN_AGAINST_ROOK = "8/8/8/8/8/2k5/1r6/K5Q1 w - - 0 1"
DRAWN = "8/8/8/8/4k3/8/8/KNN5 w - - 0 1"


@pytest.fixture(scope="module")
def module_engine(tablebases: Path) -> Engine:
    engine = Engine(hash_mb=2)
    engine.set_tablebases(str(tablebases))
    return engine


@pytest.fixture
def engine(module_engine: Engine) -> Iterator[Engine]:
    yield module_engine
    module_engine.configure(**asdict(Settings(hash_mb=2)))
    module_engine.new_game()


def search(engine: Engine, fen: str, limits: Limits) -> tuple[list[SearchInfo], SearchResult]:
    events: list[SearchEvent] = []
    engine.set_position(fen, ())
    engine.go(limits, events.append)
    engine.wait()
    *infos, result = events
    assert isinstance(result, SearchResult)
    assert not [event for event in infos if isinstance(event, Message)]
    return [event for event in infos if isinstance(event, SearchInfo)], result


def centipawns(info: SearchInfo) -> int:
    assert info.score.centipawns is not None
    return info.score.centipawns


def test_scores_of_tablebases_are_apart_from_mates() -> None:
    assert TABLEBASE_WIN_IN_RANGE < TABLEBASE_WIN < MATE_IN_RANGE


def test_scores_of_tablebases_are_shown_as_guis_expect() -> None:
    assert readable_score(TABLEBASE_WIN - 3, 5).centipawns == 19_997
    assert readable_score(3 - TABLEBASE_WIN, 5).centipawns == -19_997
    assert readable_score(TABLEBASE_WIN_IN_RANGE, 5).centipawns == LEAST_SHOWN_WIN
    assert readable_score(1234, 50).centipawns == normalised(1234, 50) < LEAST_SHOWN_WIN


def test_what_was_found_is_returned(tablebases: Path, tmp_path: Path) -> None:
    engine = Engine(hash_mb=1)
    assert engine.set_tablebases(str(tablebases)) == ["35 WDL and 35 DTZ tables, up to 4 men"]
    built_in, problem = engine.set_tablebases(str(tmp_path / "missing"))
    assert built_in == "35 WDL and 35 DTZ tables, up to 4 men" and "missing" in problem


def test_a_wrong_path_leaves_the_built_in_tables(tmp_path: Path) -> None:
    engine = Engine(hash_mb=1)
    engine.set_tablebases(str(tmp_path / "missing"))
    events: list[SearchEvent] = []
    engine.set_position(WON, ())
    engine.go(Limits(depth=2), events.append)
    engine.wait()
    infos = [event for event in events if isinstance(event, SearchInfo)]
    assert infos[-1].tablebase_hits > 0


@pytest.mark.parametrize("fen", [WON, QUEEN_AGAINST_ROOK])
def test_a_won_root(engine: Engine, fen: str) -> None:
    infos, result = search(engine, fen, Limits(depth=4))
    assert infos[-1].tablebase_hits > 0
    board = chess.Board(fen)
    for move in infos[-1].pv:
        board.push_uci(move)
        assert board.halfmove_clock <= 100
    assert board.is_checkmate()  # the line goes on to the end
    assert [result.best_move, result.ponder] == list(infos[-1].pv[:2])
    if fen == WON:  # nothing but mate can end this, so the tablebases know when
        assert infos[-1].score.mate == (len(infos[-1].pv) + 1) // 2
    else:
        assert LEAST_SHOWN_WIN <= centipawns(infos[-1]) < SHOWN_TABLEBASE_WIN_CP


@pytest.mark.parametrize(
    "fen, moves",
    [
        ("8/8/8/5B2/2K5/8/k7/2B5 w - - 0 1", 4),
        ("3Q4/8/8/8/8/8/K1k5/8 w - - 0 1", 3),
        ("8/7R/8/8/3K4/8/8/1k6 w - - 0 1", 3),
    ],
)
def test_mates_of_the_tablebases_are_proved_by_search(engine: Engine, fen: str, moves: int) -> None:
    assert search(engine, fen, Limits(depth=1))[0][-1].score.mate == moves
    engine.configure(tablebase_most_men=0)
    engine.new_game()
    assert search(engine, fen, Limits(mate=moves))[0][-1].score.mate == moves
    events: list[SearchEvent] = []
    engine.go(Limits(mate=moves - 1), events.append)
    engine.wait()
    assert Message(f"there is no mate in {moves - 1}") in events


def test_a_lost_side_asks_how_soon_it_is_mated(engine: Engine) -> None:
    """`go mate` ends when it has proved that there is none, but not for the side that is lost, as
    long as another limit holds."""
    lost = "8/8/8/8/7p/2K5/3Q4/k7 b - - 0 1"
    assert search(engine, lost, Limits(mate=3, depth=6))[0][-1].score.mate == -1


def test_a_long_line_does_not_cost_a_bullet_game(engine: Engine) -> None:
    """Its moves are found one by one. With milliseconds left they took longer than the move."""
    whole = search(engine, WON, Limits(depth=1))[0][-1]
    hurried = search(engine, WON, Limits(white_time_ms=14, white_increment_ms=5))[0][-1]
    assert whole.score.mate is not None and len(whole.pv) == 2 * whole.score.mate - 1
    assert hurried.score.mate is not None and len(hurried.pv) < len(whole.pv) / 2


def test_being_mated_by_the_tablebases(engine: Engine) -> None:
    infos, _ = search(engine, "8/8/8/8/8/2k5/3r4/K7 w - - 0 1", Limits(depth=1))
    assert infos[-1].score.mate == -3 and len(infos[-1].pv) == 6


def test_a_mate_behind_a_capture_is_known(engine: Engine) -> None:
    """Five men; taking the rook leaves queen against king, with mate at a known distance."""
    infos, _ = search(engine, "7k/8/8/3r4/8/8/3Q4/K7 w - - 0 1", Limits(depth=2, mate=10))
    assert infos[-1].score.mate is not None


def test_go_mate_is_answered_by_tablebases_that_lead_to_it(engine: Engine) -> None:
    infos, _ = search(engine, WON, Limits(mate=40))
    assert infos[-1].depth == 1 and infos[-1].score.mate is not None


def test_a_drawn_root(engine: Engine) -> None:
    infos, _ = search(engine, DRAWN, Limits(depth=4))
    assert centipawns(infos[-1]) == 0


@pytest.mark.parametrize(
    "fen, most_men, chances",
    [
        (DRAWN, 7, (0, 1000, 0)),
        (WON, 7, (1000, 0, 0)),
        (WON.replace(" 0 1", " 60 90"), 7, (0, 1000, 0)),
        ("8/8/4k3/8/8/4K3/8/6N1 w - - 0 1", 0, (0, 1000, 0)),  # no mate is possible
        ("k7/2Q5/2K5/8/8/8/8/8 b - - 0 1", 0, (0, 1000, 0)),  # stalemate
        ("k7/1Q6/2K5/8/8/8/8/8 b - - 0 1", 0, (0, 0, 1000)),  # mate
    ],
)
def test_what_is_certain_has_no_other_chances(
    engine: Engine, fen: str, most_men: int, chances: tuple[int, int, int]
) -> None:
    engine.configure(show_wdl=True, tablebase_most_men=most_men)
    infos, _ = search(engine, fen, Limits(depth=3))
    assert infos[-1].win_draw_loss == chances


def test_the_fifty_move_rule(engine: Engine) -> None:
    late = WON.replace(" 0 1", " 60 90")
    assert centipawns(search(engine, late, Limits(depth=3))[0][-1]) == 1
    engine.configure(tablebase_fifty_moves=False)
    engine.new_game()
    assert search(engine, late, Limits(depth=3))[0][-1].score.mate is not None


def test_the_limit_switches_tablebases_off(engine: Engine) -> None:
    engine.configure(tablebase_most_men=3)
    infos, _ = search(engine, WON, Limits(depth=3))
    assert centipawns(infos[-1]) < LEAST_SHOWN_WIN


def test_lines_come_in_the_order_of_their_ranks(engine: Engine) -> None:
    engine.configure(multi_pv=5)
    infos, result = search(engine, "4k3/8/8/8/8/1Q6/8/K3n3 w - - 0 1", Limits(depth=2))
    last = infos[-5:]
    assert [info.multi_pv for info in last] == [1, 2, 3, 4, 5]
    assert [centipawns(info) for info in last] == sorted(map(centipawns, last), reverse=True)
    assert result.best_move == last[0].pv[0]
    assert centipawns(last[0]) >= LEAST_SHOWN_WIN


@pytest.mark.parametrize(
    "fen, moves",
    [
        ("k7/4R3/8/4K3/8/8/8/1R6 w - - 0 1", 2),
        ("8/8/8/8/3k4/8/2Q5/KQ6 w - - 1 2", 4),
        ("8/8/8/8/3k4/8/2Q5/KQ6 w - - 80 90", 4),
        ("6n1/8/7k/8/8/8/1q6/4K3 b - - 0 1", 4),
    ],
)
@pytest.mark.parametrize("lines", [1, 3])
def test_no_man_is_given_for_a_shorter_way_to_zeroing(
    engine: Engine, fen: str, moves: int, lines: int
) -> None:
    engine.configure(multi_pv=lines)
    infos, result = search(engine, fen, Limits(nodes=lines * 150_000))
    mates = [info.score.mate or 1000 for info in infos[-lines:]]
    assert mates == sorted(mates) and mates[0] <= moves
    assert result.best_move == infos[-lines].pv[0]
    board = chess.Board(fen)
    men = len(board.piece_map())
    for move in infos[-lines].pv:
        board.push_uci(move)
    assert board.is_checkmate() and len(board.piece_map()) == men


@pytest.mark.parametrize(
    "fen",
    [
        "8/1k6/8/8/3K4/8/2R5/1R6 b - - 0 1",  # lost: mated as late as can be
        # One man above the tables: a rook is not given for what they know
        "8/8/8/3k4/8/8/8/KRRB4 w - - 0 1",
        "8/8/8/8/4k3/8/1PP5/KR6 w - - 0 1",
        "8/8/4b3/3k4/7q/8/8/K5n1 b - - 0 1",
    ],
)
def test_the_search_finds_the_mate_as_without_tablebases(engine: Engine, fen: str) -> None:
    infos, result = search(engine, fen, Limits(nodes=40_000))
    engine.configure(tablebase_most_men=0)
    engine.new_game()
    others, other = search(engine, fen, Limits(nodes=40_000))
    assert result == other
    assert infos[-1].score.mate == others[-1].score.mate


def test_only_the_moves_asked_for_are_ranked(engine: Engine) -> None:
    limits = Limits(depth=2, search_moves=("b3c2", "a1b1"))
    infos, result = search(engine, "4k3/8/8/8/8/1Q6/8/K3n3 w - - 0 1", limits)
    assert result.best_move == "a1b1"  # the other one loses the queen
    assert centipawns(infos[-1]) >= LEAST_SHOWN_WIN


def test_tablebases_are_probed_inside_the_search(engine: Engine) -> None:
    """Five men: the capture leads to a known win, and the score says so."""
    infos, _ = search(engine, "7k/8/8/3r4/8/8/3QP3/K7 w - - 0 1", Limits(depth=6))
    assert infos[-1].tablebase_hits > 0
    score = infos[-1].score
    assert score.mate is not None or centipawns(infos[-1]) >= LEAST_SHOWN_WIN


def test_a_damaged_table_is_reported_and_the_game_goes_on(tablebases: Path, tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes((tablebases / "KQvK.rtbw").read_bytes()[:-64])
    engine = Engine(hash_mb=1)
    engine.set_tablebases(str(tmp_path))
    events: list[SearchEvent] = []
    engine.set_position("8/8/8/8/3k4/8/8/KQ6 w - - 0 1", ())
    for _ in range(2):
        engine.go(Limits(depth=2), events.append)
        engine.wait()
    messages = [event.text for event in events if isinstance(event, Message)]
    assert len(messages) == 1 and "KQvK.rtbw" in messages[0]
    assert [event for event in events if isinstance(event, SearchResult) and event.best_move]
