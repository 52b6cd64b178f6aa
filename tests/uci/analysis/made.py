"""Analyses that no engine made, for tests of what follows from them."""

from __future__ import annotations

import io
import math

import chess
import chess.pgn

from engine.board.ending import Ending
from engine.people import MIDDLE_RATING, spread
from uci.analysis.judgement import Review, review
from uci.analysis.lines import Analysis, Line, Reasons

GAME = """\
[Event "A match"]
[White "Anna <b>"]
[Black "Bert & Co"]
[Result "0-1"]

{before all} 1. e4 e5 2. Nf3 {the knight [%clk 0:05:00]} Nc6 3. Bc4 Nd4 (3... Bc5 {main} 4. c3
(4. b4 Bxb4) 4... Nf6) 4. Nxe5 $5 Qg5 5. Nxf7 Qxg2 {</script>} 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1
"""
WHITE_POINTS = (52, 52, 53, 52, 52, 52, 55, 40, 48, 10, 8, 2, 1, 0, 0)  # after each move, of 100
BEST = {6: "f3d4", 8: "c4f7"}  # by ply; elsewhere what was played


def made_review(pgn: str = GAME) -> Review:
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None
    moves = [node.move.uci() for node in game.mainline()]
    analyses = [
        made_analysis(points, BEST.get(ply) or "".join(moves[ply : ply + 1]))
        for ply, points in enumerate(WHITE_POINTS[: len(moves) + 1])
    ]
    return review(game, analyses)


def centipawns_for(points: float, rating: int = MIDDLE_RATING) -> int:
    """The inverse of `expected_points`."""
    share = min(max(points, 0.01), 99.99) / 100
    return round(spread(rating) * math.log(share / (1 - share)))


def made_analysis(points: int, best: str, white: int = 30) -> Analysis:
    """White expects `points` of 100. A game that is over has no best move: White is mated."""
    moves = (chess.Move.from_uci(best),) if best else ()
    reasons = Reasons(
        words=["White is slightly better (+0.30).", "White has more space (0.20)."],
        terms=[["Material", 2400, 2400], ["Space", white, 10]],
        weighted_sum=white - 10,
        network=30,
        pieces={str(chess.E1): 0, str(chess.A1): 350},
    )
    line = Line(centipawns_for(points), None, (points * 10, 0, 1000 - points * 10), moves, 8)
    return Analysis(line if best else Line.of(Ending(chess.BLACK, "Checkmate")), reasons)
