"""The `spsa` command: plays, continues, reports, writes defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine.search.params
from engine.search.params import tunables
from tuning.__main__ import main
from tuning.selfplay import perturbation
from tuning.selfplay.perturbation import Settings, Spsa


@pytest.mark.jit_only
def test_a_run_from_start_to_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.json"
    words = [
        "spsa",
        "-o",
        str(path),
        "--params",
        "futility_*",
        "--iterations",
        "3",
        "--nodes",
        "50",
    ]
    assert main([*words, "--concurrency", "1"]) == 0
    assert "futility_margin" in capsys.readouterr().out
    assert perturbation.load(path).done == 3
    report = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "futility_base" in report and "data:image/png" in report
    assert main(["spsa", "-o", str(path), "--nodes", "60"]) == 1
    assert "this run has --nodes 50, not 60" in capsys.readouterr().err
    assert main(["spsa", "-o", str(path)]) == 0  # nothing left to do


def test_emit_changes_the_defaults_and_nothing_else(tmp_path: Path) -> None:
    source = Path(engine.search.params.__file__).read_text(encoding="utf-8")
    path, target = tmp_path / "run.json", tmp_path / "params.py"
    ranges = {n: r for n, r in tunables().items() if n.startswith("razoring")}
    state = Spsa(Settings(ranges, iterations=1))
    state.theta["razoring_margin"] = ranges["razoring_margin"].default + 33.4
    perturbation.save(state, path)
    assert main(["emit", str(path), "-o", str(target)]) == 0
    changed = [
        (old, new)
        for old, new in zip(
            source.splitlines(), target.read_text(encoding="utf-8").splitlines(), strict=True
        )
        if old != new
    ]
    wanted = f"razoring_margin = Tunable({ranges['razoring_margin'].default + 33},"
    assert len(changed) == 1 and wanted in changed[0][1]


def test_emit_refuses_constants_that_the_search_does_not_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, target = tmp_path / "run.json", tmp_path / "params.py"
    known = next(iter(tunables().values()))
    perturbation.save(Spsa(Settings({"no_such": known}, iterations=1)), path)
    assert main(["emit", str(path), "-o", str(target)]) == 1
    assert "no_such" in capsys.readouterr().err and not target.exists()
    path.write_text("[]", encoding="utf-8")
    assert main(["emit", str(path)]) == 1
    assert "not a run" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, message, status",
    [
        (["--params", "nonsense_*"], "nonsense_*", 2),
        (["--iterations", "-3"], "more than 0", 2),
        (["--book", "no-such-book.epd"], "no-such-book.epd", 1),
    ],
)
def test_bad_input_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str, status: int
) -> None:
    assert main(["spsa", "-o", str(tmp_path / "run.json"), *words]) == status
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
