"""Games of levels, the file of their results, and who plays next."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import chess
import chess.engine
import pytest

from engine.play.levels import level_at
from tests.tuning.fake_engine import COMMAND
from tuning.adjudication import LEVELS
from tuning.calibration.games import ResultFile, next_pair, play
from tuning.calibration.players import LevelPlayer, ProgramPlayer, level_name
from tuning.calibration.ratings import Result
from tuning.engines import engine


@pytest.mark.jit_only
def test_a_game_ends_and_its_moves_are_legal() -> None:
    points, moves = play(LevelPlayer(level_at(330)), LevelPlayer(level_at(330)), Random(2))
    assert points in (0, 1, 2) and 4 < len(moves) <= 4 + LEVELS.longest
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    assert board.is_checkmate() == (points != 1)


@pytest.mark.jit_only
def test_another_engine_plays_along() -> None:
    with engine(COMMAND) as running:
        program = ProgramPlayer(running, chess.engine.Limit(nodes=1))
        level = LevelPlayer(level_at(1700))
        points = [play(program, level, Random(1))[0], play(level, program, Random(1))[0]]
    assert points == [0, 2]  # it plays the first move it finds


@pytest.mark.jit_only
def test_the_stronger_level_wins() -> None:
    strong, weak = LevelPlayer(level_at(1900)), LevelPlayer(level_at(500))
    points = [play(strong, weak, Random(1))[0], 2 - play(weak, strong, Random(2))[0]]
    assert points == [2, 2]


def test_results_are_kept_and_a_broken_last_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "levels.jsonl"
    with ResultFile(path) as file:
        file.add(Result("a", "b", 2), ["e2e4", "e7e5"])
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "white": "a", "black": "b", "points": 2, "moves": "e2e4 e7e5",
    }  # fmt: skip
    with open(path, "a", encoding="utf-8") as broken:
        broken.write('{"white": "a", "bl')
    with ResultFile(path) as file:
        assert file.results == [Result("a", "b", 2)]
        file.add(Result("b", "a", 1), [])
        with pytest.raises(OSError, match="another process"):
            ResultFile(path)
    with ResultFile(path) as file:
        assert file.results == [Result("a", "b", 2), Result("b", "a", 1)]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "levels.jsonl"
    path.write_text("a game\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"levels.jsonl:1: no result"):
        ResultFile(path)
    assert path.read_text(encoding="utf-8") == "a game\n"


def test_close_and_rare_pairs_play() -> None:
    guesses = {"a": 500.0, "b": 700.0, "c": 1100.0}
    pairs: Counter[frozenset[str]] = Counter()
    results: list[Result] = []
    for seed in range(30):
        white, black = next_pair(list(guesses), results, guesses, lambda _: 1.0, Random(seed))
        assert white != black
        pairs[frozenset((white, black))] += 1
        results.append(Result(white, black, 1))
    assert len(pairs) == 3 and pairs[frozenset("ab")] > pairs[frozenset("ac")]


def test_a_pair_that_began_one_sided_plays_again() -> None:
    guesses = {"a": 500.0, "b": 700.0, "c": 1700.0}
    results = [Result("a", "b", 0), Result("a", "c", 0)] * 12 + [Result("b", "c", 1)] * 40
    for seed in range(10):
        pair = next_pair(list(guesses), results, guesses, lambda _: 1.0, Random(seed))
        assert set(pair) == {"a", "b"}


def test_anchors_do_not_meet() -> None:
    guesses = {"a": 500.0, "x": 700.0, "y": 700.0}
    for seed in range(10):
        pair = next_pair(list(guesses), [], guesses, lambda _: 1.0, Random(seed), {"x", "y"})
        assert "a" in pair


def test_a_level_with_other_constants_has_another_name() -> None:
    assert level_name(1000) == level_name(1000) != level_name(1001)
