"""After the game: the person's mistakes, and what would have been better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

from engine.limits import Limits
from uci.analysis.judgement import Mark, mark
from uci.terminal.game import Game
from uci.terminal.moves import in_words
from uci.terminal.opponent import Opponent, Verdict

MOST_SHOWN = 6  # the worst ones
LONGEST_LINE = 5  # plies
# Enough to see short tactics, little enough for two positions in the blink of an eye.
LOOK = Limits(nodes=60_000, movetime_ms=500)

_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_LOSSES = {1: "a pawn", 2: "about two pawns", 3: "a piece", 4: "more than a piece", 5: "a rook",
           6: "more than a rook", 7: "more than a rook", 8: "a queen", 9: "a queen"}  # fmt: skip


@dataclass(frozen=True)
class Mistake:
    """A move that cost the person at least as many points as `Mark.MISTAKE`."""

    board: chess.Board  # before the move
    move: chess.Move
    before: Verdict
    after: Verdict

    @property
    def lost(self) -> float:
        side = self.board.turn
        return self.before.points(side) - self.after.points(side)

    @property
    def name(self) -> str:
        """The move as in a score sheet, with its mark."""
        judgement = mark(self.lost)
        return numbered(self.board, [self.move]) + (judgement.sign if judgement else "")

    def explanation(self) -> list[str]:
        """Sentences: what it cost, what it allowed, what was better."""
        side = self.board.turn
        before, after = (verdict.points(side) for verdict in (self.before, self.after))
        sentences = [f"Your chances fell from {before:.0f} to {after:.0f} %."]
        answer = self.board.copy(stack=False)
        answer.push(self.move)
        reply = self.after.line[:LONGEST_LINE]
        if mate := self.after.mate_for(not side):
            sentences.append(f"It allows mate in {mate}: {numbered(answer, reply)}.")
        elif mate := self.before.mate_for(side):
            sentences.append(f"It misses mate in {mate}.")
        elif answer.is_stalemate():
            sentences.append("It is stalemate: the opponent has no move, so it is a draw.")
        elif reply:
            cost = _LOSSES.get(min(9, _material_lost(self.board, self.move, self.after.line)))
            loses = f"It loses {cost}: " if cost else "The answer is "
            sentences.append(f"{loses}{numbered(answer, reply)}.")
        best = self.before.line[0]
        line = numbered(self.board, self.before.line[:LONGEST_LINE])
        sentences.append(f"Better was {in_words(self.board, best)}: {line}.")
        return sentences


def find_mistakes(
    game: Game, opponent: Opponent, progress: Callable[[int, int], None]
) -> list[Mistake]:
    """The person's mistakes, the worst ones if there are many, in the order of the game.

    `progress` is called with the number of moves done, and of all.
    """
    moves = list(_moves_of(game))
    mistakes = []
    for number, (board, move) in enumerate(moves):
        progress(number, len(moves))
        before = opponent.judge(board, LOOK)
        if before.line and before.line[0] != move:
            then = board.copy()
            then.push(move)
            mistake = Mistake(board, move, before, opponent.judge(then, LOOK))
            if mistake.lost >= Mark.MISTAKE.least:
                mistakes.append(mistake)
    worst = sorted(mistakes, key=lambda mistake: -mistake.lost)[:MOST_SHOWN]
    return [mistake for mistake in mistakes if mistake in worst]


def _moves_of(game: Game) -> Iterator[tuple[chess.Board, chess.Move]]:
    """The person's moves and the positions before them, with their history."""
    board = game.board.root()
    for move in game.board.move_stack:
        if board.turn == game.person:
            yield board.copy(), move
        board.push(move)


def numbered(board: chess.Board, moves: list[chess.Move] | tuple[chess.Move, ...]) -> str:
    """A line from `board` as in a score sheet: 12. Nf3 Nc6 13. Bb5"""
    return str(board.variation_san(moves))


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
