"""Corrections of the static evaluation: towards what the search found, and never far."""

from __future__ import annotations

import pytest

from engine.scores import MATE, MATE_IN_RANGE
from engine.search import corrections
from engine.search.corrections import FEATURES, GRAIN, LIMIT, corrected, learn_correction
from engine.search.state import Worker
from tests.engine.search.handles import set_up

pytestmark = pytest.mark.usefixtures("wrap_around")
FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
OTHER_PAWNS = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
OTHER_SIDE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 4 4"
NOTHING_SHARED = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def correction(worker: Worker, fen: str = FEN) -> int:
    set_up(worker, fen)
    return int(corrections.correction(worker))


def learn(worker: Worker, error: int, times: int = 1, depth: int = 20) -> None:
    set_up(worker, FEN)
    for _ in range(times):
        learn_correction(worker, 0, error, depth)


def most(worker: Worker) -> int:
    """All features at their limit."""
    return FEATURES * LIMIT * int(worker.params.correction_weight) // (100 * GRAIN)


def test_without_experience_nothing_is_corrected(worker: Worker) -> None:
    for fen in (FEN, OTHER_SIDE, NOTHING_SHARED):
        assert [corrected(score, correction(worker, fen)) for score in (-500, 0, 17)] == [
            -500,
            0,
            17,
        ]


@pytest.mark.parametrize("error", [-400, -20, 20, 400])
def test_a_correction_has_the_sign_of_the_error_and_grows(worker: Worker, error: int) -> None:
    sizes = []
    for _ in range(30):
        learn(worker, error)
        sizes.append(correction(worker) * (1 if error > 0 else -1))
    assert sizes == sorted(sizes) and sizes[-1] > sizes[0] >= 0
    assert sizes[-1] <= abs(error) * FEATURES * int(worker.params.correction_weight) / 100 + 1
    learn(worker, -error, times=60)
    assert correction(worker) * error < 0


@pytest.mark.parametrize("error", [-3000, 3000])
def test_corrections_are_bounded(worker: Worker, error: int) -> None:
    learn(worker, error, times=300)
    assert -LIMIT <= int(worker.corrections.min()) <= int(worker.corrections.max()) <= LIMIT
    assert 0.9 * most(worker) < abs(correction(worker)) <= most(worker) + 1


def test_the_share_of_one_search_grows_with_its_depth(worker: Worker) -> None:
    """Of 256: the depth and one, 16 at most."""
    shares = []
    for depth in (0, 1, 7, 15, 16, 90):
        worker.corrections[...] = 0
        learn(worker, 32, depth=depth)
        shares.append(int(worker.corrections.max()))
    assert shares == [32 * weight for weight in (1, 2, 8, 16, 16, 16)]


def test_positions_learn_from_each_other_by_what_they_share(worker: Worker) -> None:
    learn(worker, 3000, times=300)
    here = correction(worker)
    # Four features of five, for only the pawns are others.
    assert correction(worker, OTHER_PAWNS) == pytest.approx(here * 4 / 5, abs=1)
    assert correction(worker, OTHER_SIDE) == 0
    assert correction(worker, NOTHING_SHARED) == 0


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
def test_features_are_what_they_are_called(worker: Worker, fen: str, in_common: int) -> None:
    """A minor piece is of the minors and of its side's pieces; a king only of the latter."""
    learn(worker, 3000, times=300)
    full = correction(worker)
    assert correction(worker, fen) == pytest.approx(full * in_common / FEATURES, abs=1)


def test_a_correction_never_makes_a_mate(worker: Worker) -> None:
    for sign in (1, -1):
        learn(worker, sign * 3000, times=300)
        learnt = correction(worker)
        assert corrected(sign * (MATE_IN_RANGE - 5), learnt) == sign * (MATE_IN_RANGE - 1)
        assert corrected(sign * MATE, learnt) == sign * (MATE_IN_RANGE - 1)
