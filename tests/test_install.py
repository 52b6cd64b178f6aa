"""The installed engine, where there is one: it brings its machine code and never compiles.

.ci/run installs it into a fresh environment, and so does who follows the README.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import __version__

pytestmark = pytest.mark.jit_only

WHERE = "import engine.native as native; print(native.__path__[0])"
START = """
import sys
from engine.native.objects import needs_compiling
from engine.native.jit import library
print(needs_compiling(), library().origin, "numba" in sys.modules, sep="|")
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder from which only an installed engine can be imported."""
    program = subprocess.run(
        [sys.executable, "-c", WHERE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if program.returncode != 0 or not (Path(program.stdout.strip()) / "machine_code").is_dir():
        pytest.skip("no engine is installed, or only in editable mode")
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "WADJET_CACHE": str(folder / "cache"), "WADJET_KERNEL_CHECKS": "0"}
    program = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return program.stdout.strip()


def test_never_compiles(elsewhere: Path) -> None:
    needs_compiling, origin, has_numba = run([sys.executable, "-c", START], elsewhere).split("|")
    assert (needs_compiling, has_numba) == ("False", "False")
    assert Path(origin).parent.name == "machine_code"
    assert not (elsewhere / "cache").exists()


def test_the_book_is_there(elsewhere: Path) -> None:
    program = "from engine.book import OpeningBook; print(OpeningBook().enable(True))"
    assert "moves in wadjet.bin" in run([sys.executable, "-c", program], elsewhere)


def test_the_command_is_there(elsewhere: Path) -> None:
    command = Path(sys.executable).with_name("wadjet")
    assert __version__ in run([str(command), "--version"], elsewhere)
