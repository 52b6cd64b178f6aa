"""Plain Python: `go mate`, the mate search in portions, beside the normal search."""

from __future__ import annotations

from engine.board.makemove import make, unmake
from engine.board.notation import legal_moves
from engine.scores import MATE
from engine.search.mate import MOST_MOVES, is_mated_in, mates_in
from engine.search.root import Line
from engine.search.state import SearchThread
from engine.search.tt import EXACT


class MateSearch:
    """Tries mate in 1, 2, 3 ... up to `most_moves`, in portions of nodes."""

    def __init__(self, thread: SearchThread, most_moves: int):
        self.thread = thread
        self.moves = 1  # to try next; all smaller numbers are disproved
        self.most_moves = min(most_moves, MOST_MOVES)

    @property
    def disproved(self) -> bool:
        """There is no mate in `most_moves`."""
        return self.moves > self.most_moves

    def advance(self, nodes: int) -> Line | None:
        """Continue for about so many nodes. Returns the shortest mate, once found.

        `thread.stop` is set if the thread's own node limit was reached, or by the user.
        """
        thread = self.thread
        whole_limit = int(thread.node_limit)
        thread.node_limit = min(whole_limit, int(thread.nodes) + nodes)
        try:
            while not self.disproved:
                found = mates_in(thread, self.moves, 0)
                if thread.stop:
                    return None
                if found:
                    thread.node_limit = whole_limit
                    line = self._best_play(self.moves)
                    return None if thread.stop else line
                self.moves += 1
            return None
        finally:
            if thread.stop and thread.nodes < whole_limit:
                thread.stop = 0  # only the portion was used up
            thread.node_limit = whole_limit

    def _best_play(self, moves: int) -> Line:
        """The line in which the attacker mates soonest and the defender holds out longest."""
        thread = self.thread
        pos = thread.position
        allowed = {int(thread.root_moves[index].move) for index in range(thread.root_count)}
        line: list[int] = []
        for left in range(moves, 0, -1):
            attacks = legal_moves(pos, thread.lists)
            if not line:
                attacks = [move for move in attacks if move in allowed]
            line.append(max(attacks, key=lambda move: self._leaves_mated_in(move, left)))
            make(pos, line[-1])
            answers = legal_moves(pos, thread.lists)
            if thread.stop or not answers:
                break
            line.append(max(answers, key=lambda move: self._moves_to_mate(move, left)))
            make(pos, line[-1])
        for _ in line:
            unmake(pos)
        plies = 2 * moves - 1
        return Line(plies, MATE - plies, EXACT, plies, tuple(line))

    def _leaves_mated_in(self, attack: int, moves: int) -> bool:
        make(self.thread.position, attack)
        mated = is_mated_in(self.thread, moves, 1)
        unmake(self.thread.position)
        return bool(mated)

    def _moves_to_mate(self, answer: int, limit: int) -> int:
        """How soon the attacker mates after this answer."""
        make(self.thread.position, answer)
        moves = 1
        while moves < limit and not mates_in(self.thread, moves, 1):
            moves += 1
        unmake(self.thread.position)
        return moves
