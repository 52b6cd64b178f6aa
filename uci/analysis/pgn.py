"""Writing what the analysis found into games."""

from __future__ import annotations

import re
from typing import Any

import chess
import chess.engine
import chess.pgn

from engine import __version__
from uci.analysis.judgement import Mark, MoveReview, Review
from uci.analysis.lines import Line, side_name

SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}  # by NAG
MOST_VARIATION_PLIES = 8
OUR_COMMENT = re.compile(  # of this and of older versions; the mark of the file that it replaced
    r"(Inaccuracy|Mistake|Blunder)(?:\s+\((?:\d+%\s+to|still)\s+\d+%"
    r"(?:,\s+(\S+)\s+in\s+the\s+file)?\):(?:\s.*?)?|:\s+chances\s+fall\s+from\s+\d+%\s+to\s+\d+%,\s+\S+)\s+was\s+best\.\s*",
    re.DOTALL,
)


def annotate(review: Review) -> None:
    """Write scores, marks, best lines and accuracies into the game. What it contains is kept, but
    for signs of a person on moves that Wadjet marks: its sentence names these."""
    game = review.game
    headers = game.headers
    if review.opening is not None:
        headers.setdefault("ECO", review.opening.code)
        headers.setdefault("Opening", review.opening.name)
    headers.setdefault("Annotator", f"Wadjet {__version__}")
    for side in chess.COLORS:
        headers.pop(f"{side_name(side)}Accuracy", None)
        if (accuracy := review.accuracy(side)) is not None:
            headers[f"{side_name(side)}Accuracy"] = str(accuracy)
    for node, move in zip(list(game.mainline()), review.moves, strict=True):
        for found in OUR_COMMENT.finditer(node.comment):  # an earlier analysis
            node.nags.discard(Mark[found[1].upper()].nag)
            node.nags.update(nag for nag, sign in SIGNS.items() if sign == found[2])
        node.comment = OUR_COMMENT.sub("", node.comment).strip()
        if move.mark is not None:
            theirs = "".join(SIGNS[nag] for nag in SIGNS if nag in node.nags)
            theirs = "" if theirs == move.mark.sign else theirs
            node.nags.difference_update(SIGNS)
            node.nags.add(move.mark.nag)
            best, *line = move.before.line.moves[:MOST_VARIATION_PLIES]
            node.comment = f"{_sentence(move, theirs)} {node.comment}".strip()
            if not node.parent.has_variation(best):
                node.parent.add_variation(best).add_line(line)
        node.set_eval(_pov_score(move.after.line, node.turn()))


def _sentence(move: MoveReview, theirs: str) -> str:
    """Why the move is marked, as OUR_COMMENT finds it again. `theirs`: the signs of the file."""
    assert move.mark is not None
    had, kept = (round(points) for points in move.points())
    fell = f"{had}% to {kept}%" if kept < had else f"still {kept}%"
    instead = f", {theirs} in the file" if theirs else ""
    parts = [f"{move.mark.title} ({fell}{instead}):", move.reason()]
    best = move.board.san(move.before.line.moves[0])
    return " ".join([*filter(None, parts), f"{best} was best."])


def _pov_score(line: Line, turn: bool) -> Any:
    if line.mate is None:
        return chess.engine.PovScore(chess.engine.Cp(line.centipawns or 0), chess.WHITE)
    if line.mate == 0:  # the side to move is mated
        return chess.engine.PovScore(chess.engine.Mate(0), turn)
    return chess.engine.PovScore(chess.engine.Mate(line.mate), chess.WHITE)
