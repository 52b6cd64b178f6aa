"""From counted lines to a book: which positions and moves go in, and with what weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import chess

from openings.polyglot import RawEntry, raw_move
from tuning.books.graph import START_KEY, Edge, Graph, Node

LEAST_FREQUENCY = 1e-7  # rarer moves are not followed
WEIGHT_SUM = 10_000  # of the moves of a position: a weight is a share in hundredths of a percent
PRIOR_GAMES = 10.0  # results count as if so many average games had been played before
SCORE_POWER = 2.0  # a move that scores twice as well is played four times as often
HALVING_LOSS_CP = 7.0  # ... and one that loses so much half as often: small losses add up
COUNT_POWER = 0.5  # a move that was chosen four times as often is played twice as often
LEAST_COUNT = 0.02  # of a move that only the engine knows


@dataclass(frozen=True)
class Rules:
    """The thresholds for positions and moves."""

    least_count: float = 2  # of lines through a position
    least_share: float = 0.02  # of the lines of a position, for a move
    most_moves: int = 5  # of a position
    single_below: float = 0  # games through a position: there it is not worth comparing moves
    margin_cp: int = 50  # that a move may lose against the best


@dataclass
class Choice:
    """A move of the book."""

    move: chess.Move
    edge: Edge
    loss_cp: int | None  # against the best move known; None if nobody has verified it
    weight: int = 0


def candidates(node: Node, rules: Rules) -> list[chess.Move]:
    """The moves played in a position, most played first."""
    least = rules.least_share * node.count()
    played = [(move, edge) for move, edge in node.edges.items() if edge.count >= least]
    played = [(move, edge) for move, edge in played if edge.count > 0]
    played.sort(key=lambda item: (-item[1].count, item[0].uci()))
    return [move for move, _ in played[: rules.most_moves]]


def set_weights(choices: list[Choice]) -> None:
    """Weights that follow how often a move was played, how it scored, and what it loses."""
    games = sum(choice.edge.games for choice in choices)
    points = sum(choice.edge.points for choice in choices)
    mean = (points + 1) / (games + 2)  # of the position; one half where there are no games
    shares = []
    for choice in choices:
        edge = choice.edge
        score = (edge.points + PRIOR_GAMES * mean) / (edge.games + PRIOR_GAMES)
        quality = 0.5 ** ((choice.loss_cp or 0) / HALVING_LOSS_CP)
        popularity = max(edge.count, LEAST_COUNT) ** COUNT_POWER
        shares.append(popularity * (score / mean) ** SCORE_POWER * quality)
    for choice, share in zip(choices, shares, strict=True):
        choice.weight = max(1, round(WEIGHT_SUM * share / sum(shares)))


def frequencies(book: Mapping[int, list[Choice]]) -> dict[int, float]:
    """How often positions occur in games of the book against itself, from 0 to about 1."""
    frequency: dict[int, float] = {}
    reached = {START_KEY: 1.0}
    while reached:
        following: dict[int, float] = {}
        for key, share in reached.items():
            frequency[key] = frequency.get(key, 0.0) + share
            choices = book.get(key, [])
            weights = sum(choice.weight for choice in choices)
            for choice in choices:
                part = share * choice.weight / weights
                if part > LEAST_FREQUENCY:  # a book may lead in circles
                    following[choice.edge.to] = following.get(choice.edge.to, 0.0) + part
        reached = following
    return frequency


def entries(graph: Graph, book: dict[int, list[Choice]]) -> Iterable[RawEntry]:
    for key, choices in book.items():
        board = graph.board(key)
        for choice in choices:
            yield RawEntry(key, raw_move(board, choice.move), choice.weight)
