"""Writing what the analysis found into games."""

from __future__ import annotations

import re
from typing import Any

import chess
import chess.engine
import chess.pgn

from engine import __version__
from uci.analysis.judgement import Mark, Review
from uci.analysis.lines import Line, side_name

MARKS = {1, 2, 3, 4, 5, 6}  # the NAGs from ! to ?!
MOST_VARIATION_PLIES = 8
OUR_COMMENT = re.compile(
    r"(Inaccuracy|Mistake|Blunder):\s+chances\s+fall\s+from\s+\d+%\s+to\s+\d+%[^.]*\.\s*"
)


def annotate(review: Review) -> None:
    """Write scores, marks, best lines and accuracies into the game. What it contains is kept."""
    game = review.game
    headers = game.headers
    if review.opening is not None:
        headers.setdefault("ECO", review.opening.code)
        headers.setdefault("Opening", review.opening.name)
    headers.setdefault("Annotator", f"Wadjet {__version__}")
    for side in chess.COLORS:
        headers.pop(f"{side_name(side)}Accuracy", None)
        if (accuracy := review.accuracy(side)) is not None:
            headers[f"{side_name(side)}Accuracy"] = f"{accuracy.percent:.1f}"
    for node, move in zip(list(game.mainline()), review.moves, strict=True):
        for found in OUR_COMMENT.finditer(node.comment):  # an earlier analysis
            node.nags.discard(Mark[found[1].upper()].nag)
        node.comment = OUR_COMMENT.sub("", node.comment).strip()
        if move.mark is not None:
            if not node.nags & MARKS:
                node.nags.add(move.mark.nag)
            best, *line = move.before.line.moves[:MOST_VARIATION_PLIES]
            had, kept = move.points()
            said = f"{move.mark.title}: chances fall from {had:.0f}% to {kept:.0f}%"
            node.comment = f"{said}, {move.board.san(best)} was best. {node.comment}".strip()
            if not node.parent.has_variation(best):
                node.parent.add_variation(best).add_line(line)
        node.set_eval(_pov_score(move.after.line, node.turn()))


def _pov_score(line: Line, turn: bool) -> Any:
    if line.mate is None:
        return chess.engine.PovScore(chess.engine.Cp(line.centipawns or 0), chess.WHITE)
    if line.mate == 0:  # the side to move is mated
        return chess.engine.PovScore(chess.engine.Mate(0), turn)
    return chess.engine.PovScore(chess.engine.Mate(line.mate), chess.WHITE)
