"""The game at the terminal: endings, clocks, taking back."""

from __future__ import annotations

import chess
import pytest

from engine.board.ending import ending_by_rule
from uci.game.game import Game, TimeControl


def play(game: Game, *moves: str, spent_ms: float = 0) -> None:
    for move in moves:
        game.push(chess.Move.from_uci(move), spent_ms)


def clocks(game: Game) -> tuple[int, int]:
    return game.clock_ms(chess.WHITE), game.clock_ms(chess.BLACK)


@pytest.mark.parametrize(
    "fen, result, reason",
    [
        ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "1-0", "Checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "1/2-1/2", "Stalemate"),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "1/2-1/2", "Nobody can mate any more"),
        ("4k3/8/8/8/8/8/8/4KR2 w - - 100 90", "1/2-1/2", "Fifty moves"),
    ],
)
def test_endings_by_rule(fen: str, result: str, reason: str) -> None:
    ending = Game(chess.Board(fen)).ending
    assert ending is not None and ending.result == result and ending.reason.startswith(reason)


def test_the_third_repetition_is_a_draw_and_no_sooner() -> None:
    game = Game()
    play(game, *["g1f3", "g8f6", "f3g1", "f6g8"] * 2)
    assert game.ending is not None and game.ending.winner is None
    assert game.undo() and ending_by_rule(game.board, claimed=True) is None


def test_clocks_lose_time_and_gain_increments() -> None:
    game = Game(control=TimeControl.read("1+2"))
    play(game, "e2e4", spent_ms=10_000)
    play(game, "e7e5", spent_ms=500)
    assert clocks(game) == (52_000, 61_500)
    assert game.undo() and clocks(game) == (60_000, 60_000)


def test_a_new_control_gives_the_whole_time_again() -> None:
    game = Game(control=TimeControl.read("1+2"))
    play(game, "e2e4", spent_ms=10_000)
    game.set_control(TimeControl.read("5+3"))
    assert clocks(game) == (300_000, 300_000)


@pytest.mark.parametrize("text", ["", "5", "0.5", "5+3", "600+600"])
def test_clocks_are_written_as_minutes_and_seconds(text: str) -> None:
    if text:
        assert str(TimeControl.read(text)).removesuffix("+0") == text
    else:
        with pytest.raises(ValueError, match=r"5\+3"):
            TimeControl.read(text)


@pytest.mark.parametrize("text", ["0", "x", "5+", "-3", "5:30", "601", "5+601", "nan", "\u0665"])
def test_senseless_clocks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="minutes and seconds"):
        TimeControl.read(text)


def test_a_new_control_in_the_middle_of_a_game_can_be_undone_past() -> None:
    game = Game()
    play(game, "e2e4", "e7e5")
    game.set_control(TimeControl.read("3"))
    play(game, "g1f3", "b8c6", spent_ms=1000)
    assert game.undo() and game.undo() and not game.undo()
    assert clocks(game) == (180_000, 180_000)


def test_undo() -> None:
    game = Game()
    assert not game.undo()
    play(game, "e2e4", "e7e5", "g1f3", "b8c6")
    assert game.undo()
    assert [move.uci() for move in game.board.move_stack] == ["e2e4", "e7e5"]


def test_undo_of_an_ending_that_was_no_move_keeps_the_moves() -> None:
    game = Game()
    play(game, "e2e4", "e7e5")
    for end in (game.resign, game.agree_on_a_draw, lambda: game.lose_on_time(chess.WHITE)):
        end()
        assert game.ending is not None and game.undo()
        assert game.ending is None and len(game.board.move_stack) == 2


def test_undo_of_mate_takes_back_the_move_that_allowed_it() -> None:
    game = Game()
    play(game, "f2f3", "e7e5", "g2g4", "d8h4")
    assert game.ending is not None and game.ending.winner == chess.BLACK
    assert game.undo() and len(game.board.move_stack) == 2 and game.ending is None


def test_black_does_not_take_back_the_engines_first_move() -> None:
    game = Game(person=chess.BLACK)
    play(game, "e2e4")
    assert not game.undo() and len(game.board.move_stack) == 1


def test_time_is_no_loss_against_a_bare_king() -> None:
    game = Game(chess.Board("4k3/8/8/8/8/8/8/4KR2 w - - 0 1"))
    game.lose_on_time(chess.WHITE)
    assert game.ending is not None and game.ending.result == "1/2-1/2"


def test_what_was_tried_beside_the_game_stays_beside_it() -> None:
    game = Game()
    play(game, "e2e4", "e7e5")
    game.record.add_variation(chess.Move.from_uci("d2d4")).add_main_variation(
        chess.Move.from_uci("d7d5")
    )
    play(game, "g1f3")
    assert [move.uci() for move in game.record.end().board().move_stack] == ["e2e4", "e7e5", "g1f3"]
    assert game.undo() and game.record.end().board() == game.board
