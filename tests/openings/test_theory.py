"""How far a game follows known openings."""

from __future__ import annotations

import chess
import pytest

from openings.theory import known_plies


def plies(moves: str, lost: dict[int, float] | None = None, fen: str = chess.STARTING_FEN) -> int:
    """`lost`: points by ply, counted from 0; elsewhere nothing."""
    board = chess.Board(fen, chess960=fen != chess.STARTING_FEN)
    for san in moves.split():
        board.push_san(san)
    return known_plies(board, [(lost or {}).get(ply, 0.0) for ply in range(board.ply())], 10.0)


@pytest.mark.parametrize(
    "moves, known",
    [
        ("e4 e5 Nf3 Nc6 Bb5 a6", 6),
        ("e4 e5 f4 exf4 Nf3 g5", 6),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5", 10),
        ("e4 c5 Nf3 d6 Rg1 a6", 4),
        ("e4 e5 Nf3 Nc6 Ke2 a6", 4),
        ("", 0),
    ],
)
def test_a_game_is_known_until_the_first_move_that_leaves_it(moves: str, known: int) -> None:
    assert plies(moves) == known


def test_moves_on_the_way_to_a_name_are_known_unless_they_are_mistakes() -> None:
    fools_mate = "f3 e5 g4 Qh4#"
    assert plies(fools_mate) == 4
    assert plies(fools_mate, {0: 9.9}) == 4
    assert plies(fools_mate, {2: 50.0}) == 2
    assert plies(fools_mate, {0: 12.0}) == 0


def test_a_move_of_the_book_is_known_whatever_the_engine_thinks() -> None:
    assert plies("e4 e5", {0: 30.0, 1: 30.0}) == 2


def test_chess960_has_no_known_openings() -> None:
    fen = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1"
    assert plies("e4 e5", fen=fen) == 0
