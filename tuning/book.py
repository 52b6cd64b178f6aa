"""`python -m tuning book`: a Polyglot book from games and lines, checked by the engine.

Everything is merged into one graph of positions. A position goes into the book if it occurred
often enough or belongs to a named opening (`--eco`); its moves are the ones played there that, in
the engine's eyes, lose no more than a margin against the best. Weights follow how often a move
was played, how it scored, and what it loses.
"""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import chess
from rich.console import Console
from rich.progress import Progress

from openings.building import Choice, Rules, candidates, entries, frequencies, learn, set_weights
from openings.graph import Graph
from openings.lines import Line, read_lines, text_suffix
from openings.names import Opening, write_names
from openings.polyglot import Book, write_book
from tuning.book_audit import audit
from tuning.position_scores import PositionScores

ENTRY_BYTES = 16
ECO_WEIGHT = 0.02  # of a game: a named move is known, but its name says little about how it is
Choices = dict[int, list[Choice]]  # the book: moves by the key of their position


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("games", nargs="*", type=Path, metavar="FILE", help="games (.pgn, .tsv) or a book (.bin)")
    add("--lines", nargs="+", type=Path, default=[], metavar="FILE",
        help="lines of theory: they count, but their results do not")  # fmt: skip
    add("--line-weight", type=float, default=0.1, help="how much of a game a line counts as")
    add("--eco", nargs="+", type=Path, default=[], metavar="FILE",
        help="tables of named openings, all of which the book answers")  # fmt: skip
    add("--eco-beyond", type=int, default=4, metavar="PLIES",
        help="how far the book goes on, at least, after a named opening")  # fmt: skip
    add("--learn", nargs="+", type=Path, default=[], metavar="FILE",
        help="games whose results change the weights, but bring no new moves")  # fmt: skip
    add("--learn-weight", type=float, default=5, help="as how many games one of these counts")
    add("--plies", type=int, default=30, help="how much of a game or line is read")
    add("--min-elo", type=int, default=0, help="leave out games of a player rated lower; unrated "
        "players pass")  # fmt: skip
    add("--results", default="1-0,1/2-1/2,0-1", help="leave out games that ended otherwise")
    add("--min-games", type=float, default=2, help="through a position, unless it is named")
    add("--min-share", type=float, default=2, metavar="PERCENT",
        help="of the games of a position, for a move")  # fmt: skip
    add("--most-moves", type=int, default=5, help="of a position")
    add("--single-below", type=float, default=0, metavar="GAMES",
        help="with --nodes: unnamed positions of fewer get one move, the engine's")  # fmt: skip
    add("--nodes", type=int, default=0, help="verify each move by a search of so many nodes")
    add("--margin", type=int, default=50, metavar="CP", help="what a verified move may lose")
    add("--deep-nodes", type=int, default=0, metavar="NODES",
        help="verify again, by so many nodes, what the book itself plays often")  # fmt: skip
    add("--often", type=float, default=1000, metavar="GAMES",
        help="what comes up once in so many of its games is played often")  # fmt: skip
    add("--scores", type=Path, help="keep the scores here, and go on from there after a break")
    add("--most-bytes", type=int, help="leave out the rarest positions beyond this size")
    add("--output", type=Path, help="the book; without it there is only the audit")
    add("--eco-output", type=Path, metavar="TSV", help="table of the names, for openings/eco.tsv")
    add("--origin", default="", help="said at the head of that table")


def run(arguments: argparse.Namespace) -> int:
    if arguments.scores is not None and not arguments.nodes:
        raise ValueError("--scores needs --nodes")
    if arguments.deep_nodes and not arguments.nodes:
        raise ValueError("--deep-nodes needs --nodes")
    console = Console(stderr=True)
    graph = Graph()
    names = _read_eco(graph, arguments.eco)
    _read_games(graph, arguments, console)
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
    console.print(f"{len(graph.nodes)} positions read, {len(wanted)} wanted")
    if arguments.nodes:
        with closing(PositionScores(arguments.nodes, arguments.scores)) as scores:
            book = _choose(graph, wanted, named, reserves, rules, scores, console)
        if arguments.deep_nodes:
            path = arguments.scores
            path = path and path.with_name(path.name + ".deep")
            with closing(PositionScores(arguments.deep_nodes, path)) as scores:
                _deepen(graph, book, named, rules, scores, 1 / arguments.often, console)
    else:
        book = _choose(graph, wanted, named, reserves, rules, None, console)
    if arguments.most_bytes is not None:
        order = sorted(book, key=lambda key: key not in reserves)  # named openings first
        book = _fitting(book, order, arguments.most_bytes // ENTRY_BYTES)
    for text in audit(graph, book, names):
        print(text)
    if arguments.output is not None:
        count = write_book(arguments.output, entries(graph, book))
        print(f"{arguments.output}: {count} entries, {count * ENTRY_BYTES} bytes")
    if arguments.eco_output is not None:
        write_names(arguments.eco_output, names, arguments.origin)
        print(f"{arguments.eco_output}: {len(names)} names")
    return 0


# --- Reading -------------------------------------------------------------------------------------


def _read_eco(graph: Graph, paths: Iterable[Path]) -> dict[int, Opening]:
    """Names by position. They do not count as played: how many variations of a line have got a
    name says little about the line."""
    names = {}
    for path in paths:
        for line in read_lines(path, most_plies=1000):
            if line.error is not None or not {"eco", "name"} <= line.tags.keys():
                raise ValueError(f"{line.place}: {line.error or 'no columns eco and name'}")
            graph.add(line.moves, weight=ECO_WEIGHT)
            *_, last = graph.keys_along(line.moves)
            names[last] = Opening(line.tags["eco"], line.tags["name"])
    return names


def _read_games(graph: Graph, arguments: argparse.Namespace, console: Console) -> None:
    wanted_results = set(arguments.results.split(","))
    for path in arguments.games:
        if text_suffix(path) == ".bin":
            graph.add_book(Book(path))
            continue
        for line in _lines(path, arguments.plies, console):
            elo = line.lower_elo()
            if elo and elo < arguments.min_elo:
                continue
            if line.tags.get("result", "*") in wanted_results:
                graph.add(line.moves, line.white_points())
    for path in arguments.lines:
        for line in _lines(path, arguments.plies, console):
            graph.add(line.moves, weight=arguments.line_weight)
    for path in arguments.learn:
        for line in _lines(path, arguments.plies, console):
            learn(graph, line, arguments.learn_weight)


def _lines(path: Path, most_plies: int, console: Console) -> Iterator[Line]:
    """The lines of a file; what is wrong in it is told once."""
    bad = 0
    first = ""
    with console.status(f"reading {path}"):
        for line in read_lines(path, most_plies):
            if line.error is not None:
                first = first or f"{line.place}: {line.error}"
                bad += 1
            yield line
    if bad:
        console.print(f"{bad} lines were cut short; {first}")


# --- Choosing ------------------------------------------------------------------------------------


def _choose(
    graph: Graph,
    wanted: list[int],
    named: Container[int],
    reserves: dict[int, int],
    rules: Rules,
    scores: PositionScores | None,
    console: Console,
) -> Choices:
    """The moves of each wanted position. `reserves` says after which of them the best move's
    successor is wanted too, and for how many plies. Where moves were compared every successor is
    wanted, the bad moves' too: it has been searched, so the answer to it is known."""
    book: Choices = {}
    queue = list(wanted)
    queued = set(queue)
    with Progress(console=console, refresh_per_second=1) as progress:
        task = progress.add_task("verifying" if scores else "choosing", total=len(queue))
        for key in queue:  # grows
            single = _is_single(graph, key, named, rules)
            compared = _compared(graph, key, rules, scores, single)
            if compared:
                book[key] = choices = _good(compared, rules.margin_cp)
                following = [] if single or scores is None else [c.edge.to for c in compared]
                reserve = reserves.get(key, 0)
                if reserve > 0:
                    best = max(choices, key=lambda choice: choice.weight).edge.to
                    reserves[best] = max(reserve - 1, reserves.get(best, 0))
                    following.append(best)
                for successor in following:
                    if successor not in queued:
                        queue.append(successor)
                        queued.add(successor)
            progress.update(task, advance=1, total=len(queue))
    return book


def _is_single(graph: Graph, key: int, named: Container[int], rules: Rules) -> bool:
    """Is only the engine's move wanted? What nobody played gets an answer too, but is not gone on
    from without end."""
    count = graph.nodes[key].count()
    return key not in named and (count == 0 or count < rules.single_below)


def _deepen(
    graph: Graph,
    book: Choices,
    named: Container[int],
    rules: Rules,
    scores: PositionScores,
    least: float,
    console: Console,
) -> None:
    """Choose again in the positions that come up at least so often. What then is played more often
    than before comes next."""
    done: set[int] = set()
    with Progress(console=console, refresh_per_second=1) as progress:
        task = progress.add_task("verifying deeper", total=0)
        while often := [
            key
            for key, share in frequencies(book).items()
            if share >= least and key in book and key not in done
        ]:
            progress.update(task, total=len(done) + len(often))
            for key in often:
                single = _is_single(graph, key, named, rules)
                compared = _compared(graph, key, rules, scores, single)
                if compared:
                    book[key] = _good(compared, rules.margin_cp)
                done.add(key)
                progress.update(task, advance=1)


def _compared(
    graph: Graph, key: int, rules: Rules, scores: PositionScores | None, single: bool
) -> list[Choice]:
    """What was played in a position and what the engine would play, with what each move loses.
    A `single` move is the engine's."""
    node = graph.nodes[key]
    if scores is None:
        return [Choice(move, node.edges[move], None) for move in candidates(node, rules)]
    board = graph.board(key)
    best = scores.score(key, board).best
    if not best:
        return []
    own = chess.Move.from_uci(best)
    moves = [] if single else candidates(node, rules)
    if own not in moves:
        moves.append(own)
    if len(moves) == 1:
        return [Choice(own, graph.extend(key, own), 0)]
    replies = []
    for move in moves:
        edge = graph.extend(key, move)
        board.push(move)
        replies.append(-scores.score(edge.to, board).cp)
        board.pop()
    return [
        Choice(move, node.edges[move], max(replies) - reply)
        for move, reply in zip(moves, replies, strict=True)
    ]


def _good(compared: list[Choice], margin_cp: int) -> list[Choice]:
    """The moves for the book, weighed: of the good ones those that were played, else the best."""
    good = [choice for choice in compared if (choice.loss_cp or 0) <= margin_cp]
    choices = [choice for choice in good if choice.edge.count > 0] or [
        min(good, key=lambda choice: choice.loss_cp or 0)
    ]
    set_weights(choices)
    return choices


def _fitting(book: Choices, order: list[int], most_entries: int) -> Choices:
    """As many positions as there is room for."""
    fitting: Choices = {}
    room = most_entries
    for key in order:
        room -= len(book[key])
        if room < 0:
            break
        fitting[key] = book[key]
    return fitting
