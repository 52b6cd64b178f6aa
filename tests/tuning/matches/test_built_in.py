"""The built-in match: what it plays, writes and adjudicates."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest

from tests.tuning.fake_engine import COMMAND, XBOARD_COMMAND
from tuning.__main__ import main
from tuning.matches import built_in
from tuning.matches.built_in import Adjudicator
from tuning.matches.rules import Conditions, Contender
from tuning.matches.runner import play_match


@pytest.mark.jit_only
def test_the_built_in_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.epd"
    book.write_text("k7/8/1K6/8/8/8/8/7R b - -\n")
    pgn = tmp_path / "match.pgn"
    words = ["sprt", "wadjet", "wadjet", "--tool", "built-in", "--nodes", "200", "--games", "2"]
    assert main([*words, "--book", str(book), "--pgn", str(pgn)]) == 0
    printed = capsys.readouterr().out
    assert "2 games: +1 -1 =0 (50.0%), pairs 0 0 1 0 0" in printed
    assert "2 checkmate" in printed and "NOT CLEAN" not in printed
    with open(pgn) as file:
        first = chess.pgn.read_game(file)
    assert first is not None and first.end().board().is_checkmate()
    # Scores and depths are in the comments, so that `losses` can say where a game was lost.
    comments = [node.comment for node in first.mainline()]
    assert re.fullmatch(r"\+M1/[0-9]+, checkmate", comments[-1])
    assert re.fullmatch(r"-M[0-9]+/[0-9]+", comments[-2])
    assert main(["losses", str(pgn), "--engine", "base"]) == 0
    assert "in 1 of them the winner's score passes +1.00 for good" in capsys.readouterr().out


def test_an_xboard_engine_plays_by_its_clock_and_may_resign(tmp_path: Path, book: Path) -> None:
    """It is told the control once a game, its clock before every move."""
    heard, pgn = tmp_path / "heard", tmp_path / "match.pgn"
    command = f'{XBOARD_COMMAND} --resigns-at 4 --hears "{heard}"'
    contenders = Contender("one", command), Contender("two", XBOARD_COMMAND)
    conditions = Conditions(book, rounds=1, time_control="9+0.5")
    score = play_match("built-in", *contenders, conditions, pgn, lambda score: True)
    assert score.games == 2 and score.losses == 1 and not score.troubles
    with open(pgn) as file:
        games = [chess.pgn.read_game(file), chess.pgn.read_game(file)]
    ended = [game for game in games if game and game.end().comment.endswith("resigns")]
    assert len(ended) == 1 and ended[0].headers["Termination"] == "normal"
    lines = heard.read_text().splitlines()
    assert [line for line in lines if line.startswith("level")] == ["level 0 0:09 0.5"] * 2
    assert sum(line.startswith("time ") for line in lines) == lines.count("go") > 2


def test_an_xboard_engine_takes_no_limit_of_nodes(tmp_path: Path, book: Path) -> None:
    contenders = Contender("one", COMMAND), Contender("two", XBOARD_COMMAND)
    with pytest.raises(ValueError, match="two: XBoard engines play by the clock"):
        play_match(
            "built-in", *contenders, Conditions(book, rounds=1, nodes=100),
            tmp_path / "match.pgn", lambda score: True,
        )  # fmt: skip


def test_what_stops_every_game_is_said_once(tmp_path: Path, book: Path) -> None:
    contenders = Contender("one", f'"{sys.executable}" -c pass'), Contender("two", COMMAND)
    conditions = Conditions(book, rounds=4, nodes=1, concurrency=2)
    with pytest.raises(OSError, match="no game was played") as failure:
        play_match("built-in", *contenders, conditions, tmp_path / "match.pgn", lambda score: True)
    assert str(failure.value).count("not a UCI engine") == 1


@pytest.mark.parametrize("failure", [OSError("the disk is full"), KeyError("a bug")])
def test_a_built_in_match_that_breaks_off(
    tmp_path: Path,
    book: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
) -> None:
    class Table:
        def __init__(self, *_: object):
            self.games = 0

        def play(self, fen: str, white: int) -> chess.pgn.Game:
            self.games += 1
            if self.games > 3:
                raise failure
            players = {"White": ("new", "base")[white], "Black": ("base", "new")[white]}
            return chess.pgn.Game({"Event": "match", **players, "Result": "1-0"})

    monkeypatch.setattr(built_in, "Table", Table)
    words = ["sprt", "wadjet", "wadjet", "--tool", "built-in", "--games", "6", "--book", str(book)]
    words += ["--pgn", str(tmp_path / "match.pgn")]
    if isinstance(failure, KeyError):  # errors of ours keep their traceback
        with pytest.raises(KeyError, match="a bug"):
            main(words)
        return
    assert main(words) == 1
    printed = capsys.readouterr()
    assert "3 games: +2 -1 =0" in printed.out
    assert "built-in: ended after 3 of 6 games: the disk is full" in printed.err


@pytest.mark.parametrize("adjudicate", [True, False])
def test_decided_games_are_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], adjudicate: bool
) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "match.pgn"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    words = ["sprt", f"{COMMAND} --score 700", f"{COMMAND} --score -700", "--tool", "built-in"]
    words += ["--nodes", "1", "--games", "2", "--book", str(book), "--pgn", str(pgn)]
    assert main([*words, *(["--adjudicate"] if adjudicate else [])]) == 0
    printed = capsys.readouterr().out
    assert ("2 games: +2 -0 =0" in printed and "ends: 2 adjudication" in printed) == adjudicate
    assert "NOT CLEAN" not in printed
    with open(pgn) as file:
        lengths = [
            len(list(read.mainline())) for read in iter(lambda: chess.pgn.read_game(file), None)
        ]
    assert (lengths == [8, 7]) == adjudicate  # the loser's fourth move


SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def decisions(
    scores: Sequence[int | None], first_move: int = 1, moves: tuple[str, ...] = SHUFFLE
) -> list[str | None]:
    """What is decided after each move. `scores`: what its player says, own view."""
    board = chess.Board()
    board.fullmove_number = first_move
    adjudicator = Adjudicator()
    found = []
    for number, score in enumerate(scores):
        mover = board.turn
        board.push_uci(moves[number % len(moves)])
        told = None if score is None else chess.engine.PovScore(chess.engine.Cp(score), mover)
        found.append(adjudicator.result(board, told))
    return found


def test_who_is_far_behind_four_times_in_a_row_has_lost() -> None:
    assert decisions([0, -700] * 4) == [None] * 7 + ["1-0"]
    assert decisions([-9999, 0] * 4)[6] == "0-1"
    assert not any(decisions([0, -699] * 9))
    assert not any(decisions([0, -800] * 3 + [0, None] + [0, -800] * 3))


def test_a_draw_needs_eight_quiet_moves_of_both_from_move_forty_on() -> None:
    assert decisions([10, -10] * 8, 40) == [None] * 15 + ["1/2-1/2"]
    assert decisions([0] * 40, 25) == [None] * 31 + ["1/2-1/2"] * 9  # Black's 40th move
    assert not any(decisions([0] * 14 + [11] + [0] * 15, 60))
    capture = ("g1f3", "e7e5", "f3e5", "g8f6", "e5f3", "f6g8", "f3g1")
    found = decisions([0] * 18, 60, capture + ("g8f6", "g1f3", "f6g8", "f3g1") * 3)
    assert found == [None] * 17 + ["1/2-1/2"]  # counted anew from the capture on


def test_a_mate_is_far_behind() -> None:
    board = chess.Board()
    adjudicator = Adjudicator()
    for number, move in enumerate(SHUFFLE * 2):
        mated = chess.engine.PovScore(chess.engine.Mate(-5), board.turn)
        board.push_uci(move)
        result = adjudicator.result(board, mated)
        assert (result is None) == (number < 6)
