"""The curve of people: read, scored, fitted to games, and what it predicts of others."""

from __future__ import annotations

import json
import lzma
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine import people
from tuning.__main__ import main
from tuning.calibration.accuracy import lichess_accuracy
from tuning.calibration.calibration import calibration_error, held_out
from tuning.calibration.curve import Sample, bands_with, calibration_of, fit, predict
from tuning.calibration.people import PeopleGame, ScoreFile, plan, read_games

GAME = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7"
VALUES = (5.4, -0.3, 1.2)


@pytest.fixture(scope="module")
def sample() -> Sample:
    """Results drawn with known constants."""
    chance = np.random.default_rng(7)
    count = 40_000
    ratings, leads = chance.integers(1200, 2700, count), chance.integers(-300, 301, count)
    scores, games = chance.integers(-500, 501, count), np.arange(count)
    at = Sample(scores, ratings, leads, np.zeros(count), games, np.ones(count))
    results = (chance.random(count) < predict(VALUES, at)).astype(float)
    return Sample(scores, ratings, leads, results, games, np.ones(count))


def test_the_fit_finds_the_constants_behind_the_results(sample: Sample) -> None:
    assert fit(sample) == pytest.approx(VALUES, abs=0.06)


def test_what_is_predicted_for_other_games_comes(sample: Sample) -> None:
    assert calibration_error(calibration_of(held_out(sample, fit, predict), sample)) < 0.01
    wrong = predict((4.9, -0.3, 1.2), sample)
    assert calibration_error(calibration_of(wrong, sample)) > 0.03


def test_the_curve_of_the_engine_is_the_one_that_was_fitted() -> None:
    for rating in (1000, 1400, 1800):
        scores, nothing = np.arange(-600, 601, 50), np.zeros(25)
        at = Sample(scores, nothing + rating, nothing, nothing, nothing, nothing)
        expected = [people.expected_points(int(score), rating) for score in scores]
        assert np.allclose(100 * predict((*people.SPREAD, 1.0), at), expected)


def test_small_bands_are_joined() -> None:
    there = Counter({0: 193, 1: 334, 2: 1421, 3: 299, 4: 20, 5: 22_417, 8: 10})
    assert bands_with(there) == [(0, 1400), (1400, 1600), (1600, 2000), (2000, 4000)]


def table(path: Path, *rows: str) -> Path:
    path.write_bytes(lzma.compress("\n".join(rows).encode()))
    return path


def test_games_with_two_ratings_legal_moves_and_a_result_are_read(tmp_path: Path) -> None:
    path = table(
        tmp_path / "games.tsv.xz",
        "#white\tblack\twelo\tbelo\tdate\tresult\tmoves",
        f"A\tB\t1500\t1700\t2001\t1-0\t{GAME}",
        f"A\tB\t1500\t?\t2001\t1-0\t{GAME}",
        f"A\tB\t1500\t1700\t2001\t*\t{GAME}",
        f"A\tB\t1500\t1700\t2001\t0-1\t{GAME} Qxh9",
        "A\tB\t1500\t1700\t2001\t0-1\te4 e5",
        "broken",
    )
    (game,), there = read_games(path, 10)
    assert (game.number, game.ratings, game.half_points) == (2, (1500, 1700), 2)
    assert game.moves[:2] == ("e2e4", "e7e5") and len(game.moves) == 20
    assert there == {2: 3, 3: 3}


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    path = table(tmp_path / "games.tsv.xz", f"A\tB\t1500\t1700\t2001\t1-0\t{GAME}")
    for damaged in (path.read_bytes()[:40], b"", b"no archive"):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"games\.tsv\.xz: "):
            read_games(path, 10)


def test_whole_games_come_until_each_band_has_some() -> None:
    games = [PeopleGame(n, (1500, 1500), 1, ("e2e4",) * 30) for n in range(3)]
    planned = plan(games, whole=3, positions=5)
    assert [is_whole for _, is_whole, _ in planned] == [True, True, False]
    assert [len(plies) for _, _, plies in planned] == [30, 30, 5]


@pytest.mark.jit_only
def test_scores_are_kept_and_belong_to_one_engine(tmp_path: Path) -> None:
    path = tmp_path / "people.scores"
    game = PeopleGame(7, (1500, 1500), 1, ("f2f3", "e7e5", "g2g4", "d8h4"))
    with ScoreFile(path, 500) as file:
        first = file.score(game, [3, 0])
    assert first[3].best == "d8h4" and first[3].score > 31_000
    path.write_bytes(path.read_bytes() + b"[7, 1, ")  # cut off
    with ScoreFile(path, 500) as file:
        assert file.score(game, [0, 3]) == first
        alone = file.score(game, [1])
    with ScoreFile(tmp_path / "other.scores", 500) as file:
        assert file.score(game, [1]) == alone  # what came before does not matter
    with pytest.raises(ValueError, match="another engine"):
        ScoreFile(path, 600)


def test_the_formula_of_lichess() -> None:
    assert lichess_accuracy([50.0] * 21, 0) == 100
    points = [50.0] * 21
    points[1] = 40.0  # White's first move loses ten points, Black's gives them back
    move = 103.1668 * math.exp(-0.4354) - 2.1669
    weighted = (5 * move + 9 * 0.5 * 100) / (5 + 9 * 0.5)  # 5: the deviation of 50 and 40
    harmonic = 10 / (1 / move + 9 / 100)
    assert lichess_accuracy(points, 0) == pytest.approx((weighted + harmonic) / 2)
    assert lichess_accuracy(points, 1) == pytest.approx(lichess_accuracy(points, 0))


@pytest.mark.jit_only
def test_the_command_fits_draws_writes_and_emits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    rows = [f"A\tB\t{1300 + 50 * n}\t{1350 + 50 * n}\t2001\t{result}\t{GAME}"
            for n, result in enumerate(("1-0", "0-1", "1/2-1/2") * 8)]  # fmt: skip
    games = table(tmp_path / "games.tsv.xz", *rows)
    page, run, picture = (tmp_path / name for name in ("page.md", "run.json", "a.png"))
    page.write_text("<!-- people --><!-- end of people -->\n", encoding="utf-8")
    words = ["calibrate", "people", str(games), "-o", str(run), "--nodes", "50", "--whole", "2"]
    words += ["--scores", str(tmp_path / "s"), "--picture", str(picture), "--write", str(page)]
    assert main(words) == 0
    assert "SPREAD = (" in capsys.readouterr().out
    assert "| Rating | Games | Accuracy |" in page.read_text(encoding="utf-8")
    assert picture.read_bytes().startswith(b"\x89PNG")
    run.write_text(json.dumps({"kind": "people", "spread": [5.0, -0.25]}), encoding="utf-8")
    module = tmp_path / "people.py"
    assert main(["emit", str(run), "-o", str(module)]) == 0
    assert "\nSPREAD = (5.0000, -0.2500)\n" in module.read_text(encoding="utf-8")
