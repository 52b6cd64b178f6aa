"""One HTML file for the games of a PGN file: no network, no other files.

page.html is its frame, page.css its style, page.js its script, which only moves between positions
that are prepared here.
The pieces are those that python-chess draws (Colin M. L. Burnett, BSD licence).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import chess
import chess.pgn
import chess.svg

from uci.analysis.judgement import Mark, Review
from uci.analysis.lines import side_name
from uci.analysis.standing import Standing

FOLDER = Path(__file__).parent  # of page.html, page.css and page.js
GRAPH_WIDTH, GRAPH_HEIGHT = 600, 120
SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}  # by NAG
CLASSES = {mark: mark.title.lower() for mark in Mark}
COMMAND = re.compile(r"\[%[^\]]*\]")  # [%eval ...] and its like are for programs


def page(title: str, reviews: Sequence[Review], engine: str, limits: str) -> str:
    """`limits` says how long each position was searched."""
    shown = {
        "games": [_positions(review) for review in reviews],
        "fromBlack": [_is_seen_from_black(review) for review in reviews],
    }
    data = json.dumps(shown, separators=(",", ":"))
    style, script, frame = (
        (FOLDER / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js", "html")
    )
    return Template(frame).substitute(
        title=escape(title),
        style=style,
        chooser=_chooser(reviews),
        pieces="".join(chess.svg.PIECES.values()),
        games="\n".join(_article(review) for review in reviews),
        engine=escape(engine),
        limits=escape(limits),
        data=data.replace("<", "\\u003c"),  # no text of a game ends the script
        script=script,
    )


def _chooser(reviews: Sequence[Review]) -> str:
    if len(reviews) < 2:
        return ""
    names = (f"{number}. {review.title}" for number, review in enumerate(reviews, 1))
    options = "".join(f"<option>{escape(name)}</option>" for name in names)
    return f'<select aria-label="game">{options}</select>'


def _is_seen_from_black(review: Review) -> bool:
    """Whether a person has played Black against the engine."""
    white, black = (review.game.headers.get(side, "?") for side in ("White", "Black"))
    return white.startswith("Wadjet") and not black.startswith("Wadjet")


# --- What the script shows ----------------------------------------------------------------------


def _positions(review: Review) -> list[dict[str, Any]]:
    nodes: list[chess.pgn.GameNode] = [review.game, *review.game.mainline()]
    return [_position(review, number, node) for number, node in enumerate(nodes)]


def _position(review: Review, number: int, node: chess.pgn.GameNode) -> dict[str, Any]:
    board, here, reasons = node.board(), review.standings[number], review.analyses[number].reasons
    best = here.line.moves[0] if here.line.moves else None
    sums = f"Sum of the terms: {reasons['weighted_sum'] / 100:+.2f}."
    if reasons["network"] is not None:
        sums += f" The network's own score: {reasons['network'] / 100:+.2f}."
    return {
        "board": "".join(
            piece.symbol() if (piece := board.piece_at(square)) else "." for square in chess.SQUARES
        ),
        "moved": [node.move.from_square, node.move.to_square] if node.move else None,
        "best": [best.from_square, best.to_square] if best else None,
        "score": here.score(),
        "points": round(here.points(chess.WHITE), 1),
        "standing": f"{here.words()} {here.expectation()}".strip(),
        "marked": number > 0 and review.moves[number - 1].mark is not None,
        "text": _said(review, number, node, here),
        "words": "" if here.is_over else "Without looking ahead: " + " ".join(reasons["words"]),
        "sums": "" if here.is_over else sums,
        "terms": [] if here.is_over else reasons["terms"],
        "worth": reasons["pieces"],
        "x": round(_x(number, len(review.standings)), 1),
    }


def _said(review: Review, number: int, node: chess.pgn.GameNode, here: Standing) -> str:
    """The move that led here, and the best line from here."""
    parts = []
    if number:
        move = review.moves[number - 1]
        parts.append(move.name + (f" ({move.label})" if move.label else ""))
    if here.line.moves:
        best = node.board().variation_san(here.line.moves)
        depth = "" if here.line.mate else f" (depth {here.line.depth})"
        parts.append(f"Best: {best}{depth}")
    return " \N{EM DASH} ".join(parts)


# --- The game beside the board ------------------------------------------------------------------


def _article(review: Review) -> str:
    headers = review.game.headers
    facts = (headers.get(tag, "?") for tag in ("Event", "Site", "Date"))
    known = (fact.replace(".??", "") for fact in facts if fact.strip("?."))  # 1858.??.??
    where = ", ".join(known)
    opening = str(review.opening) if review.opening else ""
    return (
        f"<article><h2>{escape(review.title)}</h2>"
        f'<p class="opening">{escape(where)}</p><p class="opening">{escape(opening)}</p>'
        f'{_sides(review)}{_graph(review)}<div class="moves">{"".join(_moves(review))}</div>'
        "</article>"
    )


def _sides(review: Review) -> str:
    heads = "<th></th><th>accuracy</th>" + "".join(
        f'<th class="{CLASSES[mark]}">{mark.sign}<br>{mark.plural}</th>' for mark in Mark
    )
    rows = ""
    for side in chess.COLORS:
        name = review.game.headers.get(side_name(side), "?")
        if name == "?":
            name = side_name(side)
        cells = [name, str(review.accuracy(side) or "\N{EN DASH}")]
        cells += [str(review.count(side, mark)) for mark in Mark]
        rows += "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    return f'<table class="sides"><tr>{heads}</tr>{rows}</table>'


def _graph(review: Review) -> str:
    """The score as expected points: White's share of each position, from left to right."""
    count = len(review.standings)
    points = [
        (_x(number, count), GRAPH_HEIGHT * (1 - here.points(chess.WHITE) / 100))
        for number, here in enumerate(review.standings)
    ]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(
        f'<circle class="{CLASSES[move.mark]}" cx="{points[ply][0]:.1f}" '
        f'cy="{points[ply][1]:.1f}" r="4"/>'
        for ply, move in enumerate(review.moves, 1)
        if move.mark
    )
    half = GRAPH_HEIGHT / 2
    return (
        f'<svg class="graph" viewBox="0 0 {GRAPH_WIDTH} {GRAPH_HEIGHT}" role="img" '
        'aria-label="score by move">'
        f'<polygon class="area" points="0,{GRAPH_HEIGHT} {outline} {GRAPH_WIDTH},{GRAPH_HEIGHT}"/>'
        f'<line class="half" x1="0" y1="{half}" x2="{GRAPH_WIDTH}" y2="{half}"/>'
        f'<text x="5" y="16">Black</text><text x="5" y="{GRAPH_HEIGHT - 6}">White</text>'
        f'{dots}<line class="cursor" y1="0" y2="{GRAPH_HEIGHT}"/></svg>'
    )


def _x(number: int, count: int) -> float:
    return GRAPH_WIDTH * number / max(1, count - 1)


def _moves(review: Review) -> Iterator[str]:
    """The main line with links, comments and variations."""
    game = review.game
    yield _aside(_comment(game.comment))
    interrupted = True
    for ply, node in enumerate(game.mainline(), 1):
        assert node.parent is not None
        board = node.parent.board()
        if board.turn == chess.WHITE or interrupted:
            dots = "." if board.turn == chess.WHITE else "..."
            yield f'<span class="number">{board.fullmove_number}{dots}</span>'
        mark = review.moves[ply - 1].mark
        sign = mark.sign if mark else "".join(SIGNS.get(nag, "") for nag in sorted(node.nags))
        kind = f' class="{CLASSES[mark]}"' if mark else ""
        yield f'<a data-ply="{ply}"{kind}>{escape(board.san(node.move) + sign)}</a> '
        asides = [_aside(_comment(node.comment))]
        asides += [_aside(_variation(other)) for other in node.parent.variations[1:]]
        interrupted = any(asides)
        yield "".join(asides)
    yield f'<span class="number">{escape(game.headers.get("Result", "*"))}</span>'


def _comment(text: str) -> str:
    return COMMAND.sub("", text).strip()


def _variation(node: chess.pgn.ChildNode) -> str:
    """With its comments and variations, as PGN writes them."""
    exporter = chess.pgn.StringExporter(columns=None, headers=False)
    text = COMMAND.sub("", str(node.accept(exporter)))
    return "(" + re.sub(r"\{\s*\}", "", text).strip() + ")"


def _aside(text: str) -> str:
    return f'<span class="aside">{escape(text)}</span>' if text else ""
