"""`make EXE=...`, as OpenBench's client calls it, and what it and its server read."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_install import NOT_IN_A_CLONE
from tests.uci.gui import ROOT

FOLDER = ROOT / "tuning" / "openbench"
SIGNATURE = ROOT / "tests" / "bench_signature.txt"
PRESET_KEYS = {  # those that Wadjet.json may use, of the ones that the server knows
    "base_branch", "book_name", "both_options", "both_time_control", "draw_adj", "test_bounds",
    "test_confidence", "win_adj", "workload_size",
}  # fmt: skip


def openbench_reads(output: str) -> tuple[int, int]:
    """Nodes and nodes a second: the last ones that are named so, punctuation aside."""
    text = re.sub(r"[^a-zA-Z0-9\n]+", " ", output)
    nodes = re.findall(r"Nodes searched (\d+)", text)[-1]
    speed = re.findall(r"Nodes second (\d+)", text)[-1]
    return int(nodes), int(speed)


def test_the_configuration_has_what_the_server_asks_for() -> None:
    configuration = json.loads((FOLDER / "Wadjet.json").read_text(encoding="utf-8"))
    assert configuration["private"] is False
    assert configuration["nps"] > 0
    assert configuration["source"].startswith("https://github.com/")
    build = configuration["build"]
    assert (ROOT / build["path"] / "Makefile").is_file()
    assert set(build) == {"path", "compilers", "cpuflags", "systems"}
    for kind in ("test_presets", "tune_presets", "datagen_presets"):
        assert "default" in configuration[kind]
        for preset in configuration[kind].values():
            assert set(preset) <= PRESET_KEYS


@pytest.mark.jit_only
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.skipif(sys.platform == "win32", reason="its clients here run Linux")
def test_the_file_plays_after_its_sources_are_gone(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")
    tree = tmp_path / "Wadjet-tmp"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_IN_A_CLONE))
    without_an_index = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    made = subprocess.run(
        ["make", "-j", "EXE=Wadjet-0123ABCD", f"CC={sys.executable}"],
        cwd=tree / "tuning" / "openbench",
        env={**os.environ, **without_an_index},
        capture_output=True,
        encoding="utf-8",
    )
    assert made.returncode == 0, made.stdout + made.stderr
    engines = tmp_path / "Engines"
    engines.mkdir()
    shutil.move(tree / "tuning" / "openbench" / "Wadjet-0123ABCD", engines)
    shutil.rmtree(tree)
    bench = subprocess.run(
        ["./Wadjet-0123ABCD", "bench"],
        cwd=engines,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "WADJET_CACHE": ""},
        capture_output=True,
        encoding="utf-8",
    )
    assert bench.returncode == 0, bench.stderr
    nodes, speed = openbench_reads(bench.stdout + bench.stderr)
    assert nodes == int(SIGNATURE.read_text(encoding="utf-8"))
    assert speed > 0
    assert not list((tmp_path / "cache").glob("wadjet/*.o"))  # nothing was compiled
