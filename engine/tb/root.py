"""Plain Python: tablebases at the root of a search.

If they know every move, only those with the best result are searched, and the search chooses among
them: only it knows how soon they mate. DTZ chooses where it is the distance to mate, and where
anything else could cost a win: once a position has occurred twice, or the halfmove clock is high.
After a repetition DTZ is nowhere the distance to mate, because the third time would be a draw.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.board.position import MoveLists, Position
from engine.scores import DRAW, MATE, MATE_IN_RANGE, TABLEBASE_WIN
from engine.tb.memory import Prober
from engine.tb.probing import has_repeated, mate_is_next, mate_plies
from engine.tb.ranking import (
    FIFTY_MOVES,
    SURE,
    SURELY_IN_TIME,
    UNSURE,
    RankedMove,
    best_line,
    rank_moves,
)


class RootRanking:
    """The moves of one position, ranked by the tablebases; empty before `rank`."""

    def __init__(self, prober: Prober) -> None:
        self.prober = prober
        self.ranked: dict[int, RankedMove] = {}  # by move
        self.ranks: list[int] | None = None  # of the moves that `rank` returned
        self.fifty_moves = True
        self.mate_is_next = False  # their DTZ leads to mate
        self._lines: dict[int, tuple[int, ...]] = {}  # best play by the tablebases, by first move

    def rank(
        self, pos: Position, lists: MoveLists, moves: list[int], lines: int, fifty_moves: bool
    ) -> list[int]:
        """The moves to search, best first: the equally good ones, or more if several `lines` are
        wanted. All of them if the tablebases do not know every move."""
        ranked = rank_moves(self.prober, pos, lists, moves, fifty_moves)
        if ranked is None:
            return moves
        self.fifty_moves = fifty_moves
        repeated = bool(has_repeated(pos))
        ends_in_mate = bool(mate_is_next(pos))
        self.mate_is_next = ends_in_mate and not repeated
        self.ranked = {entry.move: entry for entry in ranked}
        if not ends_in_mate:
            latest = 0 if repeated else SURELY_IN_TIME
            left = latest - int(pos.snapshots[pos.ply].halfmove_clock)
            ranked = [_equal_if_safe(entry, left) for entry in ranked]
            ranked.sort(key=lambda entry: (-entry.rank, moves.index(entry.move)))
        last = ranked[min(lines, len(ranked)) - 1].rank
        kept = [entry for entry in ranked if entry.rank >= last]
        self.ranks = [entry.rank for entry in kept]
        return [entry.move for entry in kept]

    def is_lost(self, pos: Position, lists: MoveLists, moves: list[int], fifty_moves: bool) -> bool:
        """Whether the tablebases know that every move loses."""
        ranked = rank_moves(self.prober, pos, lists, moves, fifty_moves)
        return ranked is not None and ranked[0].rank < -FIFTY_MOVES

    def suffices(self) -> bool:
        """Whether ranking at the root is enough, so that the search need not probe. Without
        probing it finds mates, and the draws in which the opponent errs most easily."""
        if self.ranks is None:
            return False
        return self.ranks[0] <= 0 or all(entry.dtz is not None for entry in self.ranked.values())

    def completed(
        self,
        moves: tuple[int, ...],
        score: int,
        pos: Position,
        lists: MoveLists,
        stopped: Callable[[], bool],
    ) -> tuple[int, tuple[int, ...]] | None:
        """Exact score and moves by the tablebases for a line of the search. None if they do not
        know its first move, or if the search found a mate that they do not know."""
        move = moves[0]
        entry = self.ranked.get(move)
        if entry is None:
            return None
        ranked_score = self._score(entry)
        if abs(entry.rank) == UNSURE:  # the search sees whether it comes in time
            return (max if entry.rank > 0 else min)(score, ranked_score), moves
        if abs(score) >= MATE_IN_RANGE > abs(ranked_score) and score * ranked_score >= 0:
            return None
        if entry.rank != 0 and entry.dtz is not None:
            if move not in self._lines:
                self._lines[move] = best_line(
                    self.prober, pos, lists, move, self.fifty_moves, stopped
                )
            moves = self._lines[move]
        return ranked_score, moves

    def _score(self, entry: RankedMove) -> int:
        """A mate where the tablebases lead to it, else the score of the rank."""
        if not self.mate_is_next or entry.dtz is None or abs(entry.rank) <= FIFTY_MOVES:
            return score_of_rank(entry.rank)
        distance = int(mate_plies(entry.dtz, entry.rank > 0))
        return MATE - distance if entry.rank > 0 else distance - MATE


def _equal_if_safe(entry: RankedMove, left: int) -> RankedMove:
    """The rank SURE for a win with at most `left` plies to the next capture or pawn move, -SURE for
    a loss."""
    if entry.rank > FIFTY_MOVES and (entry.dtz or 0) <= left:
        return entry._replace(rank=SURE)
    return entry._replace(rank=-SURE) if entry.rank < -FIFTY_MOVES else entry


def score_of_rank(rank: int) -> int:
    """The score of a move with this rank (see engine/tb/ranking.py). Which win is quicker than
    another, DTZ does not tell: the score of each is that of the tree, one ply from the root."""
    sign = (rank > 0) - (rank < 0)
    return sign * (TABLEBASE_WIN - 1) if abs(rank) > FIFTY_MOVES else DRAW + sign
