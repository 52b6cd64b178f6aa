"""Why a move is bad, in words: what the reply wins, and how. Read from the board and the engine's
line; where these do not show it, nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_NET = {1: "a pawn", 2: "about two pawns", 3: "a piece", 4: "more than a piece", 5: "a rook",
        6: "more than a rook", 7: "more than a rook"}  # fmt: skip
_MINOR = {chess.KNIGHT, chess.BISHOP}


@dataclass(frozen=True)
class Gain:
    """What a side wins by the first move of a line, with the exchanges that follow at once."""

    pawns: int  # less than 0: it loses so much
    words: str  # `wins a knight`; empty if it wins nothing for sure
    because: str = ""  # `, because nothing protects it`


def gain(board: chess.Board, line: Sequence[chess.Move], last: chess.Move | None = None) -> Gain:
    """For the side to move. `last`: the move that led here, which is on the board's stack; what it
    took counts against the side."""
    side, first = board.turn, line[0]
    lost = _captured(_before(board), last) if last is not None else []
    had = _balance(board, side) + sum(VALUES[kind] for kind in lost)
    taken: list[chess.PieceType] = []
    is_threat = _carries_out_a_threat(board, line)
    then, plies = board.copy(stack=False), 0
    for move in line:
        is_forced = then.is_capture(move) or then.is_check()
        if plies > (2 if is_threat else 0) and not is_forced:
            break
        (taken if then.turn == side else lost).extend(_captured(then, move))
        then.push(move)
        plies += 1
    net = _balance(then, side) - had
    is_quiet = not (is_threat or board.is_capture(first) or board.gives_check(first))
    if net <= (1 if is_quiet else 0) or _at_rest(then, line[plies:], side) <= had:
        return Gain(net, "")
    words = _what(taken, lost, net)
    if is_threat:
        return Gain(net, f"{_threat(board, line)} and {words}")
    return Gain(net, words, _why(board, first, last) if words.startswith("wins") else "")


def _before(board: chess.Board) -> chess.Board:
    """The position before the last move."""
    before = board.copy(stack=1)
    before.pop()
    return before


def _captured(board: chess.Board, move: chess.Move) -> list[chess.PieceType]:
    if not board.is_capture(move):
        return []
    return [board.piece_type_at(move.to_square) or chess.PAWN]  # en passant


def _balance(board: chess.Board, side: chess.Color) -> int:
    """In pawns, for the side."""
    return sum(
        value * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side)))
        for kind, value in VALUES.items()
    )


def _at_rest(board: chess.Board, line: Sequence[chess.Move], side: chess.Color) -> int:
    """The balance after the last quiet move of the line: its last exchange may be incomplete."""
    then, found = board.copy(stack=False), _balance(board, side)
    for move in line:
        is_quiet = not then.is_capture(move) and not move.promotion
        then.push(move)
        if is_quiet:
            found = _balance(then, side)
    return found


def _what(taken: Sequence[int], lost: Sequence[int], net: int) -> str:
    if not lost and len(taken) == 1 and VALUES[taken[0]] == net:
        return f"wins a {chess.piece_name(taken[0])}"
    if len(taken) == len(lost) == 1 and net == VALUES[taken[0]] - VALUES[lost[0]]:
        if taken[0] == chess.ROOK and lost[0] in _MINOR:
            return "wins the exchange"
        return f"wins a {chess.piece_name(taken[0])} for a {chess.piece_name(lost[0])}"
    return f"comes out {_NET.get(net, 'a queen')} ahead"


# --- Captures -----------------------------------------------------------------------------------


def _why(board: chess.Board, taking: chess.Move, last: chess.Move | None) -> str:
    """Why a capture wins something."""
    if not board.is_capture(taking) or board.is_en_passant(taking):
        return ""
    them, square = not board.turn, taking.to_square
    victim = f"{_named(board, square)} on {chess.square_name(square)}"
    then = board.copy(stack=False)
    then.push(taking)
    if any(move.to_square == square for move in then.legal_moves):
        ours, theirs = (len(board.attackers(side, square)) for side in (board.turn, them))
        if ours <= theirs or _exchange(then, square) > 0:
            return ""
        return f", because the {victim} is attacked more often than protected"
    guards = [one for one in then.attackers(them, square) if then.king(them) != one]
    pinned = [one for one in guards if then.is_pinned(them, one)]
    if pinned and len(pinned) == len(guards):
        return (
            f", because the {_named(then, pinned[0])} on {chess.square_name(pinned[0])} is pinned"
        )
    if then.attackers(them, square):
        return ""  # a check must be answered first, or only the king looks on
    if last is not None and last.to_square != square:
        if last.from_square in _before(board).attackers(them, square):
            return f", because the {_named(board, last.to_square)} no longer protects it"
    return f", because nothing protects the {victim}"


def _exchange(board: chess.Board, square: chess.Square) -> int:
    """What the side to move wins by exchanges on a square, its least piece first, or not at all."""
    takers = [move for move in board.legal_moves if move.to_square == square]
    if not takers:
        return 0
    taker = min(takers, key=lambda move: _value(board, move.from_square))
    then = board.copy(stack=False)
    then.push(taker)
    return max(0, _value(board, square) - _exchange(then, square))


# --- Threats that are carried out by the next move ----------------------------------------------


def _carries_out_a_threat(board: chess.Board, line: Sequence[chess.Move]) -> bool:
    """Does the side take nothing, and by its next move a piece that it attacks now?"""
    if len(line) < 3 or board.is_capture(line[0]) or line[1].to_square == line[2].to_square:
        return False
    then = board.copy(stack=False)
    then.push(line[0])
    victim = then.piece_at(line[2].to_square)
    if victim is None or victim.color == board.turn or victim.piece_type == chess.PAWN:
        return False
    attackers = then.attackers(board.turn, line[2].to_square)
    is_new = line[2].from_square not in board.attackers(board.turn, line[2].to_square)
    return line[2].from_square in attackers and is_new


def _threat(board: chess.Board, line: Sequence[chess.Move]) -> str:
    then = board.copy(stack=False)
    then.push(line[0])
    them, target, moved = not board.turn, line[2].to_square, line[0].to_square
    if line[2].from_square != moved:
        return f"uncovers an attack on the {_named(then, target)}"
    if then.is_pinned(them, target):
        return f"pins the {_named(then, target)}"
    others = [
        square
        for square in then.attacks(moved)
        if square != target and then.color_at(square) == them and _is_in_danger(then, square, moved)
    ]
    if others:
        other = max(others, key=lambda square: _value(then, square))
        return f"attacks the {_named(then, other)} and the {_named(then, target)} at once"
    return f"attacks the {_named(then, target)}"


def _is_in_danger(board: chess.Board, square: chess.Square, attacker: chess.Square) -> bool:
    """A king, a piece that is worth more than its attacker, or one that nothing protects."""
    kind, owner = board.piece_type_at(square), board.color_at(square)
    if kind == chess.PAWN:
        return False
    is_loose = not board.attackers(bool(owner), square)
    return is_loose or _value(board, square) > _value(board, attacker)


def _value(board: chess.Board, square: chess.Square) -> int:
    return VALUES.get(board.piece_type_at(square) or chess.PAWN, 100)  # a king's


def _named(board: chess.Board, square: chess.Square) -> str:
    return str(chess.piece_name(board.piece_type_at(square) or chess.PAWN))


# --- Mates --------------------------------------------------------------------------------------


def pattern_of(board: chess.Board, line: Sequence[chess.Move]) -> str:
    """` on the back rank` or the like, if the line ends with such a mate."""
    then = board.copy(stack=False)
    for move in line:
        then.push(move)
    king = then.king(then.turn)
    if king is None or not then.is_checkmate():
        return ""
    checkers = list(then.checkers())
    around = list(chess.SquareSet(chess.BB_KING_ATTACKS[king]))
    own = [square for square in around if then.color_at(square) == then.turn]
    if len(checkers) == 1 and then.piece_type_at(checkers[0]) == chess.KNIGHT and own == around:
        return ", a smothered mate"
    back = 0 if then.turn == chess.WHITE else 7
    ahead = [one for one in around if chess.square_rank(one) == (1 if back == 0 else 6)]
    on_the_rank = [one for one in checkers if chess.square_rank(one) == back]
    shut_in = all(then.piece_type_at(one) == chess.PAWN and one in own for one in ahead)
    if chess.square_rank(king) == back and on_the_rank and shut_in:
        return " on the back rank"
    return ""


# --- Moves in words -----------------------------------------------------------------------------


def in_words(board: chess.Board, move: chess.Move) -> str:
    """A legal move for people who do not read SAN well: `knight from g1 to f3`."""
    if board.is_castling(move):
        side = "king's" if board.is_kingside_castling(move) else "queen's"
        return f"castle on the {side} side"
    name = chess.piece_name(board.piece_type_at(move.from_square) or chess.PAWN)
    start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
    text = f"{name} from {start} to {end}"
    if board.is_capture(move):
        taken = board.piece_type_at(move.to_square) or chess.PAWN
        text = f"{name} from {start} takes the {chess.piece_name(taken)} on {end}"
    return text + (f" and becomes a {chess.piece_name(move.promotion)}" if move.promotion else "")
