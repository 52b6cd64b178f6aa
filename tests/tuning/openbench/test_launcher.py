"""The one file for OpenBench, around an engine that only says where it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

from tests.uci.gui import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its clients here run Linux")

ENGINE = """
from pathlib import Path
def run_engine():
    print(Path(__file__).parents[1], Path(__file__).with_name("machine_code").read_text("utf-8"))
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    return folder


def program(folder: Path, version: str) -> Path:
    """The one file; what it was made of is gone."""
    package = folder / f"sources-{version}"
    (package / "wadjet").mkdir(parents=True)
    (package / "wadjet" / "__init__.py").write_text(ENGINE, encoding="utf-8")
    (package / "wadjet" / "machine_code").write_text(version, encoding="utf-8")
    shutil.copyfile(ROOT / "tuning" / "openbench" / "launcher.py", package / "__main__.py")
    file = folder / f"Wadjet-{version}"
    zipapp.create_archive(package, file, interpreter=sys.executable, compressed=True)
    shutil.rmtree(package)
    return file


def start(file: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WADJET_CACHE": str(cache)}
    return subprocess.run(
        [f"./{file.name}"], cwd=file.parent, env=environment, capture_output=True, encoding="utf-8"
    )


def unpacked(cache: Path) -> dict[str, Path]:
    """The folders by the version of what was unpacked there."""
    codes = (cache / "openbench").glob("*/wadjet/machine_code")
    return {code.read_text(encoding="utf-8"): code.parents[1] for code in codes}


def test_it_runs_without_its_sources_and_unpacks_once(tmp_path: Path, cache: Path) -> None:
    file = program(tmp_path, "0123ABCD")
    first = start(file, cache)
    assert (first.returncode, first.stderr) == (0, "")
    where, version = first.stdout.split()
    assert version == "0123ABCD"
    (folder,) = (cache / "openbench").iterdir()
    assert Path(where) == folder
    (folder / "wadjet" / "machine_code").write_text("not again", encoding="utf-8")
    moved = file.rename(tmp_path / "moved")
    assert start(moved, cache).stdout.strip() == f"{folder} not again"


def test_versions_do_not_meet_and_old_ones_go(tmp_path: Path, cache: Path) -> None:
    for number in range(12):
        version = f"version{number}"
        assert start(program(tmp_path, version), cache).stdout.split()[1] == version
        os.utime(unpacked(cache)[version], (number, number))
    assert set(unpacked(cache)) == {f"version{number}" for number in range(4, 12)}


def test_a_folder_where_others_can_write_is_refused(tmp_path: Path, cache: Path) -> None:
    (cache / "openbench").mkdir()
    (cache / "openbench").chmod(0o777)
    done = start(program(tmp_path, "0"), cache)
    assert done.returncode == 1
    assert "others can write there; name another in WADJET_CACHE" in done.stderr
    assert not list((cache / "openbench").iterdir())
