"""Static exchange evaluation by recursion: slow, and plainly what is meant."""

from __future__ import annotations

import chess

Values = tuple[int, ...]  # by piece kind, pawn to king


def exchange_value(board: chess.Board, move: chess.Move, values: Values) -> int:
    """What `move` wins if both sides then take back on its square only as long as it pays."""
    if board.is_castling(move):
        return 0
    victim = board.piece_type_at(move.to_square)
    gain = values[victim - 1] if victim else 0
    kind = board.piece_type_at(move.from_square)
    assert kind is not None
    after = board.copy(stack=False)
    if board.is_en_passant(move):
        gain = values[0]
        after.remove_piece_at(move.to_square + (-8 if board.turn else 8))
    if move.promotion:
        gain += values[move.promotion - 1] - values[0]
        kind = move.promotion
    after.remove_piece_at(move.from_square)
    after.set_piece_at(move.to_square, chess.Piece(kind, board.turn))
    return gain - _best_capture(after, move.to_square, not board.turn, values)


def _best_capture(board: chess.Board, square: chess.Square, side: chess.Color, v: Values) -> int:
    """What `side` wins by taking on `square` with its least piece, or 0 for not taking."""
    attackers = [(board.piece_type_at(at) or 0, at) for at in board.attackers(side, square)]
    if not attackers:
        return 0
    kind, at = min(attackers)
    if kind == chess.KING and board.attackers(not side, square):
        return 0
    victim = board.piece_type_at(square)
    assert victim is not None
    after = board.copy(stack=False)
    after.remove_piece_at(at)
    after.set_piece_at(square, chess.Piece(kind, side))
    return max(0, v[victim - 1] - _best_capture(after, square, not side, v))
