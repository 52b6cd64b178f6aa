"""Moves as people type them."""

from __future__ import annotations

import chess
import pytest

from uci.game.moves import MoveError, read_move

PROMOTION = "3nk3/4P3/8/8/8/8/8/4K3 w - - 0 1"
TWO_KNIGHTS = "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1"
BISHOP_AND_PAWN = "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
TAKES_ROOK = "4k3/P7/8/3pP3/8/8/1N3N2/R3K2R w KQ d6 0 1"
CHESS960 = "4k3/8/8/8/8/8/8/1RK1R3 w EB - 0 1"


@pytest.mark.parametrize(
    "fen, typed, meant",
    [
        (chess.STARTING_FEN, "e4", "e2e4"),
        (chess.STARTING_FEN, "E2E4", "e2e4"),
        (chess.STARTING_FEN, "e2-e4", "e2e4"),
        (chess.STARTING_FEN, "Nf3!?", "g1f3"),
        (chess.STARTING_FEN, "nf3", "g1f3"),
        (chess.STARTING_FEN, "Ng1-f3+", "g1f3"),
        (PROMOTION, "exd8", "e7d8q"),
        (PROMOTION, "exd8=n", "e7d8n"),
        (PROMOTION, "exd8R+", "e7d8r"),
        (PROMOTION, "e7d8", "e7d8q"),
        (PROMOTION, "e7d8b", "e7d8b"),
        (TWO_KNIGHTS, "Nbd2", "b1d2"),
        (TWO_KNIGHTS, "nfd2", "f1d2"),
        (BISHOP_AND_PAWN, "bxc3", "b2c3"),
        (BISHOP_AND_PAWN, "Bxc3", "d2c3"),
        (BISHOP_AND_PAWN, "be3", "d2e3"),  # no pawn can go there
        (BISHOP_AND_PAWN, "c3", "b2c3"),  # the only pawn that can go there
        (CASTLING, "O-O", "e1g1"),
        (CASTLING, "0-0-0", "e1c1"),
        (CASTLING, "oo", "e1g1"),
        (CASTLING, "e1g1", "e1g1"),
        (CASTLING, "e1h1", "e1g1"),
        (CASTLING, "E1-A1", "e1c1"),
        (CASTLING, "castle kingside", "e1g1"),
        (CASTLING, "castles queen side", "e1c1"),
        (CASTLING, "Castle long", "e1c1"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castle", "e1g1"),
        (TAKES_ROOK, "e1h1", "e1g1"),
        (TAKES_ROOK, "O-O", "e1g1"),
        (TAKES_ROOK, "castle kingside", "e1g1"),
        (TAKES_ROOK, "e1a1", "e1c1"),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8a8", "e8c8"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
    ],
)
def test_are_understood(fen: str, typed: str, meant: str) -> None:
    assert read_move(chess.Board(fen), typed) == chess.Move.from_uci(meant)


@pytest.mark.parametrize("typed", ["c1e1", "c1g1", "O-O"])
def test_castling_of_chess960(typed: str) -> None:
    board = chess.Board(CHESS960, chess960=True)
    assert read_move(board, typed) == chess.Move.from_uci("c1e1")


@pytest.mark.parametrize(
    "fen, typed, reason",
    [
        (chess.STARTING_FEN, "Ke3", "the king on e1 cannot go to e3"),
        (chess.STARTING_FEN, "Bd2", "your own piece stands on d2"),
        (chess.STARTING_FEN, "Ne5", "no knight of yours can go to e5"),
        (chess.STARTING_FEN, "e3e4", "no piece on e3"),
        (chess.STARTING_FEN, "e7e5", "The pawn on e7 is not yours"),
        (chess.STARTING_FEN, "O-O", "a piece stands between"),
        (chess.STARTING_FEN, "e1h1", "king's side now: a piece stands between"),
        (chess.STARTING_FEN, "e1c1", "queen's side now: a piece stands between"),
        (chess.STARTING_FEN, "castle", "a piece stands between"),
        (CASTLING, "castle", "can mean O-O"),
        (TWO_KNIGHTS, "Nd2", "can mean Nbd2 or Nfd2"),
        (TWO_KNIGHTS, "Qd2", "You have no queen"),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "O-O", "king or rook has moved"),
        ("4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "castle out of check"),
        ("4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1", "Rh2", "your king is in check"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "Bd3", "your king would be in check"),
    ],
)
def test_impossible_ones_are_refused_with_the_reason(fen: str, typed: str, reason: str) -> None:
    with pytest.raises(MoveError, match=reason):
        read_move(chess.Board(fen), typed)


@pytest.mark.parametrize("typed", ["", "hello", "e9", "Nf9", "resing", "1. e4", "♘f3", "e2e4e5"])
def test_what_is_no_move(typed: str) -> None:
    assert read_move(chess.Board(), typed) is None
