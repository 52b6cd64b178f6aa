"""The house rules that a machine can check. Which package may import which is in pyproject.toml."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from engine.kernels import PLAY
from engine.native.sources import kernel_sources

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def sources(*packages: str) -> Iterator[Path]:
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions and for type checkers count too: modules in a circle can only be
    understood together."""
    modules = {
        module_name(path.parent if path.name == "__init__.py" else path): path
        for path in sources(*PACKAGES)
    }
    graph = {name: imported_modules(path, set(modules)) for name, path in modules.items()}
    assert graph["uci.loop"] >= {"uci.protocol", "uci.session", "engine.api"}  # all three kinds
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import circle: " + " <- ".join(error.args[1]))


def imported_modules(path: Path, modules: set[str]) -> set[str]:
    """Those of `modules` that the file imports anywhere."""
    names = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                names.add(submodule if submodule in modules else str(node.module))
    return names & modules


def test_every_module_of_the_engine_has_its_place() -> None:
    """A module that the contract in pyproject.toml does not name could import anything."""
    layers = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("layers = [")[2]
    named = set(re.findall(r"engine\.\w+", layers.partition("]")[0]))
    assert {
        module_name(path.parent if path.name == "__init__.py" else path)
        for path in (*(ROOT / "engine").glob("*.py"), *(ROOT / "engine").glob("*/__init__.py"))
        if path != ROOT / "engine" / "__init__.py"
    } <= named


def test_the_kernels_of_a_game_are_those_of_the_engine() -> None:
    """A kernel in `engine` that the roots do not reach would be compiled during a game; one of
    the tools among them would make players wait for it."""
    with_kernels = {
        module_name(path)
        for path in sources(*PACKAGES)
        if re.search(r"^@(kernel|entry)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        and path.parent != ROOT / "engine" / "native"
    }
    in_game = with_kernels & set(kernel_sources(PLAY))
    assert {name for name in with_kernels if name.startswith("engine.")} <= in_game
    assert {name for name in in_game if not name.startswith("engine.")} == {
        "tablebases.decoding",
        "tablebases.index",
    }


def test_the_engine_neither_prints_nor_reads() -> None:
    """Standard output belongs to uci/."""
    offenders = [
        f"{path}:{node.lineno}"
        for path in sources("engine", "tablebases", "openings")
        if path.name not in ("installation.py", "__main__.py", "command_line.py")  # programs
        and path.parent.name != "commands"  # the same
        for node in ast.walk(parsed(path))
        if (isinstance(node, ast.Name) and node.id in ("print", "input"))
        or (isinstance(node, ast.Attribute) and node.attr in ("stdin", "stdout"))
    ]
    assert not offenders


def test_text_has_an_encoding() -> None:
    """Without one, Windows reads and writes its code page: files and pipes name theirs."""
    offenders = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path in (*ROOT.glob("*.py"), *sources(*PACKAGES, "docs", "standalone", "tests"))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and takes_the_default_encoding(node)
    ]
    assert not offenders


def takes_the_default_encoding(call: ast.Call) -> bool:
    words = {word.arg: word.value for word in call.keywords}
    if "encoding" in words:
        return False
    function, arguments = call.func, len(call.args)
    if isinstance(function, ast.Name):
        return function.id == "open" and is_text(call.args[1:], words.get("mode"))
    match function.attr if isinstance(function, ast.Attribute) else "":
        case "open":
            return is_text(call.args, words.get("mode"))
        case "read_text":
            return arguments == 0
        case "write_text":
            return arguments < 2
        case "fdopen":
            return is_text(call.args[1:], words.get("mode"))
        case "TextIOWrapper" | "getoutput" | "popen":
            return True
    asked = (words.get("text"), words.get("universal_newlines"))
    return any(isinstance(word, ast.Constant) and word.value is True for word in asked)


def is_text(position: list[ast.expr], word: ast.expr | None) -> bool:
    """Whether a file is opened as text; `position`: the arguments from the mode on. Other methods
    called `open` take other things first."""
    mode = position[0] if position else word
    if mode is None:
        return True
    return isinstance(mode, ast.Constant) and bool(re.fullmatch("[rwaxt+]+", str(mode.value)))


@pytest.mark.parametrize(
    "call",
    ["open(f)", "open(f, 'a')", "f.open()", "f.open(mode='w')", "f.read_text()", "f.write_text(t)",
     "os.fdopen(1, 'w')", "io.TextIOWrapper(f)", "subprocess.run(w, text=True)"],
)  # fmt: skip
def test_a_default_encoding_is_seen(call: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call) and takes_the_default_encoding(node)
