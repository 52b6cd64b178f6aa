"""A game as plain values for the board script (page.js), which knows no rule of chess.

A sheet: `title`, `named` (are the players known?), `players` (White, Black), `facts` (event,
opening), `result`, `turned` (seen from Black), `sides` (accuracy and marks of both), `pgn`, `start`
(a position) and `line` (moves).
A position: `fen`, `check` (square of a king in check) and, if analysed, `look`.
A move is the position after it, with `san`, `uci`, `sign`, `kind` (of its mark), `said`, `why`,
`before` and `comment` (of the game), `clock`, `score`, and `asides`: lines in its place.
A look: `score`, `points` (White's, of 100), `standing` (in words), `lines` (each `score`, `depth`,
`moves`) and, while the game goes on, the static evaluation: `words`, `sums`, `terms`, `worth`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import chess
import chess.pgn

from engine.board.ending import claim
from openings.pgn import pgn_of, players_of
from uci.analysis.judgement import Mark, MoveReview, Review
from uci.analysis.lines import Analysis, Line, Reasons, side_name
from uci.analysis.pgn import SIGNS
from uci.analysis.standing import Standing
from uci.game.game import clock_text

COMMAND = re.compile(r"\[%[^\]]*\]")  # [%eval ...] and its like are for programs
DEEPEST_NESTING = 40  # of variations; what is deeper is in the PGN only

Look = dict[str, Any]
Known = dict[chess.pgn.GameNode, tuple[Look, MoveReview | None]]


def sheet(game: chess.pgn.Game, review: Review | None = None) -> dict[str, Any]:
    """A game, with what its analysis found, if it has been analysed."""
    headers = game.headers
    known: Known = {}
    if review is not None:
        nodes = [game, *game.mainline()]
        looks = map(_look, review.standings, review.analyses, (node.board() for node in nodes))
        known = dict(zip(nodes, zip(looks, [None, *review.moves], strict=True), strict=True))
    facts = (headers.get(tag, "?") for tag in ("Event", "Site", "Date"))
    where = ", ".join(fact.replace(".??", "") for fact in facts if fact.strip("?."))  # 1858.??.??
    opening = str(review.opening) if review and review.opening else headers.get("Opening", "")
    names = [headers.get(side_name(side), "?") for side in chess.COLORS]
    result = headers.get("Result", "*")
    board = game.board()
    start = _position(board)
    start |= {"comment": _comment(game.comment)}
    if game in known:
        start["look"] = known[game][0]
    return {
        "title": f"{_isolated(players_of(game)) or 'Game'}  {result}",
        "named": bool(players_of(game)),
        "players": [
            side_name(side) if name == "?" else name
            for side, name in zip(chess.COLORS, names, strict=True)
        ],
        "facts": [fact for fact in (where, opening) if fact],
        "result": result,
        "turned": names[0].startswith("Wadjet") and not names[1].startswith("Wadjet"),
        "sides": _sides(review) if review else None,
        "pgn": pgn_of(game),
        "start": start,
        "line": _line(game, 0, board, known, 0),
    }


def _isolated(names: str) -> str:
    """What is written from right to left does not turn what stands beside it."""
    turns = any(unicodedata.bidirectional(letter) in ("R", "AL", "RLO", "RLE") for letter in names)
    return f"\N{FIRST STRONG ISOLATE}{names}\N{POP DIRECTIONAL ISOLATE}" if turns else names


def _sides(review: Review) -> list[dict[str, Any]]:
    return [
        {
            "accuracy": str(review.accuracy(side) or "\N{EN DASH}"),
            "marks": [[kind_of(mark), mark.sign, review.count(side, mark), mark.plural]
                      for mark in Mark],
        }
        for side in chess.COLORS
    ]  # fmt: skip


def kind_of(mark: Mark | None) -> str:
    return mark.title.lower() if mark else ""


def _position(board: chess.Board) -> dict[str, Any]:
    king = board.king(board.turn)
    in_check = king is not None and board.is_check()
    return {"fen": board.fen()} | ({"check": chess.square_name(king)} if in_check else {})


def _line(
    parent: chess.pgn.GameNode,
    number: int,
    board: chess.Board,
    known: Known,
    nesting: int,
) -> list[dict[str, Any]]:
    """The line that begins with a variation of `parent`, whose position `board` is and stays."""
    line = []
    while len(parent.variations) > number:
        node = parent.variations[number]
        others = range(1, len(parent.variations) if number == 0 else 0)
        asides = []
        if nesting < DEEPEST_NESTING:
            asides = [_line(parent, other, board, known, nesting + 1) for other in others]
        line.append(_move(node, board, known.get(node)) | ({"asides": asides} if asides else {}))
        parent, number = node, 0
    for _ in line:
        board.pop()
    return line


def _move(
    node: chess.pgn.ChildNode, board: chess.Board, found: tuple[Look, MoveReview | None] | None
) -> dict[str, Any]:
    """Also makes the move on the board."""
    san, mark, label, why = board.san(node.move), None, "", []
    said = f"{board.fullmove_number}{'.' if board.turn else '...'} {san}"
    board.push(node.move)
    move = _position(board) | {"san": san, "uci": node.move.uci()}
    score = _score_in_file(node)
    if found is not None:
        move["look"], review = found
        score = found[0]["score"]
        if review is not None:
            mark, label = review.mark, review.label
            why = review.explanation() if mark else []
    clock = node.clock()
    move |= {
        "sign": mark.sign if mark else "".join(SIGNS.get(nag, "") for nag in sorted(node.nags)),
        "kind": label if label == "book" else kind_of(mark),
        "said": said + (mark.sign if mark else "") + (f" ({label})" if label else ""),
        "why": " ".join(why),
        "before": _comment(node.starting_comment),
        "comment": _comment(node.comment),
        "clock": "" if clock is None else clock_text(1000 * clock),
        "score": score,
    }
    return {name: value for name, value in move.items() if value != ""}


def _score_in_file(node: chess.pgn.ChildNode) -> str:
    """As another program left it there."""
    found = node.eval()
    if found is None:
        return ""
    score = found.white()
    mate = score.mate()
    return Line(score.score(), mate, (0, 0, 0), ()).score_text()


def _comment(text: str) -> str:
    return COMMAND.sub("", text).strip()


def _look(here: Standing, analysis: Analysis, board: chess.Board) -> Look:
    return look(board, [here]) | ({} if here.is_over else explained(analysis.reasons))


def look(board: chess.Board, lines: Sequence[Standing]) -> Look:
    """What is known of a position from its best lines, of which there is at least one."""
    best = lines[0]
    draw = "" if best.is_over else claim(board)
    return {
        "score": best.score(),
        "points": round(best.points(chess.WHITE), 1),
        "standing": f"{draw} {best.words()} {best.expectation()}".strip(),
        "lines": [
            {"score": one.score(), "depth": one.line.depth, "moves": _moves(board, one.line.moves)}
            for one in lines
            if one.line.moves
        ],
    }


def _moves(board: chess.Board, moves: Iterable[chess.Move]) -> list[dict[str, Any]]:
    """A line of legal moves from a position, which is left as it was."""
    board = board.copy(stack=False)
    shown = []
    for move in moves:
        named = {"san": board.san(move), "uci": move.uci()}
        board.push(move)
        shown.append(named | _position(board))
    return shown


def explained(reasons: Reasons) -> dict[str, Any]:
    """The static evaluation."""
    sums = f"Sum of the terms: {reasons['weighted_sum'] / 100:+.2f}."
    if reasons["network"] is not None:
        sums += f" The network's own score: {reasons['network'] / 100:+.2f}."
    return {
        "words": "Without looking ahead: " + " ".join(reasons["words"]),
        "sums": sums,
        "terms": reasons["terms"],
        "worth": {chess.square_name(int(at)): worth for at, worth in reasons["pieces"].items()},
    }
