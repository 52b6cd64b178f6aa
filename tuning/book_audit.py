"""What a built book holds, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import chess

from openings.building import Choice
from openings.graph import Graph
from openings.names import Opening

WORST_SHOWN = 10
THINNEST_SHOWN = 5
MISSING_SHOWN = 20
ALL_CODES = [f"{volume}{number:02}" for volume in "ABCDE" for number in range(100)]


def audit(
    graph: Graph, book: Mapping[int, list[Choice]], names: Mapping[int, Opening]
) -> Iterator[str]:
    """Size, depths, chapters and the worst moves, a line each."""
    moves = sum(map(len, book.values()))
    yield f"{len(book)} positions, {moves} moves"
    yield from _depths(graph, book)
    if names:
        yield from _chapters(graph, book, names)
    yield from _worst(graph, book)


def _depths(graph: Graph, book: Mapping[int, list[Choice]]) -> Iterator[str]:
    positions = Counter(graph.nodes[key].ply for key in book)
    yield "positions by ply:"
    for ply in sorted(positions):
        yield f"  {ply:3} {positions[ply]:6}"


def _chapters(
    graph: Graph, book: Mapping[int, list[Choice]], names: Mapping[int, Opening]
) -> Iterator[str]:
    """How many positions each ECO code has, and how far it goes on after its shortest line."""
    positions: Counter[str] = Counter()
    deepest: Counter[str] = Counter()
    shortest: dict[str, int] = {}
    for key, opening in names.items():
        ply = graph.nodes[key].ply
        shortest[opening.code] = min(ply, shortest.get(opening.code, ply))
    for key in book:
        name = name_of(graph, key, names)
        if name is not None:
            positions[name.code] += 1
            deepest[name.code] = max(deepest[name.code], graph.nodes[key].ply)
    missing = [code for code in ALL_CODES if code not in positions]
    yield f"ECO codes covered: {len(ALL_CODES) - len(missing)} of {len(ALL_CODES)}"
    if missing:
        more = f" and {len(missing) - MISSING_SHOWN} more" if len(missing) > MISSING_SHOWN else ""
        yield "  missing: " + " ".join(missing[:MISSING_SHOWN]) + more
    covered = [code for code in ALL_CODES if code in positions]
    yield "  fewest positions: " + ", ".join(
        f"{code} {positions[code]}"
        for code in sorted(covered, key=positions.__getitem__)[:THINNEST_SHOWN]
    )
    beyond = {code: deepest[code] + 1 - shortest[code] for code in covered}
    yield "  fewest plies after the shortest line: " + ", ".join(
        f"{code} {beyond[code]}"
        for code in sorted(covered, key=beyond.__getitem__)[:THINNEST_SHOWN]
    )


def name_of(graph: Graph, key: int, names: Mapping[int, Opening]) -> Opening | None:
    """The last name on the way to a position."""
    at: int | None = key
    while at is not None:
        if at in names:
            return names[at]
        at = graph.nodes[at].before
    return None


def _worst(graph: Graph, book: Mapping[int, list[Choice]]) -> Iterator[str]:
    losses = [
        (choice.loss_cp, key, choice)
        for key, choices in book.items()
        for choice in choices
        if choice.loss_cp is not None
    ]
    if not losses:
        yield "no move was verified"
        return
    yield f"moves that lose against the best, worst of {len(losses)} verified ones:"
    losses.sort(key=lambda item: (-item[0], item[1]))
    for loss_cp, key, choice in losses[:WORST_SHOWN]:
        board = chess.Board()
        way = board.variation_san([*graph.way(key), choice.move])
        yield f"  {loss_cp:3} cp, weight {choice.weight}: {way}"
