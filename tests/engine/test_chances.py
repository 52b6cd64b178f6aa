"""Chances from scores, and scores in units of chances."""

from __future__ import annotations

import pytest

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import START, set_fen
from engine.chances import (
    LARGEST_SHOWN_CP,
    MOST_MATERIAL,
    chances,
    half_and_spread,
    material_of,
    normalised,
)
from engine.scores import MATE, TABLEBASE_WIN, TABLEBASE_WIN_IN_RANGE

MATERIALS = (0, 2, 10, 24, 50, 78, 120)


@pytest.mark.parametrize("material", MATERIALS)
def test_chances_add_up_and_rise_with_the_score(material: int) -> None:
    before = -1
    for score in range(-3000, 3001, 25):
        win, draw, loss = chances(score, material)
        assert win + draw + loss == 1000 and min(win, draw, loss) >= 0
        assert chances(-score, material) == (loss, draw, win)
        assert win >= before
        before = win


@pytest.mark.parametrize("material", MATERIALS)
def test_one_pawn_shown_is_half_a_chance_to_win(material: int) -> None:
    half, spread = half_and_spread(material)
    assert half > 0 and spread > 0
    assert normalised(round(half), material) in (99, 100, 101)
    assert chances(round(half), material)[0] == pytest.approx(500, abs=5)


@pytest.mark.parametrize("material", MATERIALS)
def test_what_is_shown_leads_back_to_the_score(material: int) -> None:
    half, _ = half_and_spread(material)
    for score in range(-2000, 2001, 37):
        shown = normalised(score, material)
        assert abs(shown * half / 100 - score) <= half / 200 + 1
        assert normalised(-score, material) == -shown
    assert normalised(TABLEBASE_WIN_IN_RANGE - 1, material) <= LARGEST_SHOWN_CP


def test_an_even_position_is_seldom_lost_and_a_mate_is_certain() -> None:
    win, draw, loss = chances(0, 24)
    assert win == loss < draw
    for certain in (MATE - 3, TABLEBASE_WIN - 5):
        assert chances(certain, 24) == (1000, 0, 0)
        assert chances(-certain, 24) == (0, 0, 1000)


def test_material_is_counted_as_usual() -> None:
    pos = new_position(new_attack_tables())
    set_fen(pos, START)
    assert material_of(pos) == MOST_MATERIAL == 78
    set_fen(pos, "R6r/4k2P/8/8/8/8/8/B3K2q w - - 0 1")
    assert material_of(pos) == 5 + 1 + 3 + 5 + 9
