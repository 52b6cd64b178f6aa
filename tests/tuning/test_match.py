"""Games of match tools are counted right, and the built-in match plays."""

from __future__ import annotations

from pathlib import Path

import chess.pgn
import pytest

from tuning.__main__ import main
from tuning.match import GameReader, Score, find_tool

FASTCHESS = """[Event "Fastchess Tournament"]
[Round "{round}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[Termination "{termination}"]

1. e4 {{+0.20/12 0.1s}} e5 {{-0.10/11 0.1s, {end}}} {result}

"""


def game(
    number: int, white: str, black: str, result: str, termination: str = "normal", end: str = ""
) -> str:
    return FASTCHESS.format(
        round=number,
        white=white,
        black=black,
        result=result,
        termination=termination,
        end=end or "White mates",
    )


def test_pairs_are_put_together_by_their_round() -> None:
    score = Score("new")
    for text in (
        game(1, "new", "base", "1-0"),
        game(2, "new", "base", "1/2-1/2", end="Draw by stalemate"),
        game(2, "base", "new", "1-0"),
        game(1, "base", "new", "0-1", end="Black mates"),
        game(3, "new", "base", "0-1"),  # its second game is still on
    ):
        score.add(text)
    assert (score.wins, score.draws, score.losses) == (2, 1, 2)
    assert score.pairs == [0, 1, 0, 0, 1]
    assert score.ends["White mates"] == 3 and not score.troubles
    assert "pairs 0 1 0 0 1" in score.report()


@pytest.mark.parametrize(
    "termination, end",
    [
        ("time forfeit", "Black loses on time (12ms overrun)"),
        ("illegal move", "Black makes an illegal move"),
        ("abandoned", "Black disconnects"),
    ],
)
def test_games_that_say_nothing_about_chess_are_named(termination: str, end: str) -> None:
    score = Score("new")
    score.add(game(1, "new", "base", "1-0", termination, end))
    assert list(score.troubles) == [f"base: {end.split(' (')[0]}"]
    assert "NOT CLEAN" in score.report()


def test_an_unfinished_game_is_no_result() -> None:
    score = Score("new")
    score.add(game(1, "new", "base", "*", "unterminated", "No result"))
    assert score.games == 0 and score.troubles


def test_a_growing_file_is_read_game_by_game(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    reader = GameReader(path)
    assert reader.new_games() == []
    texts = [game(number, "a", "b", "1-0") for number in range(3)]
    written = "".join(texts)
    found = []
    for end in range(0, len(written) + 1, 37):
        path.write_text(written[:end])
        found += reader.new_games()
    path.write_text(written)
    found += reader.new_games(all_written=True)
    assert [text.strip() for text in found] == [text.strip() for text in texts]


def test_a_tool_that_is_not_there() -> None:
    assert find_tool("built-in") == "built-in"
    with pytest.raises(OSError, match="no-such-tool"):
        find_tool("no-such-tool")


@pytest.mark.jit_only
def test_the_built_in_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.epd"
    book.write_text("k7/8/1K6/8/8/8/8/7R w - -\n")
    pgn = tmp_path / "match.pgn"
    words = ["sprt", "wadjet", "wadjet", "--tool", "built-in", "--nodes", "200", "--games", "2"]
    assert main([*words, "--book", str(book), "--pgn", str(pgn)]) == 0
    printed = capsys.readouterr().out
    assert "2 games: +1 -1 =0 (50.0%), pairs 0 0 1 0 0" in printed
    assert "2 checkmate" in printed and "NOT CLEAN" not in printed
    with open(pgn) as file:
        first = chess.pgn.read_game(file)
    assert first is not None and first.end().board().is_checkmate()


@pytest.mark.parametrize(
    "words, message",
    [
        (["--tool", "no-such-tool"], "no-such-tool"),
        (["--tc", "fast"], "8+0.08"),
        (["--book", "no-such-book.pgn"], "no-such-book"),
        (["--elo0", "7"], "elo0 < elo1"),
        (["--games", "0"], "two games"),
        (["--option", "Hash"], "NAME=VALUE"),
    ],
)
def test_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    pgn = tmp_path / "match.pgn"
    assert main(["sprt", "wadjet", "wadjet", "--pgn", str(pgn), *words]) == 1
    assert message in capsys.readouterr().err
    assert not pgn.exists()


@pytest.mark.jit_only
def test_an_engine_that_does_not_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gauntlet", "/no/such/engine", "--tool", "built-in", "--games", "2"]
    assert main([*words, "--pgn", str(tmp_path / "match.pgn")]) == 1
    assert "/no/such/engine" in capsys.readouterr().err
