"""`import`: gather positions, to fit on, from games and other files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.command_line import Whole
from tuning.data.dataset import NO_RESULT, NO_SCORE
from tuning.data.filters import Wanted, chosen
from tuning.data.readers import Batch, read, whole
from tuning.progress import progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE",
        help=".games, .pgn, .epd or .csv, also compressed")  # fmt: skip
    add("-o", "--output", type=Path, required=True, metavar="FILE.positions")
    add("--noisy", action="store_true", help="keep positions in check or with captures to win")
    add("--least-ply", type=Whole(0), default=Wanted.least_ply, metavar="PLY",
        help=f"drop earlier positions (default: {Wanted.least_ply})")  # fmt: skip
    add("--most-ply", type=Whole(0), default=Wanted.most_ply, metavar="PLY",
        help=f"drop later positions (default: {Wanted.most_ply})")  # fmt: skip
    add("--largest-score", type=Whole(0), default=Wanted.largest_score, metavar="CP",
        help=f"drop larger scores (default: {Wanted.largest_score})")  # fmt: skip
    add("--most-a-game", type=Whole(1), metavar="N",
        help="keep at most N positions of each game (default: all)")  # fmt: skip
    add("--duplicates", action="store_true", help="keep duplicates")
    add("--unlabelled", action="store_true", help="keep positions without a label, for `label`")
    add("--seed", type=Whole(0), default=1, help="seed of the choice within a game (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    """1 if anything was left out of a game."""
    wanted = Wanted(
        quiet=not arguments.noisy,
        least_ply=arguments.least_ply,
        most_ply=arguments.most_ply,
        largest_score=arguments.largest_score,
        most_a_game=arguments.most_a_game,
        unique=not arguments.duplicates,
        labelled=not arguments.unlabelled,
        seed=arguments.seed,
    )
    sources: list[str] = []
    batches: list[Batch] = []
    left_out: list[str] = []
    with progress_bar("files") as bar:
        task = bar.add_task("reading", total=len(arguments.files), note="")
        for path in arguments.files:
            for batch in read(path, sources, left_out.append):
                batches.append(batch)
                count = sum(len(each.records) for each in batches)
                bar.update(task, note=f"{count} positions")
            bar.update(task, advance=1)
    for text in left_out:
        print(text, file=sys.stderr)
    dataset, everything = whole(batches, sources)
    if not len(dataset):
        raise ValueError(f"{', '.join(map(str, arguments.files))}: no positions")
    dataset.records, removed = chosen(everything, wanted)
    dataset.notes = {"files": [path.name for path in arguments.files]}
    print(f"{len(everything.records):10} read")
    for name, count in removed.items():
        print(f"{count:10} removed: {name}")
    print(f"{len(dataset):10} kept, of {len(set(dataset.game_numbers().tolist()))} games")
    if not len(dataset):
        raise ValueError("no position is left; no file was written")
    with_score = int((dataset.records["score"] != NO_SCORE).sum())
    with_result = int((dataset.records["result"] != NO_RESULT).sum())
    print(f"{with_result:10} with a result, {with_score} with a score from {len(sources)} sources")
    dataset.save(arguments.output)
    return 1 if left_out else 0
