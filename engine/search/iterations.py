"""Plain Python: iterative deepening with reports, one kernel call for each aspiration window."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from operator import neg

from engine.scores import DRAW, MATE_IN_RANGE
from engine.search.deepening import open_window, search_window
from engine.search.root_moves import NO_FAIL_HIGH, bring_best_to_front, forget_ceilings
from engine.search.state import Worker
from engine.search.tt import EXACT, LOWER, UPPER


@dataclass(frozen=True)
class RootLine:
    """A root move and the best play after it."""

    depth: int
    score: int  # for the side to move
    bound: int  # EXACT, LOWER or UPPER
    selective_depth: int
    moves: tuple[int, ...]


class Iterations:
    """Deeper and deeper searches of one position by one worker.

    `lines` holds the best lines known, best first, also after a stopped iteration. `ranks`, one for
    each root move in falling order, take precedence over scores other than mates.
    """

    def __init__(self, worker: Worker, multi_pv: int, ranks: list[int] | None = None):
        self.worker = worker
        self._count = count = int(worker.root_count)
        self._ranks: dict[int, int] = {}  # by move; none: all are equal
        self._best_rank = ranks[0] if ranks else 0
        self._rank_ends = [count] * count
        if ranks is not None:
            self._ranks = {int(worker.root_moves[i].move): rank for i, rank in enumerate(ranks)}
            self._rank_ends = [bisect_right(ranks, -rank, key=neg) for rank in ranks]
        self._multi_pv = min(multi_pv, count)
        worker.selective_depth = 0
        worker.root_first = 0
        # So there is a move even if depth 1 does not finish.
        self.lines = [self._line(0, index, 0) for index in range(self._multi_pv)]

    def search(self, depth: int, on_bound: Callable[[int, RootLine], None] | None = None) -> bool:
        """One iteration over all lines. False if stopped."""
        worker = self.worker
        finished: list[RootLine] = []
        worker.root_depth = depth
        worker.root_count = self._count
        forget_ceilings(worker)
        for number in range(self._multi_pv):
            worker.root_first = number
            worker.root_count = self._rank_ends[number]
            worker.selective_depth = 0
            expected = self.lines[number].score if number < len(self.lines) else DRAW
            score = self._aspirate(depth, number, expected, on_bound)
            if score is None:
                self.lines = self._merged(depth, finished)
                break
            bring_best_to_front(worker)
            finished.append(self._line(depth, number, score))
        else:
            # A later line of the same rank may have a better score than an earlier one.
            self.lines = sorted(finished, key=self._order)
        worker.root_first = 0
        return len(finished) == self._multi_pv

    def best_move_effort(self) -> float:
        """The share of all nodes spent on the best move, 0 to 1."""
        best = self.worker.root_moves[0]
        return int(best.nodes) / max(1, int(self.worker.nodes))

    def _aspirate(
        self,
        depth: int,
        number: int,
        expected: int,
        on_bound: Callable[[int, RootLine], None] | None,
    ) -> int | None:
        """One iteration for a line: its score, or None if stopped."""
        worker = self.worker
        open_window(worker, depth, expected)
        while not search_window(worker, depth):
            if worker.stop:
                return None
            if on_bound:
                bound = UPPER if worker.window.failed_high == NO_FAIL_HIGH else LOWER
                on_bound(number, self._line(depth, number, int(worker.window.score), bound))
        return int(worker.window.score)

    def _merged(self, depth: int, finished: list[RootLine]) -> list[RootLine]:
        """The lines of a stopped iteration: those that are `finished`, of the next one all moves
        that were the best for a while, and for other moves what the last iteration found."""
        moves = self.worker.root_moves
        if self._multi_pv == 1:  # quickly: with a short clock the answer waits for it
            best = int(self.worker.root_best)
            return [self._line(depth, best, int(moves[best].score))] if best >= 0 else self.lines
        indices = range(int(self.worker.root_first), self._count)
        partial = [i for i in indices if moves[i].score == moves[i].ceiling]
        new = finished + [self._line(depth, i, int(moves[i].score)) for i in partial]
        ceilings = {int(moves[i].move): int(moves[i].ceiling) for i in indices}
        known = {line.moves[0] for line in new}
        old = [line for line in self.lines if line.moves[0] not in known]
        if new:
            old = [self._lowered(line, depth, ceilings, new) for line in old if line.depth > 0]
        return sorted(new + old, key=self._order)[: self._multi_pv]

    def _lowered(
        self, line: RootLine, depth: int, ceilings: dict[int, int], new: list[RootLine]
    ) -> RootLine:
        """A line of the last iteration; not above a new one that is known to be better."""
        ceiling = ceilings[line.moves[0]]
        above = [better.score for better in new if ceiling <= better.score < line.score]
        if not above:
            return line
        return RootLine(depth, min(above), UPPER, depth, line.moves[:1])

    def _order(self, line: RootLine) -> tuple[int, int]:
        """For sorting: best first. A mate is as sure as any rank."""
        is_mate = line.score >= MATE_IN_RANGE
        rank = self._best_rank if is_mate else self._ranks.get(line.moves[0], 0)
        return -rank, -line.score

    def _line(self, depth: int, index: int, score: int, bound: int = EXACT) -> RootLine:
        root_move = self.worker.root_moves[index]
        length = int(root_move.pv_length)
        moves = tuple(root_move.pv[:length].tolist())
        return RootLine(depth, score, bound, int(root_move.selective_depth), moves)
