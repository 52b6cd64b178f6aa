"""How networks order siblings: which these are, what is measured, and the command."""

from __future__ import annotations

import re
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.board.fen import START
from engine.eval.network.loading import SHIPPED_PATH
from tests.tuning.fake_engine import COMMAND
from tests.tuning.network.sets import labelled, write_set
from tuning.__main__ import main
from tuning.commands.evaluate import drawn
from tuning.data.dataset import NO_SCORE, open_positions
from tuning.fitting.model import Array
from tuning.network.errors import LEVEL, Families, errors_of, families_of, level_families, order_of
from tuning.network.labelling import TEACHER_K
from tuning.network.model import Model, expected

CHECKS = "4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1"  # many moves of the queen give check
FORCED = "7k/8/8/8/8/8/5q2/7K w - - 0 1"  # stalemate


def test_siblings_are_the_positions_after_quiet_and_noisy_moves_but_no_checks() -> None:
    families = families_of([START, CHECKS, FORCED])
    assert len(families) == 2 and families.starts[:2] == [0, 20]
    assert {fen.split()[1] for fen in families.fens} == {"b"}
    boards = [chess.Board(fen) for fen in families.fens]
    assert all(board.is_valid() and not board.is_check() for board in boards)
    expected = chess.Board(CHECKS)
    quiet = [move for move in expected.legal_moves if not expected.gives_check(move)]
    assert len(families.fens) - 20 == len(quiet) < expected.legal_moves.count()


def test_castling_rights_and_en_passant_survive() -> None:
    both = "r3k2r/8/8/8/5p2/8/4P3/R3K2R w KQkq - 7 9"
    after = {fen for fen in families_of([both]).fens if fen.startswith("r3k2r/8/8/8/4Pp2")}
    assert after == {"r3k2r/8/8/8/4Pp2/8/8/R3K2R b KQkq e3 0 1"}


def made(*sizes: int) -> Families:
    return Families([""] * sum(sizes), [0, *np.cumsum(sizes).tolist()])


SCORES = np.array([-90, 10, 40, 120, -30, 0, 25, 60, 200])
TWO = made(4, 5)


def test_the_teachers_own_order_is_perfect_at_any_scale() -> None:
    found = order_of(TWO, SCORES, 3 * TEACHER_K * SCORES)
    assert found.squared_error == pytest.approx(0, abs=1e-9)
    assert found.within == pytest.approx(0, abs=1e-9)
    assert found.rank_correlation == pytest.approx(1) and found.lost == 0


def test_what_all_siblings_share_is_no_error_within_them() -> None:
    shift = np.repeat([0.4, -0.4], [4, 5])
    found = order_of(TWO, SCORES, TEACHER_K * SCORES + shift)
    assert found.squared_error > 5 * found.within > 0
    assert found.rank_correlation == pytest.approx(1) and found.lost == 0


def test_the_wrong_order_loses_what_lies_between_the_moves() -> None:
    def chance(centipawns: int) -> float:
        return float(1 / (1 + np.exp(-TEACHER_K * centipawns)))

    found = order_of(TWO, SCORES, -TEACHER_K * SCORES)
    assert found.rank_correlation == pytest.approx(-1)
    lost = [chance(120) - chance(-90), chance(200) - chance(-30)]
    assert found.lost == pytest.approx(np.mean(lost))
    equal = order_of(made(4), SCORES[:4], np.zeros(4))
    assert equal.rank_correlation == 0


def test_decided_positions_are_left_out() -> None:
    won, lost, level = [-900, -LEVEL - 1, 50, 0], [LEVEL + 1, 400, 900, 500], [-LEVEL, 9, 99, 999]
    scores: Array = np.array([*won, *lost, *level])
    families, kept = level_families(made(4, 4, 4), scores)
    assert len(families) == 1 and kept.tolist() == level


def test_positions_are_drawn_from_either_kind_of_file(tmp_path: Path) -> None:
    text, binary = tmp_path / "many.fen", tmp_path / "many.positions"
    write_set(binary, labelled(60))
    every = drawn(binary, 100, 1)
    text.write_text("".join(f"{fen}\n" for fen in every), encoding="utf-8")
    assert len(every) == 60
    assert drawn(text, 100, 1) == [" ".join(fen.split()[:4]) for fen in every]
    some = drawn(binary, 20, 1)
    assert len(set(some)) == 20 and set(some) < set(every)
    assert some == drawn(binary, 20, 1) != drawn(binary, 20, 2)

    text.write_text(f"{START}\nnot a position\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"many.fen:2: not a position"):
        drawn(text, 1, 1)


@pytest.mark.jit_only
def test_errors_by_kind_of_position(tmp_path: Path) -> None:
    """They are those of the positions of the kind, one by one."""
    path = write_set(tmp_path / "a.positions", labelled(800))
    model = Model(8, 8, threads=1, seed=5)
    found = {
        kind: (count, errors) for kind, count, errors in errors_of([model], open_positions(path))
    }
    records = open_positions(path).records
    rows = np.array(records).view(np.int64).reshape(-1, 4)
    mover = np.where(records["side"] == 1, -1, 1) * records["score"].astype(np.int64)
    error = expected(model.logits(rows)) - 1 / (1 + np.exp(-TEACHER_K * mover))
    men = np.array([int(word).bit_count() for word in records["occupied"].view("u8")])
    near = (np.abs(mover) >= 50) & (np.abs(mover) <= 150)
    for kind, chosen in (("all", men > 0), ("22 to 28 men", (men >= 22) & (men <= 28)),
                         ("scores of 50 to 150", near)):  # fmt: skip
        count, (value,) = found[kind]
        assert count == np.count_nonzero(chosen) > 10
        assert value == pytest.approx(np.mean(error[chosen] ** 2), rel=1e-4)
    count, (value,) = found["among 16 neighbours"]
    groups = (error * np.sign(0.5 - records["side"])).reshape(-1, 16)
    assert count == 800 and value == pytest.approx(groups.var(axis=1).mean(), rel=1e-4)


@pytest.mark.jit_only
def test_the_command_prints_one_table_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_set(tmp_path / "a.positions", labelled(200))
    words = ["evaluate", str(SHIPPED_PATH), str(SHIPPED_PATH), str(path)]
    assert main(words) == 0
    heading, first, *rest = capsys.readouterr().out.splitlines()
    assert heading.split() == [str(path), "positions", SHIPPED_PATH.name, SHIPPED_PATH.name]
    assert re.fullmatch(r"all +200( +0\.\d{5}){2}", first) and len(set(first.split()[2:])) == 1
    assert any(row.startswith("22 to 28 men") for row in rest)
    unlabelled = labelled(200)
    unlabelled["score"] = NO_SCORE
    write_set(path, unlabelled)
    assert main(words) == 1
    assert "no position has a label" in capsys.readouterr().err
    assert main(words[:3]) == 2
    assert "give networks" in capsys.readouterr().err


def test_siblings_need_a_teacher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "positions.fen"
    source.write_text(f"{START}\n{CHECKS}\n", encoding="utf-8")
    words = ["evaluate", str(SHIPPED_PATH), str(source), "--engine"]
    assert main([*words, f"{COMMAND} --static 0.50"]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == [str(source), "positions", SHIPPED_PATH.name]
    error, within, correlation, lost = (float(row.split()[-1]) for row in rows)
    # To this teacher all moves are equal: no order, nothing to lose, but errors.
    assert error > within > 0 and (correlation, lost) == (0, 0)

    assert main([*words, f"{COMMAND} --static 9.00"]) == 1
    assert "no position is level" in capsys.readouterr().err
    assert main([*words, COMMAND]) == 1
    assert "its `eval` scored 0 of" in capsys.readouterr().err
    assert main(words[:-1]) == 1
    assert "without --engine" in capsys.readouterr().err
