"""Plain Python: `go mate` in a search: proofs beside the iterations, and alone once these end."""

from __future__ import annotations

from collections.abc import Callable

from engine.board.makemove import make, unmake
from engine.board.notation import legal_moves
from engine.scores import MATE
from engine.search.iterations import RootLine
from engine.search.mate import MOST_MOVES, is_mated_in, mates_in
from engine.search.state import Worker
from engine.search.tt import EXACT

LEAST_NODES = 20_000  # for the proof beside each iteration, at least as many ...
MORE_NODES = 1_000_000  # ... and once there is no deeper iteration


class MateProof:
    """Seeks mate in 1, 2, 3 ... up to `most_moves`, for or against the side to move, or the proof
    that there is none, in portions of nodes."""

    def __init__(self, worker: Worker, most_moves: int) -> None:
        self._worker = worker
        self._moves = 1  # to try next; all smaller numbers are disproved
        self.most_moves = min(most_moves, MOST_MOVES)
        self.line: RootLine | None = None  # the mate, once it is found

    @property
    def is_disproved(self) -> bool:
        """There is no mate in `most_moves`."""
        return self._moves > self.most_moves

    def ends_search(self, best: RootLine, nodes: int, must_end: Callable[[], bool]) -> bool:
        """Unless `best`, the normal search's line, mates so soon, continue the full-width search,
        for as many nodes as the last iteration took. True if a mate is found or disproved."""
        if 0 < MATE - best.score <= 2 * self.most_moves - 1:
            return True
        self.line = self._advance(max(LEAST_NODES, nodes))
        if must_end():  # it clears the stop word between its portions
            self._worker.stop = 1
        return self.line is not None or self.is_disproved

    def _advance(self, nodes: int) -> RootLine | None:
        """Continue for about this many nodes. Returns the shortest mate, once found.

        The worker's stop word is set if its own node limit was reached, or by the user.
        """
        worker = self._worker
        whole_limit = int(worker.node_limit)
        worker.node_limit = min(whole_limit, int(worker.nodes) + nodes)
        try:
            while not self.is_disproved:
                mates = mates_in(worker, self._moves, 0)
                # Of the attacker's moves, the first would be the one before this position.
                is_mated = not mates and is_mated_in(worker, self._moves + 1, 0)
                if worker.stop:
                    return None
                if mates or is_mated:
                    worker.node_limit = whole_limit
                    line = self._best_play(self._moves, is_mated)
                    return None if worker.stop else line
                self._moves += 1
            return None
        finally:
            if worker.stop and worker.nodes < whole_limit:
                worker.stop = 0  # only the portion was used up
            worker.node_limit = whole_limit

    def _best_play(self, moves: int, is_mated: bool) -> RootLine:
        """The line in which the attacker mates soonest and the defender holds out longest. The side
        to move `is_mated`, or it mates, in this many moves."""
        worker = self._worker
        pos = worker.position
        choice = [int(worker.root_moves[index].move) for index in range(worker.root_count)]
        line: list[int] = []
        plies = 2 * moves - (not is_mated)
        while choice and not worker.stop:
            left = (plies - len(line) + 1) // 2  # moves of the attacker
            if (len(line) % 2 == 0) == is_mated:
                line.append(max(choice, key=lambda move: self._moves_to_mate(move, left)))
            else:
                line.append(max(choice, key=lambda move: self._leaves_mated_in(move, left)))
            make(pos, line[-1])
            choice = legal_moves(pos, worker.lists)
        for _ in line:
            unmake(pos)
        score = plies - MATE if is_mated else MATE - plies
        return RootLine(plies, score, EXACT, plies, tuple(line))

    def _leaves_mated_in(self, attack: int, moves: int) -> bool:
        make(self._worker.position, attack)
        mated = is_mated_in(self._worker, moves, 1)
        unmake(self._worker.position)
        return bool(mated)

    def _moves_to_mate(self, answer: int, limit: int) -> int:
        """How soon the attacker mates after this answer."""
        make(self._worker.position, answer)
        moves = 1
        while moves < limit and not mates_in(self._worker, moves, 1):
            moves += 1
        unmake(self._worker.position)
        return moves
