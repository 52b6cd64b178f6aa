"""Plain Python: `go mate` in a search: proofs beside the iterations, and alone once these end."""

from __future__ import annotations

from collections.abc import Callable

from engine.scores import MATE
from engine.search.mate_search import MateSearch
from engine.search.root import Line
from engine.search.state import SearchThread

LEAST_NODES = 20_000  # for the proof beside each iteration, at least as many ...
MORE_NODES = 1_000_000  # ... and once there is no deeper iteration


class MateProof:
    """Seeks a mate in `most_moves`, or the proof that there is none."""

    def __init__(self, worker: SearchThread, most_moves: int) -> None:
        self._search = MateSearch(worker, most_moves)
        self.line: Line | None = None  # the mate, once it is found

    def ends_search(self, best: Line, nodes: int, must_end: Callable[[], bool]) -> bool:
        """Unless `best`, the normal search's line, is such a mate, continue the full-width search,
        for as many nodes as the last iteration took. True if a mate is found or disproved."""
        if 0 < MATE - best.score <= 2 * self._search.most_moves - 1:
            return True
        self.line = self._search.advance(max(LEAST_NODES, nodes))
        if must_end():  # it clears the stop word between its portions
            self._search.thread.stop = 1
        return self.line is not None or self.is_disproved

    @property
    def is_disproved(self) -> bool:
        return self._search.disproved

    @property
    def most_moves(self) -> int:
        return self._search.most_moves
