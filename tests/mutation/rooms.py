"""Which tests answer for which sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

MOST_NEAREST = 3  # files of tests
INTERPRETED, COMPILED = "interpreted", "compiled"  # how the kernels run


@dataclass(frozen=True)
class Room:
    """Files and folders of sources, and of the tests that must notice a change in them.

    Kernels run interpreted, which starts at once. Compiled, for what survives that, each mutant
    takes a quarter of a minute to compile, but the tests then do a thousand times the work. The
    nearest tests come first, and always interpreted: most mutants end there.
    """

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    has_kernels: bool = True
    without: tuple[str, ...] = ()  # sources that are numbers to be tuned, or another room
    slow: bool = False  # its tests as a whole need compiled kernels

    def source_files(self, root: Path) -> list[str]:
        files = {file for source in self.sources for file in _python_files(root / source)}
        files -= {file for path in self.without for file in _python_files(root / path)}
        return sorted(file.relative_to(root).as_posix() for file in files)

    def test_files(self, root: Path, source: str) -> tuple[list[str], list[str]]:
        """The tests nearest to `source`, and the others of the room.

        The nearest are the one that mirrors it and those that import it. Then come those of its
        folder.
        """
        module = source.removesuffix(".py").replace("/", ".")
        imports = re.compile(rf"^(from|import) {re.escape(module)}\b", re.MULTILINE)
        mirror = f"test_{Path(source).name}"
        files = sorted({file for test in self.tests for file in _tests(root / test)})

        def distance(file: Path) -> int:
            if file.name == mirror:
                return 0
            if imports.search(file.read_text(encoding="utf-8")):
                return 1
            folder = Path("tests", source).parent
            return 2 if folder in file.relative_to(root).parents else 3

        files.sort(key=lambda file: (distance(file), file.stat().st_size))
        count = min(MOST_NEAREST, sum(distance(file) < 2 for file in files))
        names = [file.relative_to(root).as_posix() for file in files]
        return names[:count], names[count:]


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def _tests(path: Path) -> list[Path]:
    return [file for file in _python_files(path) if file.name.startswith("test_")]


ROOMS = (
    Room("board", ("engine/board",), ("tests/engine/board",)),
    Room(
        "evaluation",
        ("engine/eval",),
        ("tests/engine/eval",),
        without=("engine/eval/classical/weights.py",),
    ),
    Room(
        "search",
        ("engine/search",),
        ("tests/engine/search", "tests/engine/test_bench.py"),
        slow=True,
    ),
    Room(
        "tablebases",
        ("tablebases",),
        ("tests/tablebases",),
        without=("tablebases/generator", "tablebases/commands/generate.py"),
    ),
    Room("probing", ("engine/tb",), ("tests/engine/tb",)),
    Room(
        "generator",
        ("tablebases/generator", "tablebases/commands/generate.py"),
        ("tests/tablebases/generator", "tests/tablebases/test_generate.py"),
        slow=True,
    ),
    Room(
        "time management",
        ("engine/play/timeman.py",),
        ("tests/engine/play/test_timeman.py",),
        False,
    ),
    Room("protocol", ("uci/protocol.py",), ("tests/uci/test_protocol.py",), False),
)
