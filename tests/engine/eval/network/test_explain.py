"""What `eval` says about the network."""

from __future__ import annotations

from collections.abc import Callable

from engine.board.position import Position
from engine.diagram import flipped_fen
from engine.eval.network.explain import piece_table, piece_values
from engine.eval.network.memory import NetworkEvaluator
from engine.eval.network.output import network_score

FEN = "r3k3/8/8/2pN4/8/8/5Q2/4K3 b q - 0 1"


def test_a_piece_is_worth_what_the_score_loses_without_it(
    position: Callable[..., Position], evaluator: NetworkEvaluator
) -> None:
    here = network_score(position(FEN), evaluator)
    values = piece_values(position(FEN), evaluator.layers)
    assert set(values) == {13, 34, 35, 56}
    for square, letter in ((13, "Q"), (34, "p"), (35, "N"), (56, "r")):
        without = FEN.replace(letter, "1", 1).replace(" bq", " b -").replace("11", "2")
        castling = "-" if letter == "r" else "q"
        without = without.replace(" b q ", f" b {castling} ")
        # From Black's view, who is to move, to White's.
        assert values[square] == -(here - network_score(position(without), evaluator)), letter


def test_values_change_their_sign_with_the_colours(
    position: Callable[..., Position], evaluator: NetworkEvaluator
) -> None:
    values = piece_values(position(FEN), evaluator.layers)
    flipped = piece_values(position(flipped_fen(position(FEN))), evaluator.layers)
    assert flipped == {square ^ 56: -value for square, value in values.items()}


def test_the_table_is_a_board(
    position: Callable[..., Position], evaluator: NetworkEvaluator
) -> None:
    values = piece_values(position(FEN), evaluator.layers)
    title, *rows = piece_table(position(FEN), values)
    assert "network" in title
    assert len(rows) == 25 and {len(row) for row in rows} == {65}
    assert rows[1].replace(" ", "") == "|r||||k||||"
    assert rows[22].replace(" ", "") == "|||||K||||"
    assert rows[2].split("|")[1].strip() == f"{values[56] / 100:+.2f}"
