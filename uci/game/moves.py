"""Moves as people type them, and why a move is not possible."""

from __future__ import annotations

import re

import chess

_CASTLING = re.compile(r"[0oO]-?[0oO](-?[0oO])?")
_CASTLING_WORDS = re.compile(
    r"castles?( ?(?:(?P<short>king'?s?|short)|(?P<long>queen'?s?|long)) ?(side)?)?", re.IGNORECASE
)
_COORDINATES = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([qrbn])?", re.IGNORECASE)
_SAN = re.compile(
    r"(?P<piece>[KQRBN])?(?P<from>[a-h]?[1-8]?)[x:-]?(?P<to>[a-h][1-8])=?\(?(?P<becomes>[QRBN])?\)?"
)


class MoveError(ValueError):
    """Text that is a move, but not one that is possible; the message says why."""


def read_move(board: chess.Board, text: str) -> chess.Move | None:
    """The legal move in `text`: SAN or UCI notation, with some licence (nf3, 0-0, e8=q, e2-e4).

    None if it does not look like a move. Raises MoveError if it does but is not possible.
    """
    bare = re.sub(r"(\s*e\.?p\.?)?[+#!?]*$", "", text.strip())
    if castling := _CASTLING.fullmatch(bare):
        return _castling(board, is_long=castling[1] is not None)
    if words := _CASTLING_WORDS.fullmatch(bare):
        return _castling_in_words(board, *words.group("short", "long"))
    if named := _COORDINATES.fullmatch(bare):
        return _by_coordinates(board, *named.groups())
    # As typed first: b stands for a file, unless only a bishop can go there.
    problems = []
    for variant in dict.fromkeys((bare, bare[:1].upper() + bare[1:], _promotion_upper(bare))):
        if san := _SAN.fullmatch(variant):
            try:
                return _by_san(board, san)
            except MoveError as reason:
                problems.append(reason)
    if problems:
        raise problems[0]
    return None


def _promotion_upper(text: str) -> str:
    """e8q and e8=q as SAN writes them."""
    return text[:-1] + text[-1:].upper() if re.search(r"[1-8]=?[qrbn]$", text) else text


def _castling(board: chess.Board, is_long: bool) -> chess.Move:
    try:
        return board.parse_san("O-O-O" if is_long else "O-O")
    except ValueError:
        pass
    side = "queen's" if is_long else "king's"
    if board.is_check():
        raise MoveError("You cannot castle out of check.")
    has_right = (board.has_queenside_castling_rights if is_long
                 else board.has_kingside_castling_rights)(board.turn)  # fmt: skip
    if not has_right:
        raise MoveError(f"You cannot castle on the {side} side any more: king or rook has moved.")
    raise MoveError(
        f"You cannot castle on the {side} side now: a piece stands between, or the king would "
        "cross a square that is attacked."
    )


def _castling_in_words(board: chess.Board, short: str | None, long: str | None) -> chess.Move:
    if short or long:
        return _castling(board, is_long=long is not None)
    possible = [move for move in board.legal_moves if board.is_castling(move)]
    if len(possible) > 1:
        raise MoveError("castle can mean O-O (king's side) or O-O-O (queen's side).")
    return possible[0] if possible else _castling(board, is_long=False)


def _by_coordinates(board: chess.Board, start: str, end: str, becomes: str | None) -> chess.Move:
    start, end = start.lower(), end.lower()
    source, target = chess.parse_square(start), chess.parse_square(end)
    piece = board.piece_at(source)
    if piece is None:
        raise MoveError(f"There is no piece on {start}.")
    if piece.color != board.turn:
        raise MoveError(f"The {chess.piece_name(piece.piece_type)} on {start} is not yours.")
    promotion = chess.PIECE_SYMBOLS.index(becomes.lower()) if becomes else None
    if piece.piece_type == chess.PAWN and chess.square_rank(target) in (0, 7):
        promotion = promotion or chess.QUEEN
    possible = [
        move
        for move in board.legal_moves
        if move.from_square == source and move.promotion == promotion
    ]
    for move in possible:
        if move.to_square == target:
            return move
    # Castling is the king's move, or the rook it takes, whatever the variant.
    for move in possible:
        if target in (castled_to(board, move), _castling_rook(board, move)):
            return move
    if piece.piece_type == chess.KING and chess.square_rank(source) == chess.square_rank(target):
        is_rook = board.piece_at(target) == chess.Piece(chess.ROOK, board.turn)
        if is_rook or chess.square_distance(source, target) == 2:
            return _castling(board, is_long=target < source)
    raise MoveError(_why_not(board, [chess.Move(source, target, promotion)], f"{start}-{end}"))


def castled_to(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """Where the king of a castling move stands afterwards; None for other moves."""
    if not board.is_castling(move):
        return None
    file = 6 if chess.square_file(move.to_square) > chess.square_file(move.from_square) else 2
    return chess.square(file, chess.square_rank(move.from_square))


def _castling_rook(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """The square of the rook of a castling move; None for other moves."""
    if not board.is_castling(move):
        return None
    rooks = board.clean_castling_rights() & chess.BB_RANKS[chess.square_rank(move.from_square)]
    return chess.msb(rooks) if board.is_kingside_castling(move) else chess.lsb(rooks)


def _by_san(board: chess.Board, san: re.Match[str]) -> chess.Move:
    kind = chess.PIECE_SYMBOLS.index((san["piece"] or "p").lower())
    target = chess.parse_square(san["to"])
    becomes = chess.PIECE_SYMBOLS.index(san["becomes"].lower()) if san["becomes"] else None
    if kind == chess.PAWN and chess.square_rank(target) in (0, 7):
        becomes = becomes or chess.QUEEN
    sources = [
        square
        for square in board.pieces(kind, board.turn)
        if all(mark in chess.square_name(square) for mark in san["from"])
    ]
    moves = [chess.Move(square, target, becomes) for square in sources]
    legal = [move for move in moves if board.is_legal(move)]
    # `d5` is a pawn's move straight ahead; only `exd5` captures.
    if kind == chess.PAWN and not san["from"]:
        legal = [move for move in legal if not board.is_capture(move)] or legal
    if len(legal) == 1:
        return legal[0]
    if legal:
        choice = " or ".join(board.san(move) for move in legal)
        raise MoveError(f"{san[0]} can mean {choice}.")
    if not moves:
        where = f" on {san['from']}" if san["from"] else ""
        raise MoveError(f"You have no {chess.piece_name(kind)}{where}.")
    raise MoveError(_why_not(board, moves, san[0]))


def _why_not(board: chess.Board, moves: list[chess.Move], text: str) -> str:
    """Why none of the moves, of pieces of the side to move, is legal."""
    name = chess.piece_name(board.piece_type_at(moves[0].from_square) or chess.PAWN)
    if any(board.is_pseudo_legal(move) for move in moves):
        if board.is_check():
            return f"{text} is not possible: your king is in check, and would still be."
        return f"{text} is not possible: your king would be in check."
    target = chess.square_name(moves[0].to_square)
    if board.color_at(moves[0].to_square) == board.turn:
        return f"{text} is not possible: your own piece stands on {target}."
    which = f"the {name} on {chess.square_name(moves[0].from_square)}"
    if len(moves) > 1:
        which = f"no {name} of yours"
        return f"{text} is not possible: {which} can go to {target}."
    return f"{text} is not possible: {which} cannot go to {target}."
