"""What moves cost: marks, accuracy, and reasons in words. docs/analysing.md has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import chess
import chess.pgn

from openings.game import NamedGame, Opening
from uci.analysis.lines import Analysis, Line

FORGIVING = 25.0  # accuracy falls e-fold for so many points lost
LONGEST_LINE = 5  # plies, in an explanation

_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_LOSSES = {1: "a pawn", 2: "about two pawns", 3: "a piece", 4: "more than a piece", 5: "a rook",
           6: "more than a rook", 7: "more than a rook", 8: "a queen", 9: "a queen"}  # fmt: skip


class Mark(Enum):
    """A judgement of a move: from how many points lost, sign, NAG of PGN, name, its plural."""

    INACCURACY = (5.0, "?!", 6, "Inaccuracy", "inaccuracies")
    MISTAKE = (10.0, "?", 2, "Mistake", "mistakes")
    BLUNDER = (20.0, "??", 4, "Blunder", "blunders")

    def __init__(self, least: float, sign: str, nag: int, title: str, plural: str) -> None:
        self.least = least
        self.sign = sign
        self.nag = nag
        self.title = title
        self.plural = plural

    def counted(self, count: int) -> str:
        return f"{count} {self.title.lower() if count == 1 else self.plural}"


def mark(lost: float) -> Mark | None:
    """For a move that loses so many of 100 points."""
    return next((one for one in reversed(Mark) if lost >= one.least), None)


def move_accuracy(lost: float) -> float:
    """Percent: 100 for a move that loses nothing."""
    return 100 * math.exp(-max(0.0, lost) / FORGIVING)


def accuracy(lost: Sequence[float]) -> float | None:
    """Percent: the mean over a side's moves; None if it had no choice to make."""
    return sum(map(move_accuracy, lost)) / len(lost) if lost else None


# --- One move -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoveReview:
    """A move, and what the engine thought before and after it."""

    board: chess.Board  # before the move
    move: chess.Move
    before: Line
    after: Line

    @property
    def points(self) -> tuple[float, float]:
        """Of 100, what the side that moved could expect before and after."""
        return self.before.points(self.board.turn), self.after.points(self.board.turn)

    @property
    def lost(self) -> float:
        """Of 100 points; 0 for the best move."""
        if self.before.moves[:1] == (self.move,):
            return 0.0
        before, after = self.points
        return max(0.0, before - after)

    @property
    def mark(self) -> Mark | None:
        return mark(self.lost)

    @property
    def is_forced(self) -> bool:
        """Whether it was the only legal move: it says nothing about the player."""
        return self.board.legal_moves.count() == 1

    @property
    def name(self) -> str:
        """The move as in a score sheet, with its mark: `12. Nf3?!`"""
        sign = self.mark.sign if self.mark else ""
        return str(self.board.variation_san([self.move])) + sign

    def explanation(self) -> list[str]:
        """Sentences for the player: what the move cost, what it allowed, what was better."""
        side = self.board.turn
        before, after = self.points
        sentences = [f"Your chances fell from {before:.0f} to {after:.0f} %."]
        answer = self.board.copy(stack=False)
        answer.push(self.move)
        reply = answer.variation_san(self.after.moves[:LONGEST_LINE])
        if mate := self.after.mate_for(not side):
            sentences.append(f"It allows mate in {mate}: {reply}.")
        elif mate := self.before.mate_for(side):
            sentences.append(f"It misses mate in {mate}.")
        elif answer.is_stalemate():
            sentences.append("It is stalemate: the opponent has no move, so it is a draw.")
        elif reply:
            cost = _LOSSES.get(min(9, _material_lost(self.board, self.move, self.after.moves)))
            sentences.append(f"It loses {cost}: {reply}." if cost else f"The answer is {reply}.")
        line = self.board.variation_san(self.before.moves[:LONGEST_LINE])
        sentences.append(f"Better was {in_words(self.board, self.before.moves[0])}: {line}.")
        return sentences


def _material_lost(board: chess.Board, move: chess.Move, line: tuple[chess.Move, ...]) -> int:
    """In pawns, after the answer to `move` and the exchanges that follow it at once."""
    side = board.turn
    then = board.copy(stack=False)
    had = _balance(then, side)
    then.push(move)
    for number, reply in enumerate(line):
        if number > 0 and not then.is_capture(reply) and not then.is_check():
            break
        then.push(reply)
    return had - _balance(then, side)


def _balance(board: chess.Board, side: chess.Color) -> int:
    return sum(
        value * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side)))
        for kind, value in _VALUES.items()
    )


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


# --- A whole game -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Review:
    game: chess.pgn.Game
    analyses: Sequence[Analysis]  # one more than moves
    moves: Sequence[MoveReview]
    opening: Opening | None

    @property
    def title(self) -> str:
        return f"{players_of(self.game) or 'Game'}  {self.game.headers.get('Result', '*')}"

    @property
    def accuracies(self) -> tuple[float | None, float | None]:
        """White's and Black's, in percent."""
        white, black = (
            accuracy([move.lost for move in self._of(side) if not move.is_forced])
            for side in (chess.WHITE, chess.BLACK)
        )
        return white, black

    def count(self, side: chess.Color, wanted: Mark) -> int:
        """How many moves of White (True) or Black have that mark."""
        return sum(move.mark is wanted for move in self._of(side))

    def _of(self, side: chess.Color) -> Sequence[MoveReview]:
        return [move for move in self.moves if move.board.turn == side]


def review(game: chess.pgn.Game, analyses: Sequence[Analysis]) -> Review:
    """`analyses` are those of the positions of the main line, the first one included."""
    board = game.board()
    moves = []
    for node, before, after in zip(game.mainline(), analyses, analyses[1:], strict=False):
        moves.append(MoveReview(board.copy(stack=False), node.move, before.line, after.line))
        board.push(node.move)
    names = NamedGame()
    names.follow(board.root().fen(), [move.uci() for move in board.move_stack])
    return Review(game, analyses, moves, names.opening)


def players_of(game: chess.pgn.Game) -> str:
    """`White - Black`; empty if both are unknown."""
    white, black = game.headers.get("White", "?"), game.headers.get("Black", "?")
    return "" if white == black == "?" else f"{white} - {black}"
