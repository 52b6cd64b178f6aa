"""A report on a finished book, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random

import chess

from openings.game import Opening
from tuning.books.building import Choice
from tuning.books.graph import START_KEY, Graph

WORST_SHOWN = 10
THINNEST_SHOWN = 5
MISSING_SHOWN = 20
GAMES = 400
TOLD_APART_PLY = 12
MOST_PLIES = 60  # moves of a book can lead in a circle
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
    yield from _games(book)
    yield from _worst(graph, book)


def _depths(graph: Graph, book: Mapping[int, list[Choice]]) -> Iterator[str]:
    positions = Counter(graph.nodes[key].ply for key in book)
    yield "positions by ply:"
    for ply in sorted(positions):
        yield f"  {ply:3} {positions[ply]:6}"


def _chapters(
    graph: Graph, book: Mapping[int, list[Choice]], names: Mapping[int, Opening]
) -> Iterator[str]:
    """Positions of each ECO code, and how far the book continues its named lines."""
    positions: Counter[str] = Counter()
    for key in book:
        name = name_of(graph, key, names)
        if name is not None:
            positions[name.code] += 1
    beyond: dict[str, int] = {}
    for key, opening in names.items():
        plies = _plies_on(book, key)
        beyond[opening.code] = min(plies, beyond.get(opening.code, plies))
    missing = [code for code in ALL_CODES if not beyond.get(code)]
    yield f"ECO codes with a reply to every named line: {len(ALL_CODES) - len(missing)} of 500"
    if missing:
        more = f" and {len(missing) - MISSING_SHOWN} more" if len(missing) > MISSING_SHOWN else ""
        yield "  without: " + " ".join(missing[:MISSING_SHOWN]) + more
    yield "  fewest positions: " + _fewest(positions)
    yield "  fewest plies beyond a named line, by the heaviest moves: " + _fewest(beyond)


def _plies_on(book: Mapping[int, list[Choice]], key: int) -> int:
    """How many plies the book lasts if both sides play the move of the greatest weight."""
    plies = 0
    while key in book and plies < MOST_PLIES:
        key = max(book[key], key=lambda choice: choice.weight).edge.to
        plies += 1
    return plies


def _fewest(counts: Mapping[str, int]) -> str:
    thinnest = sorted(counts, key=lambda code: (counts[code], code))[:THINNEST_SHOWN]
    return ", ".join(f"{code} {counts[code]}" for code in thinnest)


def name_of(graph: Graph, key: int, names: Mapping[int, Opening]) -> Opening | None:
    """The last name on the way to a position."""
    at: int | None = key
    while at is not None:
        if at in names:
            return names[at]
        at = graph.nodes[at].before
    return None


def _games(book: Mapping[int, list[Choice]]) -> Iterator[str]:
    """How varied the book's games against itself are, and what its moves lose."""
    dice = Random(1)
    plies = losses = 0
    reached = set()
    for _ in range(GAMES):
        key = START_KEY
        for ply in range(MOST_PLIES):
            if ply == TOLD_APART_PLY:
                reached.add(key)
            choices = book.get(key)
            if not choices:
                break
            (choice,) = dice.choices(choices, [choice.weight for choice in choices])
            plies += 1
            losses += choice.loss_cp or 0
            key = choice.edge.to
    yield (
        f"{GAMES} games of the book against itself: {plies / GAMES:.1f} plies, "
        f"{len(reached)} different positions after {TOLD_APART_PLY}, "
        f"{losses / GAMES / 2:.1f} cp lost by each side"
    )


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
    yield f"moves that lose most against the best, of {len(losses)} verified:"
    losses.sort(key=lambda item: (-item[0], item[1]))
    for loss_cp, key, choice in losses[:WORST_SHOWN]:
        board = chess.Board()
        way = board.variation_san([*graph.way(key), choice.move])
        yield f"  {loss_cp:3} cp, weight {choice.weight}: {way}"
