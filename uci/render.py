"""Turns events and results of the engine into text of the protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine import __version__
from engine.events import CurrentMove, Score, SearchEvent, SearchInfo, SearchResult

if TYPE_CHECKING:
    from engine.bench import BenchResult
    from uci.protocol import Command

NAME = f"Wadjet {__version__}"
AUTHOR = "the Wadjet developers"
BANNER = f"{NAME} by {AUTHOR}"
# At a terminal, which a double click opens on Windows.
GREETING = (
    f"{NAME}, an engine for chess GUIs. Here play starts a game, board one in your browser, and "
    "help lists the commands."
)


def identity(options: Iterable[str]) -> str:
    """The answer to `uci`; `options` are the lines that announce them."""
    return "\n".join([f"id name {NAME}", f"id author {AUTHOR}", *options, "uciok"])


def event(what: SearchEvent) -> str:
    """The line for any event of a search."""
    match what:
        case SearchInfo():
            return info(what)
        case CurrentMove():
            return f"info depth {what.depth} currmove {what.move} currmovenumber {what.number}"
        case SearchResult():
            return best_move(what)
        case _:
            return message(what.text)


def info(line: SearchInfo) -> str:
    """GUIs and test suites rely on this order, and on numbers being whole."""
    words = [f"info depth {line.depth} seldepth {line.selective_depth} multipv {line.multi_pv}"]
    words.append(f"score {score(line.score)}")
    if line.bound != "exact":
        words.append(f"{line.bound}bound")
    if line.win_draw_loss is not None:
        words.append("wdl " + " ".join(str(int(share)) for share in line.win_draw_loss))
    words.append(f"nodes {int(line.nodes)} nps {int(line.nodes_per_second)}")
    words.append(f"hashfull {int(line.hash_full_per_mille)} tbhits {int(line.tablebase_hits)}")
    words.append(f"time {int(line.time_ms)}")
    if line.pv:
        words.append("pv " + " ".join(line.pv))
    return " ".join(words)


def score(value: Score) -> str:
    if value.mate is not None:
        return f"mate {int(value.mate)}"
    return f"cp {int(value.centipawns or 0)}"


def message(text: str) -> str:
    """One `info string` for each line of the text."""
    return "\n".join(f"info string {line}" for line in text.splitlines() or [""])


def best_move(result: SearchResult) -> str:
    if result.best_move is None:
        return "bestmove (none)"
    if result.ponder is None:
        return f"bestmove {result.best_move}"
    return f"bestmove {result.best_move} ponder {result.ponder}"


def perft(counts: Iterable[tuple[str, int]]) -> str:
    """The count below each root move, and their sum."""
    counts = list(counts)
    lines = [f"{move}: {nodes}" for move, nodes in counts]
    return "\n".join([*lines, "", f"Nodes searched: {sum(nodes for _, nodes in counts)}"])


def bench(result: BenchResult) -> str:
    """The last lines of `bench`, which test frameworks read."""
    return "\n".join(
        [
            "",
            f"Total time (ms) : {result.time_ms}",
            f"Nodes searched  : {result.nodes}",
            f"Nodes/second    : {result.nodes_per_second}",
        ]
    )


def commands(known: Iterable[type[Command]]) -> str:
    """The answer to `help`: syntax and purpose of each command."""
    return "\n".join(f"{command.usage}\n    {command.__doc__}" for command in known)
