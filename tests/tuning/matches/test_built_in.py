"""The built-in match: what it plays, writes and adjudicates."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.pgn
import pytest

from tests.tuning.fake_engine import COMMAND, XBOARD_COMMAND
from tuning.__main__ import main
from tuning.matches import built_in
from tuning.matches.built_in import GameRunner
from tuning.matches.rules import Conditions, Contender, outcome_of
from tuning.matches.runner import play_match


@pytest.mark.jit_only
def test_the_built_in_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.epd"
    book.write_text("k7/8/1K6/8/8/8/8/7R b - -\n", encoding="utf-8")
    pgn = tmp_path / "match.pgn"
    words = ["match", "wadjet", "wadjet", "--tool", "built-in", "--nodes", "200", "--games", "2"]
    assert main([*words, "--book", str(book), "-o", str(pgn)]) == 0
    printed = capsys.readouterr().out
    assert "2 games: +1 -1 =0 (50.0%), pairs 0 0 1 0 0" in printed
    assert "2 checkmate" in printed and "NOT CLEAN" not in printed
    with open(pgn, encoding="utf-8") as file:
        first = chess.pgn.read_game(file)
    assert first is not None and first.end().board().is_checkmate()
    # Scores and depths are in the comments, so that `losses` can say where a game was lost.
    comments = [node.comment for node in first.mainline()]
    assert re.fullmatch(r"\+M1/[0-9]+, checkmate", comments[-1])
    assert re.fullmatch(r"-M[0-9]+/[0-9]+", comments[-2])
    assert main(["losses", str(pgn), "--engine", "1-wadjet"]) == 0
    assert "in 1 of them the winner's score passes +1.00 for good" in capsys.readouterr().out


def test_an_xboard_engine_plays_by_its_clock_and_may_resign(tmp_path: Path, book: Path) -> None:
    """It is told the control once a game, its clock before every move."""
    heard, pgn = tmp_path / "heard", tmp_path / "match.pgn"
    command = f'{XBOARD_COMMAND} --resigns-at 4 --hears "{heard}"'
    contenders = Contender("one", command), Contender("two", XBOARD_COMMAND)
    conditions = Conditions(book, rounds=1, time_control="9+0.5")
    score = play_match("built-in", *contenders, conditions, pgn, lambda score: True)
    assert score.games == 2 and score.losses == 1 and not score.troubles
    with open(pgn, encoding="utf-8") as file:
        games = [chess.pgn.read_game(file), chess.pgn.read_game(file)]
    ended = [game for game in games if game and game.end().comment.endswith("resigns")]
    assert len(ended) == 1 and ended[0].headers["Termination"] == "normal"
    lines = heard.read_text(encoding="utf-8").splitlines()
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


def test_a_draw_that_the_next_move_could_make_is_none() -> None:
    board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 99 80")
    assert outcome_of(board) is None
    for move, ending in (("a1a8", "CHECKMATE"), ("a1b1", "FIFTY_MOVES")):
        board.push_uci(move)
        outcome = outcome_of(board)
        assert outcome is not None and outcome.termination.name == ending
        board.pop()
    board = chess.Board()
    for number, move in enumerate(SHUFFLE * 2):
        assert outcome_of(board) is None, number
        board.push_uci(move)
    outcome = outcome_of(board)
    assert outcome is not None and outcome.termination.name == "THREEFOLD_REPETITION"


@pytest.mark.parametrize(
    "nodes, end", [(None, "loses on time"), (1, "stalls")], ids=["clock", "nodes"]
)
def test_an_engine_that_hangs_is_replaced(
    book: Path, monkeypatch: pytest.MonkeyPatch, nodes: int | None, end: str
) -> None:
    monkeypatch.setattr(built_in, "HUNG_S", 0.1)
    monkeypatch.setattr(built_in, "PATIENCE_S", 2.0)
    one = Contender("one", f"{COMMAND} --score 0 --hangs-at 2")
    two = Contender("two", f"{COMMAND} --score 0")
    with ExitStack() as stack:
        runner = GameRunner(stack, (one, two), Conditions(book, 1, time_control="2+0", nodes=nodes))
        games = [runner.play(chess.STARTING_FEN, white, 1 - white) for white in (0, 1)]
    assert [game.headers["Result"] for game in games] == ["0-1", "1-0"]
    assert all(game.end().comment.endswith(end) for game in games)


def test_an_interrupted_match_reports_its_games_and_drops_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(pairs: Sequence[int]) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("tuning.commands.match.elo", interrupt)  # shown after every game
    book, pgn = tmp_path / "book.epd", tmp_path / "match.pgn"
    other = chess.STARTING_FEN.replace("w KQkq", "w -")
    # Four moves each in the first game.
    book.write_text(f"{chess.STARTING_FEN}\n{other}\n", encoding="utf-8")
    words = ["match", f"{COMMAND} --score 700 --hangs-at 6", f"{COMMAND} --score -700"]
    words += ["--tool", "built-in", "--nodes", "1", "--games", "4", "--adjudicate"]
    assert main([*words, "--book", str(book), "-o", str(pgn)]) == 1
    printed = capsys.readouterr()
    assert "1 games: +1 -0 =0" in printed.out and "interrupted" in printed.err
    assert pgn.read_text(encoding="utf-8").count("[Event") == 1


def test_an_engine_that_dies_has_lost_and_is_replaced(book: Path) -> None:
    dying = Contender("dying", f"{COMMAND} --score 0 --dies-at 2")
    with ExitStack() as stack:
        runner = GameRunner(stack, (dying, dying), Conditions(book, 1, nodes=1))
        games = [runner.play(chess.STARTING_FEN, 0, 1) for _ in range(2)]
    assert [game.headers["Result"] for game in games] == ["0-1", "1-0"]
    assert all(game.end().comment.endswith("disconnect") for game in games)


def test_a_match_that_breaks_off(
    tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with book.open("a", encoding="utf-8") as file:
        file.write(f"not an opening\n{'8/' * 9}\n")
    pgn = tmp_path / "match.pgn"
    words = ["match", COMMAND, COMMAND, "--tool", "built-in", "--tc", "9", "--games", "6"]
    assert main([*words, "--seed", "5", "--book", str(book), "-o", str(pgn)]) == 1
    printed = capsys.readouterr()
    assert "2 games: " in printed.out
    assert "built-in: ended after 2 of 6 games: " in printed.err and "opening" in printed.err


def test_errors_of_our_own_keep_their_traceback(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(built_in, "_play_rounds", int)  # TypeError in the worker
    contenders = Contender("one", COMMAND), Contender("two", COMMAND)
    conditions = Conditions(book, rounds=1, nodes=1)
    with pytest.raises(TypeError):
        play_match("built-in", *contenders, conditions, tmp_path / "match.pgn", lambda score: True)


@pytest.mark.parametrize("adjudicate", [True, False])
def test_decided_games_are_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], adjudicate: bool
) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "match.pgn"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n", encoding="utf-8")
    words = ["match", f"{COMMAND} --score 700", f"{COMMAND} --score -700", "--tool", "built-in"]
    words += ["--nodes", "1", "--games", "2", "--book", str(book), "-o", str(pgn)]
    assert main([*words, *(["--adjudicate"] if adjudicate else [])]) == 0
    printed = capsys.readouterr().out
    assert ("2 games: +2 -0 =0" in printed and "ends: 2 adjudication" in printed) == adjudicate
    assert "NOT CLEAN" not in printed
    with open(pgn, encoding="utf-8") as file:
        lengths = [
            len(list(read.mainline())) for read in iter(lambda: chess.pgn.read_game(file), None)
        ]
    assert (lengths == [8, 7]) == adjudicate  # the loser's fourth move


SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
