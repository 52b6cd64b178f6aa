"""Ranks of moves at their boundaries, whatever the tables say."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.board.attack_tables import new_position
from engine.board.fen import set_fen
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import move_text, parse_move
from engine.board.position import MoveLists, Position
from engine.scores import MATE, TABLEBASE_WIN
from engine.search.shared import Shared
from engine.tb import ranking, root
from engine.tb.memory import Prober
from engine.tb.probing import has_repeated, move_dtz
from engine.tb.ranking import FIFTY_MOVES, SURE, RankedMove, best_line, rank_moves
from engine.tb.root import RootRanking, score_of_rank
from tablebases.decoding import NO_TABLE
from tablebases.folders import BUILT_IN
from tests.reference.tablebases import Bench

FEN = "8/8/8/8/3k4/8/8/KQ6 w - - 0 1"
TWO_QUEENS = "8/8/8/8/3k4/8/2Q5/KQ6 w - - 0 1"  # DTZ does not lead to mate


@dataclass
class Board:
    """A position, and a prober whose answers a test replaces."""

    position: Position
    lists: MoveLists
    prober: Prober

    def set_up(self, fen: str) -> None:
        set_fen(self.position, fen)


@pytest.fixture
def board(shared: Shared) -> Board:
    made = Board(new_position(shared.tables), MoveLists(), Prober())
    made.prober.most_men = 5
    return made


@pytest.fixture
def bench_of_rooks(shared: Shared) -> Bench:
    return Bench([BUILT_IN], shared.tables)


def ranked_by(
    monkeypatch: pytest.MonkeyPatch, board: Board, values: dict[str, int], fen: str, **other: bool
) -> dict[str, RankedMove]:
    """The ranks of these moves, if probing gives these values: DTZ, or WDL if `dtz` is False."""
    with_dtz, fifty_moves = other.get("dtz", True), other.get("fifty_moves", True)
    board.set_up(fen)
    pos, lists = board.position, board.lists
    by_move = {int(parse_move(pos, lists, text)): value for text, value in values.items()}

    def dtz_of(*arguments: object) -> int:
        return by_move[arguments[-1]] if with_dtz else NO_TABLE  # type: ignore[index]

    def wdl_of(*arguments: object) -> int:
        return by_move[arguments[-1]]  # type: ignore[index]

    monkeypatch.setattr(ranking, "move_dtz", dtz_of)
    monkeypatch.setattr(ranking, "move_wdl", wdl_of)
    found = rank_moves(board.prober, pos, lists, list(by_move), fifty_moves)
    assert found is not None
    assert [entry.rank for entry in found] == sorted((e.rank for e in found), reverse=True)
    return {move_text(entry.move, False): entry for entry in found}


@pytest.mark.parametrize(
    "dtz, clock, fifty_moves, rank, wdl",
    [
        (0, 0, True, 0, 0),
        (1, 0, True, SURE - 1, 2),
        (99, 0, True, SURE - 99, 2),
        (100, 0, True, FIFTY_MOVES - 100, 1),  # DTZ may be one ply too small
        (100, 0, False, SURE - 100, 2),
        (60, 39, True, SURE - 60, 2),
        (60, 40, True, FIFTY_MOVES - 100, 1),
        (1, 99, True, SURE - 1, 2),  # the move itself ends the count
        (2, 98, True, FIFTY_MOVES - 100, 1),
        (-30, 0, True, 30 - SURE, -2),
        (-30, 70, True, 100 - FIFTY_MOVES, -1),
        (-1, 99, True, 1 - SURE, -2),
        (1500, 0, True, 1, 1),  # a rank keeps its sign
        (-1500, 0, True, -1, -1),
        (1500, 0, False, FIFTY_MOVES + 1, 2),
    ],
)
def test_ranks_by_dtz(
    monkeypatch: pytest.MonkeyPatch,
    board: Board,
    dtz: int,
    clock: int,
    fifty_moves: bool,
    rank: int,
    wdl: int,
) -> None:
    fen = TWO_QUEENS.replace(" 0 1", f" {clock} 60")
    entry = ranked_by(monkeypatch, board, {"b1b2": dtz}, fen, fifty_moves=fifty_moves)["b1b2"]
    assert (entry.rank, entry.wdl, entry.dtz) == (rank, wdl, dtz)


@pytest.mark.parametrize(
    "dtz, clock, rank, wdl",
    [
        (3, 97, SURE - 3, 2),
        (2, 97, SURE - 3, 2),  # the winner mates with its own move
        (4, 96, FIFTY_MOVES - 101, 1),
        (-2, 98, 2 - SURE, -2),
        (-1, 98, 2 - SURE, -2),
        (-2, 99, 101 - FIFTY_MOVES, -1),
    ],
)
def test_mate_takes_precedence_over_the_fifty_move_rule(
    monkeypatch: pytest.MonkeyPatch, board: Board, dtz: int, clock: int, rank: int, wdl: int
) -> None:
    fen = FEN.replace(" 0 1", f" {clock} 60")
    entry = ranked_by(monkeypatch, board, {"b1b2": dtz}, fen)["b1b2"]
    assert (entry.rank, entry.wdl, entry.dtz) == (rank, wdl, dtz)


@pytest.mark.parametrize(
    "wdl, fifty_moves, rank, shown",
    [
        (2, True, SURE - 1, 2),
        (1, True, 1, 1),
        (1, False, SURE - 1, 2),
        (0, True, 0, 0),
        (0, False, 0, 0),
        (-1, True, -1, -1),
        (-1, False, 1 - SURE, -2),
        (-2, True, 1 - SURE, -2),
    ],
)
def test_ranks_by_wdl(
    monkeypatch: pytest.MonkeyPatch,
    board: Board,
    wdl: int,
    fifty_moves: bool,
    rank: int,
    shown: int,
) -> None:
    values = {"b1b2": wdl}
    entry = ranked_by(monkeypatch, board, values, FEN, dtz=False, fifty_moves=fifty_moves)["b1b2"]
    assert (entry.rank, entry.wdl, entry.dtz) == (rank, shown, None)


def test_the_best_move_comes_first(monkeypatch: pytest.MonkeyPatch, board: Board) -> None:
    values = {"b1b2": 7, "b1b3": 0, "b1b4": 5, "b1b5": -3}
    assert list(ranked_by(monkeypatch, board, values, FEN)) == ["b1b4", "b1b2", "b1b3", "b1b5"]


def play_the_first_move(monkeypatch: pytest.MonkeyPatch, *ranks: int) -> None:
    """The best move is the first legal one, and its ranks are these, then 5."""
    left = list(ranks)

    def best_first(*arguments: object) -> list[RankedMove]:
        moves = arguments[3]
        assert isinstance(moves, list)
        return [RankedMove(moves[0], left.pop(0) if left else 5, 2, None)] if moves else []

    monkeypatch.setattr(ranking, "rank_moves", best_first)


def line_from(board: Board, fen: str, text: str, **other: bool) -> int:
    """The number of moves of the best line that begins with a move."""
    board.set_up(fen)
    move = parse_move(board.position, board.lists, text)
    stopped, fifty_moves = other.get("stopped", False), other.get("fifty_moves", True)
    arguments = (board.prober, board.position, board.lists, move)
    line = best_line(*arguments, fifty_moves, lambda: stopped)
    assert line[0] == move and board.position.ply == 0
    return len(line)


@pytest.mark.parametrize("longest", [1, 2, 5])
def test_a_line_has_a_limit(monkeypatch: pytest.MonkeyPatch, board: Board, longest: int) -> None:
    play_the_first_move(monkeypatch)
    monkeypatch.setattr(ranking, "LONGEST_LINE", longest)
    assert line_from(board, FEN, "b1b2") == longest
    assert line_from(board, FEN, "b1b2", stopped=True) == 1


def test_a_line_ends_with_a_threefold_repetition(
    monkeypatch: pytest.MonkeyPatch, board: Board
) -> None:
    fen, circle = "8/8/8/8/8/2k5/8/K6R w - - 0 1", ["h1g1", "c3d3", "g1h1", "d3c3"]
    played = iter(circle[1:] + 9 * circle)

    def shuffle(*_: object) -> list[RankedMove]:
        return [RankedMove(parse_move(board.position, board.lists, next(played)), 5, 2, None)]

    monkeypatch.setattr(ranking, "rank_moves", shuffle)
    assert line_from(board, fen, circle[0]) == 8


def test_a_line_ends_with_the_fifty_move_rule_a_draw_or_mate(
    monkeypatch: pytest.MonkeyPatch, board: Board
) -> None:
    monkeypatch.setattr(ranking, "LONGEST_LINE", 9)
    play_the_first_move(monkeypatch)
    late = FEN.replace(" 0 1", " 97 90")
    assert line_from(board, late, "b1b2") == 3
    assert line_from(board, late, "b1b2", fifty_moves=False) == 9
    play_the_first_move(monkeypatch, -5, 0)
    assert line_from(board, FEN, "b1b2") == 2
    assert line_from(board, "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "g1g7") == 1


# --- At the root ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rank, score",
    [
        (SURE - 3, TABLEBASE_WIN - 1),
        (FIFTY_MOVES + 1, TABLEBASE_WIN - 1),
        (FIFTY_MOVES, 1),
        (1, 1),
        (0, 0),
        (-1, -1),
        (-FIFTY_MOVES, -1),
        (-FIFTY_MOVES - 1, 1 - TABLEBASE_WIN),
        (3 - SURE, 1 - TABLEBASE_WIN),
    ],
)
def test_the_score_of_a_rank(rank: int, score: int) -> None:
    assert score_of_rank(rank) == score


def root_of(
    monkeypatch: pytest.MonkeyPatch, board: Board, entries: list[RankedMove] | None, lines: int = 1
) -> tuple[RootRanking, list[int]]:
    """A root whose moves, 1 to 4, have these ranks."""
    monkeypatch.setattr(root, "rank_moves", lambda *_: entries)
    found = RootRanking(board.prober)
    board.set_up(FEN)
    return found, found.rank(board.position, board.lists, [1, 2, 3, 4], lines, True)


WINS = [RankedMove(1, 1990, 2, 10), RankedMove(2, 1990, 2, 10), RankedMove(3, 0, 0, 0)]


def test_only_the_best_moves_are_searched(monkeypatch: pytest.MonkeyPatch, board: Board) -> None:
    for lines, kept in ((1, [1, 2]), (2, [1, 2]), (3, [1, 2, 3])):
        found, moves = root_of(monkeypatch, board, WINS, lines)
        assert moves == kept
        assert found.ranks == [entry.rank for entry in WINS[: len(kept)]]
        assert found.suffices()
    found, moves = root_of(monkeypatch, board, None)
    assert moves == [1, 2, 3, 4] and found.ranks is None and not found.suffices()


@pytest.mark.parametrize(
    "clock, repeated, lines, kept, ranks",
    [
        (0, False, 1, [2, 3], [SURE, SURE]),  # equal, in the order of the moves
        (80, False, 1, [3], [SURE]),  # the other one comes too late for the fifty-move rule
        (80, False, 2, [3, 2], [SURE, SURE - 30]),
        (0, True, 1, [3], [SURE - 10]),  # no more circles
        (0, False, 4, [2, 3, 1, 4], [SURE, SURE, 0, -SURE]),
    ],
)
def test_safe_wins_are_equal(
    monkeypatch: pytest.MonkeyPatch,
    board: Board,
    clock: int,
    repeated: bool,
    lines: int,
    kept: list[int],
    ranks: list[int],
) -> None:
    entries = [
        RankedMove(3, SURE - 10, 2, 10),
        RankedMove(2, SURE - 30, 2, 30),
        RankedMove(1, 0, 0, 0),
        RankedMove(4, 20 - SURE, -2, -20),
    ]
    monkeypatch.setattr(root, "rank_moves", lambda *_: entries)
    monkeypatch.setattr(root, "has_repeated", lambda *_: repeated)
    board.set_up(f"8/8/8/8/3k4/8/2Q5/KQ6 w - - {clock} 60")
    found = RootRanking(board.prober)
    assert found.rank(board.position, board.lists, [1, 2, 3, 4], lines, True) == kept
    assert found.ranks == ranks


def test_after_a_repetition_dtz_is_not_the_distance_to_mate(
    monkeypatch: pytest.MonkeyPatch, board: Board
) -> None:
    monkeypatch.setattr(root, "has_repeated", lambda *_: True)
    assert not root_of(monkeypatch, board, WINS)[0].mate_is_next


def test_losses_are_equal(monkeypatch: pytest.MonkeyPatch, board: Board) -> None:
    entries = [RankedMove(2, 30 - SURE, -2, -30), RankedMove(1, 10 - SURE, -2, -10)]
    monkeypatch.setattr(root, "rank_moves", lambda *_: entries)
    board.set_up("8/8/8/8/3k4/8/2q5/Kq6 w - - 0 1")
    found = RootRanking(board.prober)
    assert found.rank(board.position, board.lists, [1, 2], 1, True) == [1, 2]


def test_a_win_that_the_opponent_can_repeat_away_is_none(bench_of_rooks: Bench) -> None:
    """White has been twice at g1 with the black king at c3, and goes there again if Black wants."""
    pos, lists = bench_of_rooks.position, bench_of_rooks.lists
    bench_of_rooks.set_up("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    assert not has_repeated(pos)
    for text in ("h1g1", "c3d3", "g1h1", "d3c3", "h1g1", "c3d3", "g1h1"):
        make(pos, parse_move(pos, lists, text))
    assert has_repeated(pos)
    unmake(pos)
    values = {
        text: int(move_dtz(bench_of_rooks.prober, pos, lists, parse_move(pos, lists, text)))
        for text in ("g1h1", "g1g2")
    }
    assert values["g1h1"] == 0 < values["g1g2"]


def test_ranking_suffices_with_dtz_or_without_a_win(
    monkeypatch: pytest.MonkeyPatch, board: Board
) -> None:
    without = [RankedMove(1, 1999, 2, None), RankedMove(2, 0, 0, None)]
    assert not root_of(monkeypatch, board, without)[0].suffices()
    mixed = [RankedMove(1, 1990, 2, 10), RankedMove(2, 0, 0, None)]
    assert not root_of(monkeypatch, board, mixed)[0].suffices()
    cursed = [RankedMove(1, 1, 1, None)]
    assert not root_of(monkeypatch, board, cursed)[0].suffices()
    assert root_of(monkeypatch, board, without[1:])[0].suffices()  # a draw


def test_lines_get_the_score_and_the_moves_of_the_tablebases(
    monkeypatch: pytest.MonkeyPatch, board: Board
) -> None:
    monkeypatch.setattr(root, "best_line", lambda *_: (1, 9, 9))
    found, _ = root_of(monkeypatch, board, WINS)
    assert found.mate_is_next  # king and queen against king
    arguments = (board.position, board.lists, lambda: False)
    # DTZ 10 of the winner is mate in 11 plies.
    assert found.completed((1, 7), 500, *arguments) == (MATE - 11, (1, 9, 9))
    assert found.completed((3, 7), 500, *arguments) == (0, (3, 7))
    assert found.completed((4, 7), 500, *arguments) is None  # not ranked
    assert found.completed((3, 7), MATE - 5, *arguments) is None  # a mate they do not know
    assert found.completed((1, 7), MATE - 5, *arguments) == (MATE - 11, (1, 9, 9))
    found.mate_is_next = False
    assert found.completed((1, 7), 500, *arguments) == (TABLEBASE_WIN - 1, (1, 9, 9))
    assert found.completed((1, 7), MATE - 5, *arguments) is None  # the search knows how soon
    assert found.completed((1, 7), 5 - MATE, *arguments) == (TABLEBASE_WIN - 1, (1, 9, 9))
    found.ranked[5] = RankedMove(5, FIFTY_MOVES - 100, 1, 60)  # perhaps just in time
    assert found.completed((5, 7), 500, *arguments) == (500, (5, 7))
    assert found.completed((5, 7), MATE - 3, *arguments) == (MATE - 3, (5, 7))
    assert found.completed((5, 7), -20, *arguments) == (1, (5, 7))
    found.mate_is_next = True
    found.ranked[2] = RankedMove(2, -1990, -2, -10)
    assert found.completed((2,), 0, *arguments) == (10 - MATE, (1, 9, 9))
    found.ranked[2] = RankedMove(2, FIFTY_MOVES, 1, 200)
    assert found.completed((2,), 0, *arguments) == (1, (1, 9, 9))
    found.ranked[2] = RankedMove(2, -FIFTY_MOVES, -1, -200)
    assert found.completed((2,), 0, *arguments) == (-1, (1, 9, 9))
    found.ranked[2] = RankedMove(2, 1999, 2, None)
    assert found.completed((2, NO_MOVE), 0, *arguments) == (TABLEBASE_WIN - 1, (2, NO_MOVE))
