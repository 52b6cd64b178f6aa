"""Chances from scores."""

from __future__ import annotations

from engine.scores import MATE
from engine.wdl import win_draw_loss


def test_chances_add_up_and_rise_with_the_score() -> None:
    before = -1
    for score in range(-3000, 3001, 50):
        win, draw, loss = win_draw_loss(score)
        assert win + draw + loss == 1000 and min(win, draw, loss) >= 0
        assert win_draw_loss(-score) == (loss, draw, win)
        assert win >= before
        before = win


def test_an_even_position_is_most_often_drawn_and_a_mate_is_certain() -> None:
    win, draw, loss = win_draw_loss(0)
    assert win == loss < draw
    assert win_draw_loss(MATE - 3) == (1000, 0, 0)
    assert win_draw_loss(3 - MATE) == (0, 0, 1000)
