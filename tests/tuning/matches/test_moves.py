"""Moves are compared: which positions, after which searches, and what the difference is worth."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import chess
import pytest

from tests.tuning.fake_engine import COMMAND, XBOARD_COMMAND
from tuning.__main__ import main
from tuning.matches.moves import choose_positions

GAME = '[White "a"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n'
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n"
FIRST = str(next(iter(chess.Board().legal_moves)))


@pytest.fixture
def epd(tmp_path: Path) -> Path:
    path = tmp_path / "two.epd"
    path.write_text(2 * START, encoding="utf-8")
    return path


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "game.pgn"
    path.write_text(GAME, encoding="utf-8")
    return path


def chosen(path: Path, count: int, seed: int = 1) -> list[chess.Board]:
    return choose_positions(path, count, seed, print)


def test_what_moves_are_worth_and_how_many_differ(
    epd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = f"{COMMAND} --plays 1"
    words = ["--positions", str(epd), "--judge", f"{COMMAND} --score 0 --likes {FIRST}"]
    assert main(["moves", COMMAND, other, COMMAND, *words]) == 0
    worse, same = capsys.readouterr().out.splitlines()
    # A pawn is half a win and half a draw for python-chess, level 3 wins in a thousand.
    gain = 1000 * chess.engine.Cp(100).wdl(ply=0).expectation() - 500
    assert gain > 200
    assert f"{gain:.2f} +/- 0.00 thousandths of a point a move; 100.0% of 2 moves" in worse
    assert " 0.00 +/- 0.00 thousandths of a point a move; 0.0% of 2 moves" in same
    assert main(["moves", other, COMMAND, *words]) == 0
    assert f" -{gain:.2f} +/- 0.00 " in capsys.readouterr().out


def test_engines_search_what_they_had_searched_in_the_game(pgn: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    words = ["--positions", str(pgn), "--count", "100", "--before", "2", "--nodes", "7"]
    status = main(["moves", f'{COMMAND} --hears "{heard}"', COMMAND, *words, "--judge", COMMAND])
    assert status == 0
    told = heard.read_text(encoding="utf-8").split("ucinewgame\n")[1:]
    searched = []
    for game in told:
        positions = [line for line in game.splitlines() if line.startswith("position")]
        searched.append(tuple(len(line.partition("moves ")[2].split()) for line in positions))
        assert game.count("go nodes 7\n") == len(positions)
    assert sorted(searched) == [
        (0,), (0, 2), (0, 2, 4), (1,), (1, 3), (1, 3, 5), (2, 4, 6), (3, 5, 7)
    ]  # fmt: skip


def test_the_judge_has_options_of_its_own(epd: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    words = ["--positions", str(epd), "--judge-option", "Hash=64"]
    judge = f'{COMMAND} --hears "{heard}"'
    assert main(["moves", COMMAND, f"{COMMAND} --plays 1", *words, "--judge", judge]) == 0
    assert heard.read_text(encoding="utf-8").count("setoption name Hash value 64\n") == 1
    assert "value 16\n" not in heard.read_text(encoding="utf-8")


def test_each_position_is_as_likely_as_the_others(pgn: Path) -> None:
    counts = Counter(
        len(board.move_stack) for seed in range(1000) for board in chosen(pgn, 4, seed)
    )
    assert sorted(counts) == list(range(8))
    assert all(400 < count < 600 for count in counts.values())
    assert chosen(pgn, 4) == chosen(pgn, 4)
    assert len(chosen(pgn, 4)) == 4 and len(chosen(pgn, 100)) == 8


def test_forced_moves_are_no_choice(epd: Path) -> None:
    forced = "k7/8/1K6/8/8/8/8/7R b - -\n"  # Kb8 is its only move
    epd.write_text(START + forced, encoding="utf-8")
    assert [board.epd() for board in chosen(epd, 100)] == [START.strip()]
    epd.write_text(forced, encoding="utf-8")
    with pytest.raises(ValueError, match="no position with a choice of moves"):
        chosen(epd, 100)


def test_an_impossible_position_is_left_out(epd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without_king = "8/8/8/8/8/8/8/K7 w - -"
    epd.write_text(f"{without_king}\n{START}", encoding="utf-8")
    assert main(["moves", COMMAND, COMMAND, "--positions", str(epd), "--judge", COMMAND]) == 1
    printed = capsys.readouterr()
    assert "of 1 moves differ" in printed.out
    assert f"not a possible position: {without_king}" in printed.err


def test_what_cannot_be_read_of_a_game_is_said(
    pgn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pgn.write_text(GAME + "\n" + GAME.replace("Bb5", "Bh8"), encoding="utf-8")
    words = ["--positions", str(pgn), "--judge", COMMAND]
    assert main(["moves", COMMAND, COMMAND, *words]) == 1
    printed = capsys.readouterr()
    assert "of 12 moves differ" in printed.out
    assert f"{pgn}:" in printed.err and "Bh8" in printed.err


def test_what_was_found_is_printed_though_an_engine_dies(
    epd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--positions", str(epd), "--judge", COMMAND]
    assert main(["moves", f"{COMMAND} --dies-at 2", COMMAND, *words]) == 1
    printed = capsys.readouterr()
    assert "of 1 moves differ" in printed.out and "--dies-at 2: " in printed.err


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        ([COMMAND, XBOARD_COMMAND, "--judge", COMMAND], "no limit of nodes", 2),
        ([COMMAND, COMMAND, "--judge", "no-such-engine"], "no-such-engine", 1),
        ([COMMAND, COMMAND], "--judge", 2),
    ],
)
def test_bad_usage(
    words: list[str], said: str, status: int, epd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        ended = main(["moves", *words, "--positions", str(epd)])
    except SystemExit as stopped:
        ended = int(str(stopped.code))
    assert ended == status
    assert said in capsys.readouterr().err
