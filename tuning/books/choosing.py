"""Which moves a book plays: of the good ones those that were played, else the engine's."""

from __future__ import annotations

from collections.abc import Container

import chess

from tuning.books.building import Choice, Rules, candidates, frequencies, set_weights
from tuning.books.graph import Graph
from tuning.books.position_scores import PositionScores
from tuning.progress import progress_bar

Choices = dict[int, list[Choice]]  # the book: moves by the key of their position


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
