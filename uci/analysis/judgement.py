"""What moves cost people: marks, accuracy, and reasons in words. docs/people.md has the rules.

`review` judges a game. Terminal, PGN and page show its `Review`: a `Standing` for each position
(bar, graph, score, words), a `MoveReview` for each move (mark, NAG, name, sentences), and an
`Accuracy` for each side. They judge nothing themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import chess
import chess.pgn

from engine.people import BLUNDER, INACCURACY, MIDDLE_RATING, MISTAKE, accuracy, is_decided
from openings.game import NamedGame, Opening
from openings.pgn import players_of
from openings.theory import known_plies
from uci.analysis.lines import Analysis
from uci.analysis.reasons import gain, in_words, pattern_of
from uci.analysis.standing import Standing

SHORT_MATE = 3  # full moves: people are expected to see it
LONGEST_LINE = 5  # plies, in an explanation


class Mark(Enum):
    """A judgement of a move: from how many points lost, sign, NAG of PGN, name, its plural."""

    INACCURACY = (INACCURACY, "?!", 6, "Inaccuracy", "inaccuracies")
    MISTAKE = (MISTAKE, "?", 2, "Mistake", "mistakes")
    BLUNDER = (BLUNDER, "??", 4, "Blunder", "blunders")

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


# --- One move -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoveReview:
    """A move, and how the game stood before and after it."""

    board: chess.Board  # before the move; its stack has the move that led there
    move: chess.Move
    before: Standing
    after: Standing
    is_known: bool = False  # part of a known opening, which nobody is blamed for

    def points(self, rating: int | None = None) -> tuple[float, float]:
        """Of 100, what the side that moved could expect before and after; None: these players."""
        side = self.board.turn
        return self.before.points(side, rating), self.after.points(side, rating)

    @property
    def is_best(self) -> bool:
        return self.before.line.moves[:1] == (self.move,)

    def lost(self, rating: int | None = None) -> float:
        """Of 100 points; 0 for the best move."""
        before, after = self.points(rating)
        return 0.0 if self.is_best else max(0.0, before - after)

    @property
    def is_decided(self) -> bool:
        """Whether the game stays won or lost by far."""
        return is_decided(*self.points(MIDDLE_RATING))

    @property
    def missed_mate(self) -> int | None:
        """In how many moves the side could mate; None if it could not, or still mates."""
        mate = self.before.line.mate_for(self.board.turn)
        still = self.after.winner == self.board.turn
        return None if self.is_best or (still and mate != 1) or self.after.line.mate == 0 else mate

    @property
    def allowed_mate(self) -> int | None:
        """In how many moves the opponent mates now, if it could be avoided."""
        opponent = not self.board.turn
        if self.is_best or self.before.line.mate_for(opponent):
            return None
        return self.after.line.mate_for(opponent)

    @property
    def mark(self) -> Mark | None:
        found = mark(self.lost())
        short = (self.missed_mate or self.allowed_mate or SHORT_MATE + 1) <= SHORT_MATE
        if self.is_decided:
            return Mark.INACCURACY if short or (found and self.missed_mate is None) else None
        if found is None and short:
            return Mark.INACCURACY
        excused = self.is_known and self.allowed_mate is None and self.missed_mate is None
        return None if excused else found

    @property
    def label(self) -> str:
        """`blunder`, `missed mate in 2`, `book`; empty for a move without remark."""
        if self.mark is None:
            return "book" if self.is_known else ""
        if self.missed_mate is not None:
            return f"{self.mark.title.lower()}, missed mate in {self.missed_mate}"
        return self.mark.title.lower()

    @property
    def is_forced(self) -> bool:
        """Whether it was the only legal move: it says nothing about the player."""
        return self.board.legal_moves.count() == 1

    @property
    def counts(self) -> bool:
        """Whether the move belongs into the accuracy of its side."""
        return not (self.is_forced or self.is_known or self.is_decided)

    @property
    def name(self) -> str:
        """The move as in a score sheet, with its mark: `12. Nf3?!`"""
        sign = self.mark.sign if self.mark else ""
        return str(self.board.variation_san([self.move])) + sign

    def reason(self) -> str:
        """What the move allows or misses, as a sentence; empty if nothing is sure."""
        side, line = self.board.turn, self.after.line.moves
        answer = self.board.copy()
        answer.push(self.move)
        reply = answer.variation_san(line[:LONGEST_LINE])
        if mate := self.after.line.mate_for(not side):
            return f"It allows mate in {mate}{pattern_of(answer, line)}: {reply}."
        if self.after.is_over and self.after.winner is None:
            ending = self.after.line.ending
            return f"It is a draw: {ending[0].lower()}{ending[1:]}."
        if mate := self.missed_mate:
            return f"It misses mate in {mate}."
        last = self.board.peek() if self.board.move_stack else None
        best = gain(self.board, self.before.line.moves, last)
        theirs = gain(answer, line, self.move)
        if theirs.words and theirs.pawns + best.pawns > 0:
            return f"{answer.variation_san(line[:1])} {theirs.words}{theirs.because}."
        if best.words and theirs.pawns >= 0:
            better = self.board.variation_san(self.before.line.moves[:1])
            return f"It misses {better}, which {best.words}{best.because}."
        return ""

    def explanation(self) -> list[str]:
        """Sentences for the player: what the move cost, what it allowed, what was better."""
        before, after = (round(points) for points in self.points())
        sentences = [f"Your chances fell from {before} to {after} %."] if after < before else []
        answer = self.board.copy(stack=False)
        answer.push(self.move)
        if reason := self.reason():
            sentences.append(reason)
        elif reply := answer.variation_san(self.after.line.moves[:LONGEST_LINE]):
            sentences.append(f"The answer is {reply}.")
        line = self.board.variation_san(self.before.line.moves[:LONGEST_LINE])
        better = in_words(self.board, self.before.line.moves[0])
        sentences.append(f"Better was {better}: {line}.")
        return sentences


# --- A whole game -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Accuracy:
    percent: float
    moves: int  # that count

    def __str__(self) -> str:
        return f"{self.percent:.1f}% of {self.moves} move{'s' if self.moves > 1 else ''}"


@dataclass(frozen=True)
class Review:
    game: chess.pgn.Game
    analyses: Sequence[Analysis]  # one more than moves
    standings: Sequence[Standing]  # of the same positions
    moves: Sequence[MoveReview]
    opening: Opening | None

    @property
    def title(self) -> str:
        return f"{players_of(self.game) or 'Game'}  {self.game.headers.get('Result', '*')}"

    def accuracy(self, side: chess.Color) -> Accuracy | None:
        """None if no move of the side counts."""
        lost = [move.lost(MIDDLE_RATING) for move in self._of(side) if move.counts]
        percent = accuracy(lost)
        return None if percent is None else Accuracy(percent, len(lost))

    def count(self, side: chess.Color, wanted: Mark) -> int:
        """How many moves of White (True) or Black have that mark."""
        return sum(move.mark is wanted for move in self._of(side))

    def _of(self, side: chess.Color) -> Sequence[MoveReview]:
        return [move for move in self.moves if move.board.turn == side]


def review(game: chess.pgn.Game, analyses: Sequence[Analysis], rating: int | None = None) -> Review:
    """`analyses` are those of the positions of the main line, the first one included. `rating`: of
    both players; None: as the tags say."""
    rating = rating or rating_in(game)
    standings = [Standing(analysis.line, rating) for analysis in analyses]
    board, moves = game.board(), []
    for node, before, after in zip(game.mainline(), standings, standings[1:], strict=False):
        moves.append(MoveReview(board.copy(stack=1), node.move, before, after))
        board.push(node.move)
    known = known_plies(board, (move.lost() for move in moves), MISTAKE)
    moves[:known] = [replace(move, is_known=True) for move in moves[:known]]
    names = NamedGame()
    names.follow(board.root().fen(), [move.uci() for move in board.move_stack])
    return Review(game, analyses, standings, moves, names.opening)


def rating_in(game: chess.pgn.Game) -> int:
    """The mean of the ratings in the tags of the players; a middle one if there is none."""
    texts = (game.headers.get(f"{side}Elo", "") for side in ("White", "Black"))
    ratings = [int(text) for text in texts if text.isdecimal() and 0 < int(text) < 5000]
    return round(sum(ratings) / len(ratings)) if ratings else MIDDLE_RATING
