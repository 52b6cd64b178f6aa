"""What moves cost, of people and of levels."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import chess
import pytest

from engine.board.fen import START
from engine.board.notation import move_text
from engine.play.levels import level_at
from tuning.__main__ import main
from tuning.adjudication import LEVELS
from tuning.calibration import profile as profiles
from tuning.calibration.accuracy import counted
from tuning.calibration.people import PeopleGame, Scored, ScoreFile
from tuning.calibration.players import LevelPlayer
from tuning.calibration.profile import KINDS, Error, Judge, Spot, profile, row_of
from tuning.selfplay.play import play

OPERA = (
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 "
    "O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#"
)


def game(text: str, rating: int = 1500) -> PeopleGame:
    board = chess.Board()
    moves = tuple(board.push_san(san).uci() for san in text.split())
    return PeopleGame(1, (rating, rating), 2, moves)


@pytest.fixture
def scores(tmp_path: Path) -> Iterator[ScoreFile]:
    with ScoreFile(tmp_path / "people.scores") as file:
        yield file


def test_shares_are_of_moves_and_intervals_of_games() -> None:
    errors = [Error(number, 0, lost, -1) for number in range(4) for lost in (0.0, 4.0, 6.0, 12.0)]
    same = profile(errors)
    assert same.moves == 16 and same.lost == pytest.approx((5.5, 0.0))
    assert [share for share, _ in same.marks] == [25.0, 25.0, 0.0]
    differing = profile([Error(number, 0, 10.0 * (number % 2), -1) for number in range(100)])
    assert differing.lost == pytest.approx((5.0, 1.96 * 5.0 / 10), rel=0.01)
    blunders = profile([Error(1, 2, 30.0, 2), Error(2, 2, 40.0, 2), Error(3, 2, 0.0, -1)])
    assert blunders.kinds == [0, 0, 100, 0, 0]


@pytest.mark.jit_only
@pytest.mark.parametrize(
    "text, kind",
    [
        ("f3 e5 g4 Qh4#", "allows a mate"),
        ("e4 e5 Bc4 Nc6 Qh5 Nf6 a3 d5", "misses a mate"),
        ("e4 e5 Qh5 Nc6 Qxf7+ Kxf7", "hangs material"),
    ],
)
def test_blunders_have_kinds(text: str, kind: str, scores: ScoreFile) -> None:
    played = game(text)
    last = len(played.moves) - 2
    found = scores.score(played, (last, last + 1))
    error = Judge(scores).of_person(Spot(played, last, found[last], found[last + 1]))
    assert error.lost >= 20 and KINDS[error.kind] == kind


def ordinary_games(count: int) -> Iterator[PeopleGame]:
    """The first 40 plies of games of level 1500 against itself."""
    for number in range(count):
        player = LevelPlayer(level_at(1500), Random(number))
        played = play(player, player, START, None, replace(LEVELS, longest=40))
        moves = tuple(move_text(move, chess960=False) for move in played.moves)
        yield PeopleGame(number, (1500, 1500), 1, moves)


@pytest.mark.jit_only
def test_weaker_levels_lose_more_and_the_same_seed_the_same(scores: ScoreFile) -> None:
    spots = []
    for played in ordinary_games(6):
        found = scores.score(played, range(len(played.moves)))
        spots += [
            Spot(played, ply, found[ply], found[ply + 1]) for ply, *_ in counted(played, found)
        ]
    judge = Judge(scores)
    means = [
        profile(judge.of_level(level_at(elo), spots, seed=1)).lost[0]
        for elo in (500, 1300, 2000, 3000)
    ]
    assert means == sorted(means, reverse=True) and means[0] > 2 * means[-1]
    level = level_at(1300)
    assert judge.of_level(level, spots[:30], 7) == judge.of_level(level, spots[:30], 7)


def test_a_band_is_compared_with_the_row_nearest_to_its_people() -> None:
    nothing = Scored(0, 78, "")
    for rating, elo in ((865, 870), (1313, 1300), (2745, 2700)):
        assert row_of([Spot(game(OPERA, rating), 0, nothing, nothing)]).elo == elo


@pytest.mark.jit_only
def test_the_command_compares_and_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "ROUNDS", 1)
    rows = [f"A\tB\t{rating}\t{rating}\t1858\t1-0\t{OPERA}" for rating in (1500, 1500, 1700, 1700)]
    games, page = tmp_path / "games.tsv.xz", tmp_path / "page.md"
    games.write_bytes(lzma.compress("\n".join(rows).encode()))
    page.write_text("<!-- errors --><!-- end of errors -->\n", encoding="utf-8")
    words = ["calibrate", "levels", "--people", str(games), "--scores", str(tmp_path / "s")]
    assert main([*words, "--write", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "| 1400 to 1599 | people | 2 |" in text and "| 1600 to 1799 | people | 2 |" in text
    assert "level 1700" in text
    capsys.readouterr()
    assert main([*words, "--fit"]) == 0
    assert "    Level(1500, 2.5, 1500, " in capsys.readouterr().out
