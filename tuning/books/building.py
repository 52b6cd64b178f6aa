"""From counted lines to a book: which positions and moves go in, and with what weight.

Of the good moves it plays those that were played, else the engine's.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import chess

from openings.polyglot import RawEntry, raw_move
from tuning.books.graph import START_KEY, Edge, Graph, Node
from tuning.books.position_scores import PositionScores
from tuning.progress import progress_bar

LEAST_FREQUENCY = 1e-7  # rarer moves are not followed
WEIGHT_SUM = 10_000  # of the moves of a position: a weight is a share in hundredths of a percent
PRIOR_GAMES = 10.0  # average games that results are mixed with
SCORE_POWER = 2.0  # a move that scores twice as well is played four times as often
HALVING_LOSS_CP = 7.0  # ... and one that loses this much half as often: small losses add up
COUNT_POWER = 0.5  # a move that was chosen four times as often is played twice as often
LEAST_COUNT = 0.02  # of a move that nobody played


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


Choices = dict[int, list[Choice]]  # the book: moves by the key of their position


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


def choose(
    graph: Graph,
    wanted: list[int],
    named: Container[int],
    reserves: dict[int, int],
    rules: Rules,
    scores: PositionScores | None,
) -> Choices:
    """The moves of each wanted position.

    `reserves`: for how many more plies to follow the best move after a position. Where moves were
    compared, all their successors enter too, even those of bad moves: they have been searched, so
    the reply is known.
    """
    book: Choices = {}
    queue = list(wanted)
    queued = set(queue)
    with progress_bar("positions") as progress:
        task = progress.add_task("verifying" if scores else "choosing", total=len(queue), note="")
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
    """Does this position get the engine's move only?

    So do positions that nobody reached: the book replies to them without growing for ever.
    """
    count = graph.nodes[key].count()
    return key not in named and (count == 0 or count < rules.single_below)


def deepen(
    graph: Graph,
    book: Choices,
    named: Container[int],
    rules: Rules,
    scores: PositionScores,
    least: float,
) -> None:
    """Choose again where the book arrives with a probability of `least` or more.

    New choices make other positions frequent; repeat until all frequent ones are done.
    """
    done: set[int] = set()
    with progress_bar("positions") as progress:
        task = progress.add_task("verifying deeper", total=0, note="")
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
    """The candidate moves of a position and the engine's own, with what each of them loses.

    `single`: only the engine's.
    """
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
    """The book moves with their weights: the good ones that were played, else the best."""
    good = [choice for choice in compared if (choice.loss_cp or 0) <= margin_cp]
    choices = [choice for choice in good if choice.edge.count > 0] or [
        min(good, key=lambda choice: choice.loss_cp or 0)
    ]
    set_weights(choices)
    return choices


def most_that_fit(book: Choices, order: list[int], most_entries: int) -> Choices:
    """The first positions of `order` that fit into `most_entries`."""
    fitting: Choices = {}
    room = most_entries
    for key in order:
        room -= len(book[key])
        if room < 0:
            break
        fitting[key] = book[key]
    return fitting
