"""tuning.books.graph and tuning.books.building: merging lines, leaving out, weighing."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.polyglot
import pytest

from openings.polyglot import Book, write_book
from tuning.books.building import (
    HALVING_LOSS_CP,
    Choice,
    Rules,
    candidates,
    entries,
    frequencies,
    set_weights,
)
from tuning.books.graph import START_KEY, Graph


def moves_of(text: str) -> list[chess.Move]:
    board = chess.Board()
    return [board.push_san(san) for san in text.split()]


def graph_of(*games: tuple[str, float | None]) -> Graph:
    graph = Graph()
    for text, white_points in games:
        graph.add(moves_of(text), white_points)
    return graph


def choices_at(graph: Graph, text: str = "") -> dict[str, Choice]:
    *_, key = graph.keys_along(moves_of(text))
    board = graph.board(key)
    choices = [
        Choice(move, graph.nodes[key].edges[move], None)
        for move in candidates(graph.nodes[key], Rules(least_share=0))
    ]
    set_weights(choices)
    return {board.san(choice.move): choice for choice in choices}


def test_transpositions_meet() -> None:
    graph = graph_of(("d4 Nf6 c4 e6", 1.0), ("c4 e6 d4 Nf6 Nc3", 0.5))
    *_, key = graph.keys_along(moves_of("d4 Nf6 c4 e6"))
    assert [*graph.keys_along(moves_of("c4 e6 d4 Nf6"))][-1] == key
    assert graph.nodes[key].count() == 1
    assert graph.way(key) == moves_of("d4 Nf6 c4 e6")  # the first way that was seen
    assert chess.polyglot.zobrist_hash(graph.board(key)) == key
    assert len(graph.nodes) == 1 + 4 + 3 + 1


def test_results_count_for_the_side_that_moved() -> None:
    graph = graph_of(("e4 e5", 1.0), ("e4 c5", 0.0), ("e4 c5", 0.5), ("e4 c5", None))
    e4 = graph.nodes[START_KEY].edges[chess.Move.from_uci("e2e4")]
    assert (e4.count, e4.games, e4.points) == (4, 3, 1.5)
    c5 = graph.nodes[e4.to].edges[chess.Move.from_uci("c7c5")]
    assert (c5.count, c5.games, c5.points) == (3, 2, 1.5)


def test_weights_follow_frequency_score_and_loss() -> None:
    often = choices_at(graph_of(*[("e4", 0.5)] * 30, *[("d4", 0.5)] * 10))
    assert often["e4"].weight + often["d4"].weight == 10_000
    assert 1.2 < often["e4"].weight / often["d4"].weight < 3  # popularity is not all
    scores = choices_at(graph_of(*[("e4", 1.0)] * 20, *[("d4", 0.0)] * 20))
    assert scores["e4"].weight > 3 * scores["d4"].weight
    choices = [*choices_at(graph_of(*[("e4", 0.5)] * 10, *[("d4", 0.5)] * 10)).values()]
    choices[0].loss_cp, choices[1].loss_cp = 0, round(HALVING_LOSS_CP)
    set_weights(choices)
    assert choices[0].weight == pytest.approx(2 * choices[1].weight, rel=0.001)


def test_how_often_positions_come_up() -> None:
    graph = graph_of(("e4 e5", None), ("d4", None), ("Nf3 Nf6 Ng1 Ng8", None))
    book = {
        key: [Choice(move, edge, None, 1) for move, edge in node.edges.items()]
        for key, node in graph.nodes.items()
        if node.edges
    }
    book[START_KEY][0].weight = 2  # e4
    found = frequencies(book)
    once_more = 4 / 3  # a quarter of the games come back to the start, and so on
    assert found[START_KEY] == pytest.approx(once_more, abs=1e-3)
    e4 = graph.nodes[START_KEY].edges[chess.Move.from_uci("e2e4")]
    (e5,) = graph.nodes[e4.to].edges.values()
    assert found[e4.to] == found[e5.to] == pytest.approx(once_more / 2, abs=1e-3)


def test_a_move_of_the_book_has_never_weight_0() -> None:
    choices = [*choices_at(graph_of(("a3", 0.0), ("e4", 1.0))).values()]
    choices[0].loss_cp, choices[1].loss_cp = 300, 0
    set_weights(choices)
    assert [choice.weight for choice in choices] == [1, 10_000]


def test_rare_moves_are_left_out() -> None:
    graph = graph_of(*[("e4", None)] * 90, *[("d4", None)] * 9, ("a3", None))
    node = graph.nodes[START_KEY]
    assert candidates(node, Rules(least_share=0.05)) == moves_of("e4") + moves_of("d4")
    assert candidates(node, Rules(least_share=0, most_moves=1)) == moves_of("e4")


def test_what_is_built_is_what_is_read(tmp_path: Path) -> None:
    graph = graph_of(("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O", 0.5))
    *keys, _ = graph.keys_along(moves_of("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O"))
    book = {}
    for key in keys:
        book[key] = [Choice(move, edge, None) for move, edge in graph.nodes[key].edges.items()]
        set_weights(book[key])
    write_book(tmp_path / "b.bin", entries(graph, book))
    written = Book(tmp_path / "b.bin")
    assert [written.entries(key)[0].move for key in keys][-1] == "e1h1"
    assert len(written) == 7


@pytest.mark.parametrize("text", ["e4", "e4 e5 Nf3 Nc6 Bb5"])
def test_extending_by_a_new_move(text: str) -> None:
    graph = graph_of((text, None))
    *_, key = graph.keys_along(moves_of(text))
    board = graph.board(key)
    edge = graph.extend(key, board.parse_san("a6"))
    assert graph.extend(key, board.parse_san("a6")) is edge
    assert edge.count == 0
    board.push_san("a6")
    assert edge.to == chess.polyglot.zobrist_hash(board)
