"""Plain Python: iterative deepening with reports, one kernel call for each aspiration window."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from operator import neg

from engine.search.deepening import NO_FAIL_HIGH, open_window, search_window
from engine.search.root_moves import bring_best_to_front
from engine.search.state import Worker
from engine.search.tt import EXACT, LOWER, UPPER


@dataclass(frozen=True)
class Line:
    """A root move and the best play after it."""

    depth: int
    score: int  # for the side to move
    bound: int  # EXACT, LOWER or UPPER
    selective_depth: int
    moves: tuple[int, ...]


class Iterations:
    """Deeper and deeper searches of one position by one worker.

    `lines` holds the best lines known, best first, also after a stopped iteration. `ranks`, one for
    each root move in falling order, take precedence over scores.
    """

    def __init__(self, worker: Worker, multi_pv: int, ranks: list[int] | None = None):
        self.worker = worker
        ranks = ranks or [0] * int(worker.root_count)
        self.rank_ends = [bisect_right(ranks, -rank, key=neg) for rank in ranks]
        self.multi_pv = min(multi_pv, int(worker.root_count))
        worker.selective_depth = 0
        worker.root_first = 0
        # So there is a move even if depth 1 does not finish.
        self.lines: list[Line] = [self._line(0, index, 0, EXACT) for index in range(self.multi_pv)]

    def search(self, depth: int, on_bound: Callable[[int, Line], None] | None = None) -> bool:
        """One iteration over all lines. False if stopped."""
        worker = self.worker
        finished: list[Line] = []
        worker.root_depth = depth
        for number in range(self.multi_pv):
            worker.root_first = number
            worker.root_count = self.rank_ends[number]
            worker.selective_depth = 0
            expected = self.lines[number].score
            score = self._aspirate(depth, number, expected, on_bound)
            if score is None:
                self._keep_partial(depth, finished)
                worker.root_first = 0
                return False
            bring_best_to_front(worker)
            finished.append(self._line(depth, number, score, EXACT))
        worker.root_first = 0
        # A later line of the same rank may have a better score than an earlier one.
        order = sorted(range(len(finished)), key=lambda i: (self.rank_ends[i], -finished[i].score))
        self.lines = [finished[index] for index in order]
        return True

    def best_move_effort(self) -> float:
        """The share of all nodes spent on the best move, 0 to 1."""
        best = self.worker.root_moves[0]
        return int(best.nodes) / max(1, int(self.worker.nodes))

    def _aspirate(
        self, depth: int, number: int, expected: int, on_bound: Callable[[int, Line], None] | None
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

    def _keep_partial(self, depth: int, finished: list[Line]) -> None:
        """Keep the results of a stopped iteration: its lines, and the best move before the stop.
        The lines of the previous iteration follow."""
        best = int(self.worker.root_best)
        lines = list(finished)
        if best >= 0:
            score = int(self.worker.root_moves[best].score)
            lines.append(self._line(depth, best, score, EXACT))
        found = {line.moves[0] for line in lines}
        lines += [line for line in self.lines if line.moves[0] not in found]
        self.lines = lines[: self.multi_pv]

    def _line(self, depth: int, index: int, score: int, bound: int) -> Line:
        root_move = self.worker.root_moves[index]
        length = int(root_move.pv_length)
        moves = tuple(root_move.pv[:length].tolist())
        return Line(depth, score, bound, int(root_move.selective_depth), moves)
