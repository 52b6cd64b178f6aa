"""Judges games of people and looks for contradictions between text, bar, board and file.

    python -m tests.benchmarks.judged_games GAMES.pgn [--nodes 100000] [--threads 2]

prints the contradictions, and by rating how many moves have marks, and the accuracies.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import chess
import chess.pgn

from engine.limits import Limits
from uci.analysis.batch import GAME_LIMITS, Analysts
from uci.analysis.judgement import Mark, Review, rating_in, review
from uci.analysis.pgn import SIGNS, annotate
from uci.analysis.sheet import sheet

BAND = 400  # rating points


def contradictions(found: Review) -> Iterator[str]:
    """Between the review, the annotated game and what the page shows. Annotates the game."""
    annotate(found)
    shown = sheet(found.game, found)
    game = chess.pgn.read_game(io.StringIO(str(found.game)))
    assert game is not None
    nodes = list(game.mainline())
    looks = [shown["start"]["look"], *(move["look"] for move in shown["line"])]
    for here, look in zip(found.standings, looks, strict=True):
        yield from _of_position(here.points(chess.WHITE), look)
    for move, node, seen in zip(found.moves, nodes, shown["line"], strict=True):
        signs = "".join(sign for nag, sign in SIGNS.items() if nag in node.nags)
        title = move.mark.title if move.mark else ""
        if signs != seen.get("sign", "") or (move.mark and signs != move.mark.sign):
            yield f"{move.name}: the file has {signs!r}, the page {seen.get('sign', '')!r}"
        if move.mark and not node.comment.startswith(f"{title} ("):
            yield f"{move.name}: the file does not say why"
        if move.mark and move.after.points(move.board.turn) > move.before.points(move.board.turn):
            yield f"{move.name}: marked, and the side stands better"
        if bool(move.mark) != bool(seen.get("why")):
            yield f"{move.name}: the page does not say why"
        score = node.eval()
        if score is not None and not move.after.is_over:
            white = score.white()
            text = f"#{white.mate()}" if white.is_mate() else f"{white.score() / 100:+.2f}"
            if text != seen["look"]["score"]:
                yield f"{move.name}: {text} in the file, {seen['look']['score']} on the page"
    for side, row in zip(chess.COLORS, shown["sides"], strict=True):
        tag = game.headers.get(f"{'White' if side else 'Black'}Accuracy", "\N{EN DASH}")
        if row["accuracy"] != tag:
            yield f"accuracy {tag} in the file, {row['accuracy']} on the page"
        counted = [sum(move.mark is mark for move in found.moves if move.board.turn == side)
                   for mark in Mark]  # fmt: skip
        if counted != [count for _, _, count, _ in row["marks"]]:
            yield "marks are counted otherwise than shown"


def _of_position(points: float, look: dict[str, object]) -> Iterator[str]:
    words, score = str(look["standing"]), str(look["score"])
    side = words.split()[0]
    if "has won" in words:
        side = words.split()[1]
        if look.get("lines") or look.get("words"):
            yield f"{words} And yet there is more to say."
    if abs(points - float(str(look["points"]))) > 0.06:
        yield f"the bar shows {look['points']}, the result is {points}"
    if (side == "White" and points <= 50) or (side == "Black" and points >= 50):
        yield f"{words} beside a bar of {points:.1f}"
    if score[0] in "+-" and (score[0] == "+") != (points >= 50):
        yield f"{score} beside a bar of {points:.1f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", type=Path, metavar="GAMES.pgn")
    parser.add_argument("--nodes", type=int, default=GAME_LIMITS.nodes)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    analysts, problems = Analysts(arguments.threads), 0
    bands: dict[int, list[Review]] = {}
    with arguments.games.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            nodes = [game, *game.mainline()]
            analyses = dict(analysts.analyse(nodes, Limits(nodes=arguments.nodes)))
            found = review(game, [analyses[node] for node in nodes])
            bands.setdefault(rating_in(game) // BAND * BAND, []).append(found)
            for problem in contradictions(found):
                problems += 1
                print(f"{found.title}: {problem}", flush=True)
    for band, reviews in sorted(bands.items()):
        moves = [move for one in reviews for move in one.moves]
        marks = (100 * sum(move.mark is mark for move in moves) / len(moves) for mark in Mark)
        accuracies = [side_found.percent for one in reviews for side in chess.COLORS
                      if (side_found := one.accuracy(side))]  # fmt: skip
        shares = ", ".join(
            f"{share:.1f} {mark.sign}" for share, mark in zip(marks, Mark, strict=True)
        )
        print(f"{band} to {band + BAND - 1}: {len(reviews)} games, {len(moves)} moves, "
              f"of 100 moves {shares}; accuracy {mean(accuracies or [0]):.1f}")  # fmt: skip
    print(f"{problems} contradictions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
