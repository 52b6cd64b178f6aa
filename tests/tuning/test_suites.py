"""What counts as solved, since when, and the command from file to table."""

from __future__ import annotations

import sys
from pathlib import Path

import chess
import chess.engine
import pytest

from tests.tuning.fake_engine import COMMAND
from tuning.__main__ import main
from tuning.data.epd import parse
from tuning.suites import Answer, Watch, task_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
MATE_IN_2 = "7k/8/8/8/8/8/R7/1R4K1 w - - dm 2;"


def info(
    move: str, depth: int, mate: int | None = None, bound: bool = False
) -> chess.engine.InfoDict:
    score = chess.engine.Cp(10) if mate is None else chess.engine.Mate(mate)
    told = chess.engine.InfoDict(
        score=chess.engine.PovScore(score, chess.WHITE),
        pv=[chess.Move.from_uci(move)],
        depth=depth,
        nodes=100 * depth,
        time=depth / 1000,
    )
    if bound:
        told["lowerbound"] = True
    return told


def answer(operations: str, infos: list[chess.engine.InfoDict], played: str) -> Answer:
    epd = parse(f"{START} {operations}" if not operations.endswith("dm 2;") else operations, 1)
    watch = Watch(epd, task_of(epd))
    for each in infos:
        watch.hear(each)
    return watch.answer(chess.Move.from_uci(played))


def test_a_best_move_counts_from_when_it_held() -> None:
    told = [info("e2e4", 1), info("d2d4", 2), info("e2e4", 3), info("e2e4", 4)]
    result = answer("bm e4;", told, "e2e4")
    assert result.is_full and (result.solved_ms, result.solved_nodes) == (3, 300)


def test_the_move_played_decides() -> None:
    result = answer("bm e4;", [info("e2e4", 1)], "d2d4")
    assert result.points == 0 and result.solved_ms is None
    late = answer("bm e4;", [info("d2d4", 1)], "e2e4")
    assert late.is_full and late.solved_ms == 1


def test_moves_to_avoid() -> None:
    assert answer("am e4;", [], "d2d4").is_full
    assert not answer("am e4;", [], "e2e4").is_full


def test_points_for_several_moves() -> None:
    operations = 'bm e4; c8 "10 3"; c9 "e2e4 d2d4";'
    assert [answer(operations, [], m).points for m in ("e2e4", "d2d4", "a2a3")] == [10, 3, 0]


@pytest.mark.parametrize("mate, points", [(2, 1), (1, 1), (3, 0), (-2, 0), (None, 0)])
def test_a_mate_must_be_short_enough(mate: int | None, points: int) -> None:
    assert answer(MATE_IN_2, [info("a2a7", 5, mate)], "a2a7").points == points


def test_bounds_prove_no_mate() -> None:
    assert answer(MATE_IN_2, [info("a2a7", 5, 2, bound=True)], "a2a7").points == 0


def test_a_proof_is_enough_to_stop_but_a_move_must_hold() -> None:
    mate = parse(MATE_IN_2, 1)
    watch = Watch(mate, task_of(mate))
    watch.hear(info("a2a7", 5, 2))
    assert watch.is_solved(3)
    move = parse(START + " bm e4;", 1)
    watch = Watch(move, task_of(move))
    for depth in (1, 2, 2):
        watch.hear(info("e2e4", depth))
    assert watch.is_solved(2) and not watch.is_solved(3)


@pytest.mark.parametrize("operations", ["", "dm 0;", 'c8 "1"; c9 "e2e4 d2d4";', "bm Qh5;"])
def test_tasks_without_sense(operations: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        task_of(parse(f"{START} {operations}", 1))


@pytest.mark.jit_only
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(
        "k7/8/1K6/8/8/8/8/7R w - - dm 1;\nnonsense\nK7/8/1k6/8/8/8/8/7r b - - bm Rh8#;",
        encoding="utf-8",
    )
    assert main(["suite", str(path), "--depth", "3", "--go-mate", "--all"]) == 0
    printed = capsys.readouterr()
    assert "solved 2 of 2" in printed.out and "1 of the length wanted" in printed.out
    assert "suite.epd:2: skipped" in printed.err


def suite_of(path: Path, count: int) -> str:
    path.write_text(f"{START} bm Nh3;\n" * count, encoding="utf-8")  # the fake engine's move
    return str(path)


def test_several_engines_leave_nothing_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = suite_of(tmp_path / "suite.epd", 9)
    words = ["suite", file, "--engine", COMMAND, "--nodes", "7"]
    assert main([*words, "--concurrency", "3", "--all"]) == 0
    printed = capsys.readouterr().out
    assert "solved 9 of 9" in printed
    assert all(printed.count(f"  line {number} ") == 1 for number in range(1, 10))


def test_an_engine_that_dies_stops_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = suite_of(tmp_path / "suite.epd", 9)
    words = ["suite", file, "--engine", f"{COMMAND} --dies-at 3", "--nodes", "7"]
    for count in ("1", "2"):
        assert main([*words, "--concurrency", count]) == 1
        printed = capsys.readouterr()
        assert "dies-at 3: " in printed.err and "solved" not in printed.out


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.epd"
    empty.write_text("\n", encoding="utf-8")
    assert main(["suite", str(empty)]) == 1
    assert "no position" in capsys.readouterr().err
    path = tmp_path / "suite.epd"
    path.write_text(MATE_IN_2, encoding="utf-8")
    assert main(["suite", str(path), "--engine", "/no/such/engine"]) == 1
    assert "/no/such/engine" in capsys.readouterr().err
    assert main(["suite", str(path), "--engine", f"{sys.executable} -c 0"]) == 1
    assert "not a UCI engine" in capsys.readouterr().err
