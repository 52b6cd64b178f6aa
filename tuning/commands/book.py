"""`book`: build a Polyglot book from games and lines, checked by the engine.

All input is merged into one graph of positions. A position enters the book if it occurred often
enough or belongs to a named opening (`--eco`). Its book moves are those that were played there and
that, by the engine's search, lose at most a margin against the best move. The weight of a move
grows with how often it was played and how it scored, and falls with what it loses.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from engine.command_line import UsageError, Whole
from openings.game import Opening, write_names
from openings.polyglot import write_book
from tuning.books.audit import audit
from tuning.books.building import Rules, choose, deepen, entries, most_that_fit
from tuning.books.graph import Graph
from tuning.books.position_scores import PositionScores
from tuning.data.lines import OpeningLine, read_lines

ENTRY_BYTES = 16
LINE_WEIGHT = 0.1  # of a game: nobody had to find its moves at the board
ECO_WEIGHT = 0.02  # of a game: a named move is known, but its name says little about how it is


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("games", nargs="*", type=Path, metavar="FILE", help="games (.pgn, .tsv)")
    add("--lines", nargs="+", type=Path, default=[], metavar="FILE",
        help="lines of theory, counted without their results")  # fmt: skip
    add("--eco", nargs="+", type=Path, default=[], metavar="FILE",
        help="tables of named openings; the book has a reply to each of them")  # fmt: skip
    add("--eco-beyond", type=Whole(0), default=4, metavar="PLIES",
        help="continue the book at least this far after a named opening (default: 4)")  # fmt: skip
    add("--plies", type=Whole(1), default=30,
        help="read this many plies of a game or line (default: 30)")  # fmt: skip
    add(
        "--min-games",
        type=float,
        default=2,
        help="least games through an unnamed position (default: 2)",
    )
    add("--min-share", type=float, default=2, metavar="PERCENT",
        help="least share of a position's games for a move (default: 2)")  # fmt: skip
    add("--most-moves", type=Whole(1), default=5, help="most moves of a position (default: 5)")
    add("--single-below", type=float, default=0, metavar="GAMES",
        help="with --nodes: the engine's move alone for unnamed positions with fewer "
        "games")  # fmt: skip
    add("--nodes", type=Whole(0), default=0, help="verify each move by a search of this many nodes")
    add(
        "--margin",
        type=Whole(0),
        default=50,
        metavar="CP",
        help="most centipawns a verified move may lose (default: 50)",
    )
    add("--deep-nodes", type=Whole(0), default=0, metavar="NODES",
        help="verify positions that the book reaches often with this many")  # fmt: skip
    add(
        "--often",
        type=float,
        default=1000,
        metavar="GAMES",
        help="often means at least once in this many games of the book (default: 1000)",
    )
    add("--scores", type=Path, help="save scores in this file and resume from it")
    add("--most-bytes", type=Whole(0), help="drop the rarest positions beyond this size")
    add("-o", "--output", type=Path, metavar="FILE.bin",
        help="book to write (default: none, only the audit is printed)")  # fmt: skip
    add(
        "--eco-output",
        type=Path,
        metavar="TSV",
        help="write the table of names, for openings/eco.tsv",
    )
    add("--origin", default="", help="origin of the names, for the head of that table")


def run(arguments: argparse.Namespace) -> int:
    """1 if anything was left out of a game or line."""
    if arguments.scores is not None and not arguments.nodes:
        raise UsageError("--scores needs --nodes")
    if arguments.deep_nodes and not arguments.nodes:
        raise UsageError("--deep-nodes needs --nodes")
    if arguments.often <= 0:
        raise UsageError("--often must be more than 0")
    graph = Graph()
    names = _read_eco(graph, arguments.eco)
    left_out = _read_games(graph, arguments)
    rules = Rules(
        arguments.min_games,
        arguments.min_share / 100,
        arguments.most_moves,
        arguments.single_below,
        arguments.margin,
    )
    reserves = dict.fromkeys(names, arguments.eco_beyond)
    for key in list(names):
        for before in graph.keys_along(graph.way(key)):
            reserves.setdefault(before, arguments.eco_beyond)
    named = frozenset(reserves)
    wanted = [
        key
        for key, node in graph.nodes.items()
        if key in reserves or node.count() >= rules.least_count
    ]
    wanted.sort(key=lambda key: (key not in reserves, -graph.nodes[key].count()))
    print(f"{len(graph.nodes)} positions read, {len(wanted)} wanted", file=sys.stderr)
    if arguments.nodes:
        with closing(PositionScores(arguments.nodes, arguments.scores)) as scores:
            book = choose(graph, wanted, named, reserves, rules, scores)
        if arguments.deep_nodes:
            path = arguments.scores
            path = path and path.with_name(path.name + ".deep")
            with closing(PositionScores(arguments.deep_nodes, path)) as scores:
                deepen(graph, book, named, rules, scores, 1 / arguments.often)
    else:
        book = choose(graph, wanted, named, reserves, rules, None)
    if arguments.most_bytes is not None:
        order = sorted(book, key=lambda key: key not in reserves)  # named openings first
        book = most_that_fit(book, order, arguments.most_bytes // ENTRY_BYTES)
    for text in audit(graph, book, names):
        print(text)
    if arguments.output is not None:
        if not book:
            raise ValueError("no position has a book move: no book was written")
        count = write_book(arguments.output, entries(graph, book))
        print(f"{arguments.output}: {count} entries, {count * ENTRY_BYTES} bytes")
    if arguments.eco_output is not None:
        write_names(arguments.eco_output, names, arguments.origin)
        print(f"{arguments.eco_output}: {len(names)} names")
    return 1 if left_out else 0


# --- Reading -------------------------------------------------------------------------------------


def _read_eco(graph: Graph, paths: Iterable[Path]) -> dict[int, Opening]:
    """Names by position. They hardly count as played: how many variations of a line are named
    says little about the line."""
    names = {}
    for path in paths:
        for line in read_lines(path, most_plies=1000):
            if line.left_out or not {"eco", "name"} <= line.tags.keys():
                raise ValueError(next(iter(line.left_out), f"{path}: no columns eco and name"))
            graph.add(line.moves, weight=ECO_WEIGHT)
            *_, last = graph.keys_along(line.moves)
            names[last] = Opening(line.tags["eco"], line.tags["name"])
    return names


def _read_games(graph: Graph, arguments: argparse.Namespace) -> int:
    """Returns how often something was left out."""
    left_out: list[str] = []
    for path in arguments.games:
        for line in _lines(path, arguments.plies, left_out):
            graph.add(line.moves, line.white_points())
    for path in arguments.lines:
        for line in _lines(path, arguments.plies, left_out):
            graph.add(line.moves, weight=LINE_WEIGHT)
    return len(left_out)


def _lines(path: Path, most_plies: int, left_out: list[str]) -> Iterator[OpeningLine]:
    """The lines of a file. What is left out is printed and added to the list."""
    print(f"reading {path}", file=sys.stderr)
    for line in read_lines(path, most_plies):
        for text in line.left_out:
            print(text, file=sys.stderr)
        left_out += line.left_out
        yield line
