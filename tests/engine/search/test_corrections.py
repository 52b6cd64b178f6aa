"""Corrections of the static evaluation: towards what the search found, and never far."""

from __future__ import annotations

import pytest

from engine.scores import MATE, MATE_IN_RANGE
from engine.search import corrections
from engine.search.corrections import FEATURES, GRAIN, LIMIT, corrected, learn_correction
from engine.search.state import SearchThread
from tests.engine.search.handles import set_up

pytestmark = pytest.mark.usefixtures("wrap_around")
FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
OTHER_PAWNS = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
OTHER_SIDE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 4 4"
NOTHING_SHARED = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def correction(thread: SearchThread, fen: str = FEN) -> int:
    set_up(thread, fen)
    return int(corrections.correction(thread))


def learn(thread: SearchThread, error: int, times: int = 1, depth: int = 20) -> None:
    set_up(thread, FEN)
    for _ in range(times):
        learn_correction(thread, 0, error, depth)


def most(thread: SearchThread) -> int:
    """All features at their limit."""
    return FEATURES * LIMIT * int(thread.params.correction_weight) // (100 * GRAIN)


def test_without_experience_nothing_is_corrected(thread: SearchThread) -> None:
    for fen in (FEN, OTHER_SIDE, NOTHING_SHARED):
        assert [corrected(score, correction(thread, fen)) for score in (-500, 0, 17)] == [
            -500,
            0,
            17,
        ]


@pytest.mark.parametrize("error", [-400, -20, 20, 400])
def test_a_correction_has_the_sign_of_the_error_and_grows(thread: SearchThread, error: int) -> None:
    sizes = []
    for _ in range(30):
        learn(thread, error)
        sizes.append(correction(thread) * (1 if error > 0 else -1))
    assert sizes == sorted(sizes) and sizes[-1] > sizes[0] >= 0
    assert sizes[-1] <= abs(error) * FEATURES * int(thread.params.correction_weight) / 100 + 1
    learn(thread, -error, times=60)
    assert correction(thread) * error < 0


@pytest.mark.parametrize("error", [-3000, 3000])
def test_corrections_are_bounded(thread: SearchThread, error: int) -> None:
    learn(thread, error, times=300)
    assert -LIMIT <= int(thread.corrections.min()) <= int(thread.corrections.max()) <= LIMIT
    assert 0.9 * most(thread) < abs(correction(thread)) <= most(thread) + 1


def test_the_share_of_one_search_grows_with_its_depth(thread: SearchThread) -> None:
    """Of 256: the depth and one, 16 at most."""
    shares = []
    for depth in (0, 1, 7, 15, 16, 90):
        thread.corrections[...] = 0
        learn(thread, 32, depth=depth)
        shares.append(int(thread.corrections.max()))
    assert shares == [32 * weight for weight in (1, 2, 8, 16, 16, 16)]


def test_positions_learn_from_each_other_by_what_they_share(thread: SearchThread) -> None:
    learn(thread, 3000, times=300)
    here = correction(thread)
    # Four features of five, for only the pawns are others.
    assert correction(thread, OTHER_PAWNS) == pytest.approx(here * 4 / 5, abs=1)
    assert correction(thread, OTHER_SIDE) == 0
    assert correction(thread, NOTHING_SHARED) == 0


@pytest.mark.parametrize(
    "fen, in_common",
    [
        # The same but for: a knight and a bishop of White's, a rook of Black's, a queen of White's.
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 4 4", 3),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/5N2/PPPPBPPP/RNBQK2R w KQkq - 4 4", 3),
        ("1rbqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", 3),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPPQPPP/RNB1K2R w KQkq - 4 4", 3),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPPKPPP/RNBQ3R w kq - 4 4", 4),
        ("r1bq1b1r/ppppkppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQ - 4 4", 4),
    ],
)
def test_features_are_what_they_are_called(thread: SearchThread, fen: str, in_common: int) -> None:
    """A minor piece is of the minors and of its side's pieces; a king only of the latter."""
    learn(thread, 3000, times=300)
    full = correction(thread)
    assert correction(thread, fen) == pytest.approx(full * in_common / FEATURES, abs=1)


def test_a_correction_never_makes_a_mate(thread: SearchThread) -> None:
    for sign in (1, -1):
        learn(thread, sign * 3000, times=300)
        learnt = correction(thread)
        assert corrected(sign * (MATE_IN_RANGE - 5), learnt) == sign * (MATE_IN_RANGE - 1)
        assert corrected(sign * MATE, learnt) == sign * (MATE_IN_RANGE - 1)
