"""openings.game: keys along a game, names of openings, and Chess960."""

from __future__ import annotations

import chess
import chess.polyglot
import pytest

from openings.game import NamedGame, read_names

GAME = "e4 c5 e5 d5 exd6 Nf6 Nf3 e5 Be2 Bxd6 O-O O-O"
START_KEY = 0x463B96181691FC9C


def follow(game: NamedGame, moves: str) -> int | None:
    return game.follow(None, moves.split())


@pytest.fixture(scope="module")
def game() -> NamedGame:
    return NamedGame()


def test_the_key_of_every_position_of_a_game(game: NamedGame) -> None:
    board = chess.Board()
    moves: list[str] = []
    for san in GAME.split():
        moves.append(board.push_san(san).uci())
        assert game.follow(None, moves) == chess.polyglot.zobrist_hash(board)
    assert game.follow(None, moves[:3]) != game.follow(None, moves[:4])  # and back again
    assert game.follow(None, ()) == START_KEY


def test_castling_in_both_notations(game: NamedGame) -> None:
    moves = "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 "
    key = follow(game, moves + "e1g1")
    assert key is not None
    assert follow(game, moves + "e1h1") == key


def test_the_last_named_position_names_the_game(game: NamedGame) -> None:
    follow(game, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5")
    assert game.opening is not None
    assert str(game.opening) == "C50 Italian Game: Giuoco Piano"
    follow(game, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 a2a4 h7h6 a4a5 h6h5")
    assert str(game.opening) == "C50 Italian Game: Giuoco Piano"
    game.follow(None, ())
    assert game.opening is None


def test_a_transposition_has_the_name_of_where_it_leads(game: NamedGame) -> None:
    follow(game, "g1f3 d7d5 d2d4 g8f6 c2c4 e7e6 b1c3")
    other_way = game.opening
    follow(game, "d2d4 d7d5 c2c4 e7e6 g1f3 g8f6 b1c3")
    assert game.opening == other_way
    assert other_way is not None
    assert other_way.code == "D37"


def test_a_position_without_a_past_has_a_name(game: NamedGame) -> None:
    game.follow("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", ())
    assert str(game.opening) == "C50 Italian Game: Giuoco Piano"


@pytest.mark.parametrize(
    "fen, has_key",
    [
        # The standard arrangement is one of the 960, in either way of writing its rights.
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", True),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", True),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", False),
        # The rook has left its corner, the king the e-file: the key could be that of a position
        # without rights, or with others.
        ("rnbqkbr1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBR1 w GAga - 0 1", False),
        ("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w HAha - 0 1", False),
        ("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1", True),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w HAkq - 0 1", False),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBRN w GAha - 0 1", False),
    ],
)
def test_only_normal_castling_has_a_key(game: NamedGame, fen: str, has_key: bool) -> None:
    assert (game.follow(fen, ()) is not None) == has_key


def test_what_python_chess_does_not_understand_has_no_key(game: NamedGame) -> None:
    assert game.follow("no position", ()) is None
    assert game.follow(None, ["e2e5"]) is None
    assert game.follow(None, ()) == START_KEY


def test_the_table_of_names_holds_every_code() -> None:
    names = read_names()
    assert len(names) > 3500
    codes = {opening.code for opening in names.values()}
    assert codes == {f"{volume}{number:02}" for volume in "ABCDE" for number in range(100)}
    assert START_KEY not in names
