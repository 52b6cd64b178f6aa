"""Saving and resuming games."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from uci.game import files
from uci.game.game import Game, TimeControl


def game_of(*moves: str, **settings: object) -> Game:
    game = Game(**settings)  # type: ignore[arg-type]
    for move in moves:
        game.push(chess.Move.from_uci(move), 1500)
    return game


@pytest.mark.parametrize("person", [chess.WHITE, chess.BLACK])
@pytest.mark.parametrize("level", [None, 800])
@pytest.mark.parametrize("clock", [None, "5+3"])
@pytest.mark.parametrize("fen", [chess.STARTING_FEN, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"])
def test_all_of_a_game_comes_back(
    person: bool, level: int | None, clock: str | None, fen: str, tmp_path: Path
) -> None:
    control = TimeControl.read(clock) if clock else None
    game = game_of("e2e4", board=chess.Board(fen), person=person, level=level, control=control)
    files.write(game, tmp_path / "new" / "game.pgn")
    again = files.read(tmp_path / "new" / "game.pgn")
    assert (again.board, again.person, again.level) == (game.board, person, level)
    assert again.control == control and files.to_pgn(again) == files.to_pgn(game)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["game.pgn"]


def test_endings_come_back(tmp_path: Path) -> None:
    for end in (Game.resign, Game.agree_on_a_draw, lambda game: game.lose_on_time(True)):
        game = game_of("e2e4", "e7e5")
        end(game)
        files.write(game, tmp_path / "game.pgn")
        again = files.read(tmp_path / "game.pgn")
        assert again.ending is not None and game.ending is not None
        assert again.ending.result == game.ending.result


def read_text(text: str, folder: Path) -> Game:
    path = folder / "game.pgn"
    path.write_text(text, encoding="utf-8")
    return files.read(path)


def test_comments_and_variations_of_a_file_stay(tmp_path: Path) -> None:
    game = read_text("1. e4 {good} e5 (1... c5 2. Nf3) *", tmp_path)
    game.push(chess.Move.from_uci("g1f3"), 0)
    text = files.to_pgn(game)
    assert "{ good }" in text and "( 1... c5 2. Nf3 )" in text and text.endswith("2. Nf3 *")


def test_others_read_it() -> None:
    game = game_of("f2f3", "e7e5", "g2g4", "d8h4", level=800)
    text = files.to_pgn(game)
    assert '[Black "Wadjet' in text and "(level 800)" in text and '[Result "0-1"]' in text
    assert text.endswith("1. f3 e5 2. g4 Qh4# 0-1")


def test_in_games_of_others_the_person_is_to_move(tmp_path: Path) -> None:
    game = read_text('[White "Adams"]\n[Black "Torre"]\n\n1. e4 e5 2. d4 *', tmp_path)
    assert game.person == chess.BLACK and len(game.board.move_stack) == 3


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "no game"),
        ("hello", "hello, is no move"),
        ("1. Ke3 *", "Ke3, is illegal"),
        ('[FEN "rubbish"]\n\n1. e4 *', "rubbish|expected|position"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "impossible"),
        ("1. -- e5 *", "is a pass"),
        ('[Variant "Atomic"]\n\n1. e4 *', "Atomic is not chess"),
    ],
)
def test_broken_ones_are_refused_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.pgn"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=reason) as refused:
        files.read(path)
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)


def test_what_precedes_a_broken_move_is_loaded_and_the_rest_is_named(tmp_path: Path) -> None:
    game = read_text('[Result "1-0"]\n\n1. e4 e5\n2. Ke3 Nf6 1-0', tmp_path)
    assert [move.uci() for move in game.board.move_stack] == ["e2e4", "e7e5"]
    assert game.ending is None  # the result is that of the whole game
    reason = "move 2, Ke3, is illegal: loaded up to there"
    assert game.left_out == [f"{tmp_path / 'game.pgn'}:4: game 1: {reason}"]


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf1. e4 *", b'[White "Caf\xe9"]\n\n1. e4 *'])
def test_other_encodings(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_bytes(data)
    assert len(files.read(path).board.move_stack) == 1


def test_what_is_no_text_is_no_game(tmp_path: Path) -> None:
    path = tmp_path / "binary.pgn"
    path.write_bytes(bytes(range(256)) * 50)
    with pytest.raises(ValueError, match=r"binary\.pgn:1: [^\n]+$"):
        files.read(path)


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    for variable in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(OSError, match="home"):
        files.kept_path()
    for variable in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert files.kept_path().parent.parent == tmp_path


def test_lines_are_short_and_clocks_of_any_length_come_back(tmp_path: Path) -> None:
    game = game_of(*["g1f3", "g8f6", "f3g1", "f6g8"] * 20, control=TimeControl.read("0.33+1"))
    files.write(game, tmp_path / "game.pgn")
    assert max(map(len, (tmp_path / "game.pgn").read_text(encoding="utf-8").splitlines())) <= 80
    assert files.read(tmp_path / "game.pgn").control == game.control


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "game.pgn").mkdir()
    with pytest.raises(OSError, match=r"game\.pgn"):
        files.write(game_of("e2e4"), tmp_path / "game.pgn")
    assert [path.name for path in tmp_path.iterdir()] == ["game.pgn"]
