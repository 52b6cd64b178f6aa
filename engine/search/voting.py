"""Plain Python: which of the threads' moves is played (Lazy SMP)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.scores import MATE_IN_RANGE
from engine.search.iterations import RootLine

LEAST_WEIGHT = 14  # of the worst score, so that its depth counts too


def elect(lines: Sequence[RootLine]) -> RootLine:
    """The line to play, of the best lines of all threads; the main thread's is the first.

    Each thread votes for its move, weighted by depth and score. A mate needs no vote: the shortest
    is played. A thread that has not finished depth 1 does not vote. The idea is Stockfish's.
    """
    main = lines[0]
    lines = [main, *(line for line in lines[1:] if line.depth > 0)]
    mates = [line for line in lines if line.score >= MATE_IN_RANGE]
    if mates:
        return max(mates, key=lambda line: line.score)
    worst = min(line.score for line in lines)
    votes: dict[int, int] = {}
    for line in lines:
        weight = (line.score - worst + LEAST_WEIGHT) * line.depth
        votes[line.moves[0]] = votes.get(line.moves[0], 0) + weight
    # Being mated: prefer a thread of the same depth that sees a way out.
    if main.score <= -MATE_IN_RANGE:
        return max(
            (line for line in lines if line.depth >= main.depth), key=lambda line: line.score
        )
    most = max(votes.values())
    if votes[main.moves[0]] == most:
        return main
    chosen = next(move for move, count in votes.items() if count == most)
    return max((line for line in lines if line.moves[0] == chosen), key=lambda line: line.depth)
