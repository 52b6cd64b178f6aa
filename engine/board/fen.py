"""Plain Python: positions from and to FEN, with a reason when a text is not a chess position.

Accepted beyond the standard: four fields (the clocks are then 0 and 1), X-FEN and Shredder-FEN
castling rights, rights without a rook or king in place and en passant squares on which nothing
can be captured (both are dropped: programs really send them). Only in Chess960 may king and rook
stand elsewhere than on e1 and a1 or h1, on e8 and a8 or h8.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.board.attacks import king_attacked
from engine.board.constants import (
    BLACK,
    EMPTY,
    KING,
    MAX_MEN,
    NO_SQUARE,
    PAWN,
    ROOK,
    WHITE,
)
from engine.board.makemove import refresh
from engine.board.move import castled_king, castled_rook
from engine.board.notation import PIECE_LETTERS, square_index, square_name
from engine.board.position import Position
from engine.native.bits import bit, signed

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KING_FILE, ROOK_FILES = 4, (0, 7)  # in standard chess
NO_ROOK = -1


class PositionError(ValueError):
    """Why a text does not describe a chess position, in words for the user."""


@dataclass
class Setup:
    """A FEN, taken apart but not yet checked against the rules."""

    board: list[tuple[int, int] | None] = field(default_factory=lambda: [None] * 64)
    side: int = WHITE
    rooks: list[int] = field(default_factory=lambda: [NO_ROOK] * 4)  # castling rook by right
    dropped_rights: str = ""
    en_passant: int = NO_SQUARE
    halfmove_clock: int = 0
    fullmove_number: int = 1

    def squares_of(self, colour: int, kind: int) -> list[int]:
        piece = colour, kind
        return [square for square, found in enumerate(self.board) if found == piece]


def set_fen(pos: Position, fen: str, chess960: bool = False) -> str:
    """Set up `pos`. Returns a remark for the user, usually empty.

    Raises PositionError; what `pos` then holds is undefined.
    """
    setup = parse(fen, chess960)
    check(setup)
    load(setup, pos, chess960)
    if king_attacked(pos, pos.side ^ 1):
        raise PositionError("the side that is not to move is in check")
    if setup.dropped_rights:
        return f"castling {setup.dropped_rights} ignored: king or rook is not in its place"
    return ""


# --- Reading ---------------------------------------------------------------------------------


def parse(fen: str, chess960: bool) -> Setup:
    fields = fen.split()
    if len(fields) < 2:
        raise PositionError("a FEN needs at least a board and a side to move")
    if len(fields) > 6:
        raise PositionError("a FEN has six fields at most")
    fields += ["-", "-", "0", "1"][len(fields) - 2 :]
    setup = Setup()
    _read_board(setup, fields[0])
    if fields[1] not in ("w", "b"):
        raise PositionError(f"the side to move must be w or b, not {fields[1]!r}")
    setup.side = WHITE if fields[1] == "w" else BLACK
    _read_castling(setup, fields[2], chess960)
    if fields[3] != "-":
        setup.en_passant = square_index(fields[3])
        if setup.en_passant == NO_SQUARE:
            raise PositionError(f"{fields[3]!r} is not an en passant square")
    setup.halfmove_clock = max(0, _read_number(fields[4], "the halfmove clock"))
    setup.fullmove_number = max(1, _read_number(fields[5], "the move number"))
    return setup


def _read_board(setup: Setup, text: str) -> None:
    rows = text.split("/")
    if len(rows) != 8:
        raise PositionError(f"the board must have 8 ranks, not {len(rows)}")
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file = 0
        for letter in row:
            if letter in "12345678":
                file += int(letter)
            elif letter.lower() in PIECE_LETTERS:
                if file < 8:
                    colour = WHITE if letter.isupper() else BLACK
                    setup.board[8 * rank + file] = (
                        colour,
                        PIECE_LETTERS.index(letter.lower()),
                    )
                file += 1
            else:
                raise PositionError(f"{letter!r} is not a piece")
        if file != 8:
            raise PositionError(f"rank {rank + 1} has {file} squares instead of 8")


def _read_castling(setup: Setup, text: str, chess960: bool) -> None:
    """K and Q mean the outermost rook on that side (X-FEN), A to H a rook's file (Shredder)."""
    if text == "-":
        return
    for letter in text:
        if letter.lower() not in "kqabcdefgh":
            raise PositionError(f"{letter!r} is not a castling right")
        colour = WHITE if letter.isupper() else BLACK
        kings, rooks = (
            [s for s in setup.squares_of(colour, kind) if s >> 3 == 7 * colour]
            for kind in (KING, ROOK)
        )
        king = kings[0] if kings else NO_SQUARE
        match letter.lower():
            case "k":
                rooks = [s for s in rooks if s > king][-1:]
            case "q":
                rooks = [s for s in rooks if s < king][:1]
            case file:
                rooks = [s for s in rooks if s & 7 == ord(file) - ord("a")]
        at_home = king & 7 == KING_FILE and all(s & 7 in ROOK_FILES for s in rooks)
        if len(kings) == 1 and rooks and (chess960 or at_home):
            setup.rooks[2 * colour + (0 if rooks[0] > king else 1)] = rooks[0]
        else:
            setup.dropped_rights += letter


def _read_number(text: str, what: str) -> int:
    # int() alone would accept "1_0" and digits of other scripts.
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise PositionError(f"{what} must be a number, not {text[:20]!r}")
    return int(text)


# --- Checking --------------------------------------------------------------------------------


def check(setup: Setup) -> None:
    """Everything but the check to the side that has moved, which needs a loaded position. Nine
    pawns or queens beside eight pawns never arise in a game, but the search does not mind."""
    for colour, name in ((WHITE, "White"), (BLACK, "Black")):
        kings = setup.board.count((colour, KING))
        if kings != 1:
            raise PositionError(f"{name} has {kings} kings")
        if any(square >> 3 in (0, 7) for square in setup.squares_of(colour, PAWN)):
            raise PositionError(f"{name} has a pawn on the first or last rank")
    men = sum(piece is not None for piece in setup.board)
    if men > MAX_MEN:
        raise PositionError(f"there are {men} men on the board, more than {MAX_MEN}")


# --- Setting up ------------------------------------------------------------------------------


def load(setup: Setup, pos: Position, chess960: bool) -> None:
    pos.board[:] = [EMPTY if piece is None else piece[1] for piece in setup.board]
    words = [0, 0]
    for square, piece in enumerate(setup.board):
        if piece is not None:
            words[piece[0]] |= 1 << square
    pos.colours[:] = [signed(word) for word in words]
    pos.side = setup.side
    pos.ply = 0
    pos.chess960 = int(chess960)
    pos.fullmove_number = setup.fullmove_number
    now = pos.snapshots[0]
    now.halfmove_clock = now.reversible_plies = setup.halfmove_clock
    now.move = 0
    now.moved = now.captured = EMPTY
    now.en_passant = _plausible_en_passant(setup)
    _load_castling(setup, pos)
    refresh(pos)


def _plausible_en_passant(setup: Setup) -> int:
    """The en passant square if the enemy pawn that passed it stands where it must."""
    square = setup.en_passant
    if square == NO_SQUARE:
        return NO_SQUARE
    them = setup.side ^ 1
    rank = 2 if them == WHITE else 5
    # The pawn came from one side of the square and stands on the other.
    start, pawn = (square - 8, square + 8) if them == WHITE else (square + 8, square - 8)
    if square >> 3 != rank or setup.board[pawn] != (them, PAWN):
        return NO_SQUARE
    empty = setup.board[square] is None and setup.board[start] is None
    return square if empty else NO_SQUARE


def _load_castling(setup: Setup, pos: Position) -> None:
    pos.castling_kept[:] = 15
    pos.castling_rook[:] = NO_SQUARE
    pos.castling_empty[:] = 0
    pos.castling_safe[:] = 0
    rights = 0
    for right, rook in enumerate(setup.rooks):
        if rook == NO_ROOK:
            continue
        rights |= 1 << right
        king = setup.squares_of(right >> 1, KING)[0]
        king_to = castled_king(king, rook)
        rook_to = castled_rook(king, rook)
        pos.castling_rook[right] = rook
        pos.castling_kept[king] &= 15 ^ (3 << (right & 2))
        pos.castling_kept[rook] &= 15 ^ (1 << right)
        way = range(min(king, king_to), max(king, king_to) + 1)
        crossed = {*way, *range(min(rook, rook_to), max(rook, rook_to) + 1)} - {
            king,
            rook,
        }
        for square in way:
            pos.castling_safe[right] |= bit(square)
        for square in crossed:
            pos.castling_empty[right] |= bit(square)
    pos.snapshots[0].castling = rights


# --- Writing ---------------------------------------------------------------------------------


def to_fen(pos: Position) -> str:
    """The position as FEN. In Chess960 castling rights are written as files (Shredder-FEN)."""
    letters = piece_letters(pos)
    rows = []
    for rank in range(7, -1, -1):
        row = ""
        for letter in letters[8 * rank : 8 * rank + 8]:
            if letter:
                row += letter
            elif row[-1:].isdigit():
                row = row[:-1] + str(int(row[-1]) + 1)
            else:
                row += "1"
        rows.append(row)
    now = pos.snapshots[pos.ply]
    en_passant = "-" if now.en_passant == NO_SQUARE else square_name(now.en_passant)
    side = "w" if pos.side == WHITE else "b"
    numbers = f"{now.halfmove_clock} {pos.fullmove_number}"
    return f"{'/'.join(rows)} {side} {_castling_text(pos)} {en_passant} {numbers}"


def _castling_text(pos: Position) -> str:
    rights = [r for r in range(4) if pos.snapshots[pos.ply].castling & 1 << r]
    if pos.chess960:
        letters = [
            chr(ord("A" if right < 2 else "a") + (pos.castling_rook[right] & 7)) for right in rights
        ]
    else:
        letters = ["KQkq"[right] for right in rights]
    return "".join(letters) or "-"


def piece_letters(pos: Position) -> list[str]:
    """Of each square, as in FEN; empty for an empty square."""
    white = int(pos.colours[WHITE])
    letters = ["" if kind == EMPTY else PIECE_LETTERS[kind] for kind in pos.board.tolist()]
    return [
        letter.upper() if white >> square & 1 else letter for square, letter in enumerate(letters)
    ]
