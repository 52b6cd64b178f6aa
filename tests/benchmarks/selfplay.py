"""What share of self-play is search: the rest is the overhead of `datagen` and `spsa`.

    python -m tests.benchmarks.selfplay

Processor time of ten games at each number of soft nodes, after a first one that warms up.
"""

from __future__ import annotations

import time
from typing import Any
from unittest.mock import patch

from engine.board.fen import START
from engine.search.deepening import deepen
from tuning.selfplay.play import play
from tuning.selfplay.player import MoveLimit, Player

OPENINGS = (
    START,
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 1 5",
    "rnbqk2r/ppp1ppbp/3p1np1/8/2PPP3/2N5/PP3PPP/R1BQKBNR w KQkq - 0 5",
    "rnbqkbnr/pp3ppp/4p3/2ppP3/3P4/8/PPP2PPP/RNBQKBNR w KQkq - 0 4",
)


def main() -> None:
    searching = 0.0
    nodes = 0

    def timed(thread: Any, *arguments: int) -> int:
        nonlocal searching, nodes
        started = time.process_time()
        score = deepen(thread, *arguments)
        searching += time.process_time() - started
        nodes += int(thread.nodes)
        return score

    player = Player()
    for soft_nodes in (400, 1000, 5000):
        limit = MoveLimit(soft_nodes=soft_nodes)
        play(player, player, START, limit)
        searching, nodes = 0.0, 0
        with patch("tuning.selfplay.player.deepen", timed):
            started = time.process_time()
            for fen in 2 * OPENINGS:
                play(player, player, fen, limit)
            whole = time.process_time() - started
        print(
            f"{soft_nodes} nodes a move: {nodes / whole:,.0f} nodes/s, {nodes / searching:,.0f} in "
            f"search, {searching / whole:.1%} of the time"
        )


if __name__ == "__main__":
    main()
