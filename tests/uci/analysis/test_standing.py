"""What bars, graphs, words and scores say of one position."""

from __future__ import annotations

import chess
import pytest

from engine.board.ending import Ending
from uci.analysis.lines import Line
from uci.analysis.standing import Standing

ENGINES = (1, 2, 997)  # their chances are not those of people
MOVES = (chess.Move.from_uci("e2e4"),)


def standing(centipawns: int | None, mate: int | None = None, rating: int = 1800) -> Standing:
    return Standing(Line(centipawns, mate, ENGINES, MOVES), rating)


def test_a_position_in_play() -> None:
    better = standing(45)
    assert (better.score(), better.words()) == ("+0.45", "White is slightly better (+0.45).")
    assert 50 < better.points(chess.WHITE) < 60
    assert better.points(chess.WHITE) + better.points(chess.BLACK) == pytest.approx(100)
    assert better.expectation() == (
        f"Among players of about 1800, White scores {better.points(chess.WHITE):.0f} of 100 points "
        "from here."
    )


def test_mates_in_sight() -> None:
    mated = standing(None, -12)
    assert (mated.score(), mated.words()) == ("#-12", "Black mates in 12.")
    assert mated.points(chess.BLACK) == 100


@pytest.mark.parametrize(
    "ending, score, words, points",
    [
        (Ending(chess.BLACK, "Checkmate"), "0-1", "Checkmate. Black has won.", 0),
        (Ending(chess.WHITE, "Checkmate"), "1-0", "Checkmate. White has won.", 100),
        (Ending(None, "Stalemate"), "1/2-1/2", "Stalemate. The game is drawn.", 50),
    ],
)
def test_a_game_that_is_over_has_a_result_and_nobody_is_better(
    ending: Ending, score: str, words: str, points: float
) -> None:
    ended = Standing(Line.of(ending), 1800)
    assert (ended.score(), ended.words(), ended.expectation()) == (score, words, "")
    assert ended.points(chess.WHITE) == points


@pytest.mark.parametrize("rating", [600, 1200, 1800, 2800])
def test_words_and_points_never_name_different_sides(rating: int) -> None:
    for centipawns in (*range(-1500, 1501, 7), -20_000, 20_000):
        here = standing(centipawns, rating=rating)
        words, points = here.words(), here.points(chess.WHITE)
        assert ("White is" in words) <= (points > 50) and ("Black is" in words) <= (points < 50)
        assert here.score()[0] == "-" if centipawns < 0 else "+"
