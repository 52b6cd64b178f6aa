"""`losses`: where an engine lost its games of a match."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.command_line import Whole
from openings.pgn import read_text
from tuning.matches.losses import MARGIN_CP, loser_of, loss_of, report
from tuning.matches.score import GameReader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("games", type=Path, metavar="MATCH.pgn", help="games with scores")
    add("--engine", default="wadjet", help="name of the loser (default: wadjet)")
    add("--opponent", help="name of the winner (default: any)")
    add("--margin", type=Whole(0), default=MARGIN_CP, metavar="CP",
        help=f"centipawns that the winner sees (default: {MARGIN_CP})")  # fmt: skip
    add("--last", type=Whole(1), metavar="N", help="look at the last N lost games (default: all)")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.games.exists():
        raise OSError(f"{arguments.games}: no such file")
    players: set[str | None] = set()
    lost = []
    for text in GameReader(arguments.games).new_games(all_written=True):
        game = read_text(text).game
        sides = {game.headers.get("White"), game.headers.get("Black")}
        players |= sides
        if loser_of(game) == arguments.engine and arguments.opponent in (None, *sides):
            lost.append(game)
    for name in (arguments.engine, arguments.opponent):
        if name is not None and name not in players:
            raise ValueError(f"{arguments.games}: {name} plays in no game")
    if arguments.last is not None:
        lost = lost[-arguments.last :]
    if not lost:
        raise ValueError(f"{arguments.games}: {arguments.engine} lost no game")
    found = [loss_of(game, arguments.margin) for game in lost]
    losses = [loss for loss in found if loss is not None]
    print(report(losses, len(lost), arguments.margin))
    return 0
