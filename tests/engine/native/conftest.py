"""How tests compile kernels of their own, and run small engines of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.native import jit, registry

ROOT = Path(__file__).resolve().parents[3]

KERNELS_FILE = """
PLAY, PREFIX = "play", ""
ROOTS = ("engine.tiny",)
"""
TINY_KERNEL = """
from engine.native.jit import entry

@entry
def double(number: int) -> int:
    return 2 * number
"""


@pytest.fixture(scope="module")
def build() -> Iterator[Callable[..., list[Callable[..., Any]]]]:
    """A function that compiles entries, and kernels they call, and returns what Python calls."""
    pytest.importorskip("numba")
    from engine.native import compiler, loader, processor

    patch = pytest.MonkeyPatch()

    def compiled(
        *functions: Callable[..., Any],
        kernels: Sequence[Callable[..., Any]] = (),
        cpu: str = processor.usable_levels()[0],
    ) -> list[Callable[..., Any]]:
        entries = {registry.symbol(f): jit.Entry(f) for f in functions}
        patch.setattr(registry, "ENTRIES", {**registry.ENTRIES, **entries})
        registered = {registry.symbol(f): f for f in (*functions, *kernels)}
        patch.setattr(registry, "KERNELS", {**registry.KERNELS, **registered})
        machine_code = compiler.compile_kernels(functions, [cpu])[cpu]
        library = loader.Library(machine_code, "a test")
        kept.append(library)  # keeps the machine code in memory
        patch.setitem(loader._libraries, "play", library)
        return [entry.bind(library) for entry in entries.values()]

    kept: list[loader.Library] = []
    yield compiled
    patch.undo()


class SmallEngine:
    """A copy of `engine/native` with one kernel, to be started as separate processes."""

    def __init__(self, folder: Path):
        self.root = folder / "program"
        self.cache = folder / "cache"
        package = self.root / "engine"
        ignored = shutil.ignore_patterns("__pycache__", "machine_code")
        shutil.copytree(ROOT / "engine" / "native", package / "native", ignore=ignored)
        (package / "__init__.py").touch()
        (package / "kernels.py").write_text(KERNELS_FILE, encoding="utf-8")
        (package / "tiny.py").write_text(TINY_KERNEL, encoding="utf-8")

    def start(self, code: str, **environment: str | None) -> subprocess.Popen[str]:
        """Run Python code beside the small engine. A variable that is None is not set."""
        own = {"WADJET_CACHE": str(self.cache), "NUMBA_DISABLE_JIT": None, **environment}
        variables = {**os.environ, "WADJET_KERNEL_CHECKS": "0", **own}
        return subprocess.Popen(
            [sys.executable, "-B", "-c", code],
            cwd=self.root,
            env={name: value for name, value in variables.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, code: str, **environment: str | None) -> str:
        """What the code prints. It must end well."""
        process = self.start(code, **environment)
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        return output.strip()

    def objects(self) -> list[Path]:
        return sorted(path for path in self.cache.iterdir() if path.suffix == ".o")


@pytest.fixture
def small_engine(tmp_path: Path) -> SmallEngine:
    pytest.importorskip("numba")
    return SmallEngine(tmp_path)


def line_of(function: Callable[..., Any], text: str) -> int:
    """The number of the first line of a function that contains a text."""
    code = function.__code__
    lines = Path(code.co_filename).read_text(encoding="utf-8").splitlines()
    start = code.co_firstlineno
    return next(n for n, line in enumerate(lines[start - 1 :], start) if re.search(text, line))
