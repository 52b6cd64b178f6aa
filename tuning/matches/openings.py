"""Openings of a match: each is played once, with both colours, before any is played again.

At a fixed number of nodes the same engines play the same opening alike, so a repeated opening is no
new evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from engine.files import write_text
from tuning.selfplay.starts import Book, RandomStarts

MOST_RANDOM = 1000  # to make one takes milliseconds


def shuffled(book: Book, seed: int) -> Iterator[str]:
    """FENs of all openings in random order, then of all again in another, without end."""
    random = Random(seed)
    while True:
        order = list(range(len(book)))
        random.shuffle(order)
        yield from (book[index] for index in order)


def check_book(path: Path, rounds: int, fixed_nodes: bool) -> None:
    """OSError or ValueError if the book is too small for the rounds."""
    book = Book(path)
    _ = book[0]
    if fixed_nodes and rounds > len(book):
        raise ValueError(
            f"{path}: {len(book)} openings make {2 * len(book)} different games at fixed nodes, "
            f"not {2 * rounds}"
        )


def write_random_openings(path: Path, rounds: int, fixed_nodes: bool, seed: int) -> None:
    """A book of different openings by random moves: one for each round, by the clock at most
    MOST_RANDOM."""
    random, starts = Random(seed), RandomStarts()
    found: dict[str, None] = {}
    while len(found) < (rounds if fixed_nodes else min(rounds, MOST_RANDOM)):
        found[starts.choose(random)] = None
    write_text(path, "\n".join(found))
