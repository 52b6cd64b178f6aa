"""Plain Python: what endgame tables say at the root of a search.

If they know all moves, only the best of them are searched, and the lines that are shown have their
scores and go on by their play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.board.position import MoveLists, Position
from engine.scores import DRAW, MATE, MATE_IN_RANGE, TABLEBASE_WIN
from engine.search.root import EXACT, Line
from engine.tb.memory import Prober
from engine.tb.probing import mate_is_next, mate_plies
from engine.tb.ranking import FIFTY_MOVES, SURE, RankedMove, best_line, rank_moves


class RootTables:
    """The moves of one position, ranked by tables; knows nothing before `rank`."""

    def __init__(self) -> None:
        self.prober = Prober()
        self.ranked: dict[int, RankedMove] = {}  # by move
        self.ranks: list[int] | None = None  # of the moves that `rank` returned
        self.fifty_moves = True
        self.mate_is_next = False  # their DTZ leads to mate
        self._lines: dict[int, tuple[int, ...]] = {}  # best play by the tables, by first move

    def rank(
        self, pos: Position, lists: MoveLists, moves: list[int], lines: int, fifty_moves: bool
    ) -> list[int]:
        """The moves to search, best first: only the best play perfectly; to show several `lines`,
        as many as those. All of them if the tables do not know them."""
        ranked = rank_moves(self.prober, pos, lists, moves, fifty_moves)
        if ranked is None:
            return moves
        self.fifty_moves = fifty_moves
        self.mate_is_next = bool(mate_is_next(pos))
        self.ranked = {entry.move: entry for entry in ranked}
        best = [entry for entry in ranked if entry.rank == ranked[0].rank]
        kept = best if len(best) >= lines else ranked[:lines]
        self.ranks = [entry.rank for entry in kept]
        return [entry.move for entry in kept]

    def suffice(self) -> bool:
        """Need the search not ask tables, because the choice at the root is enough? Without them
        it finds mates, and the drawn position in which it is easiest to go wrong."""
        if self.ranks is None:
            return False
        return self.ranks[0] <= 0 or all(entry.dtz is not None for entry in self.ranked.values())

    def completed(
        self, line: Line, pos: Position, lists: MoveLists, stopped: Callable[[], bool]
    ) -> Line:
        """The line with the score and the moves of the tables, unless a mate was found that they
        do not know."""
        move = line.moves[0]
        entry = self.ranked.get(move)
        if entry is None:
            return line
        score = self._score(entry)
        if abs(line.score) >= MATE_IN_RANGE > abs(score):
            return line
        moves = line.moves
        if entry.rank != 0 and entry.dtz is not None:
            if move not in self._lines:
                self._lines[move] = best_line(
                    self.prober, pos, lists, move, self.fifty_moves, stopped
                )
            moves = self._lines[move]
        return replace(line, score=score, bound=EXACT, moves=moves)

    def _score(self, entry: RankedMove) -> int:
        """A mate where the tables lead to it, else the score of the rank."""
        if not self.mate_is_next or entry.dtz is None or abs(entry.rank) <= FIFTY_MOVES:
            return score_of_rank(entry.rank)
        distance = int(mate_plies(entry.dtz, entry.rank > 0))
        return MATE - distance if entry.rank > 0 else distance - MATE


def score_of_rank(rank: int) -> int:
    """The score of a move that tables rank so (engine/tb/ranking.py)."""
    if rank > FIFTY_MOVES:
        return TABLEBASE_WIN - (SURE - rank)
    if rank < -FIFTY_MOVES:
        return (SURE + rank) - TABLEBASE_WIN
    return DRAW + (rank > 0) - (rank < 0)
