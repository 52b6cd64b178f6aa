"""Starting: with and without compiled kernels, alone and in a crowd, on hostile machines."""

from __future__ import annotations

import importlib
import shutil

import pytest

from tests.engine.native.conftest import SmallEngine

pytestmark = pytest.mark.jit_only

CALL = """
import sys
from engine.native.jit import library
from engine.tiny import double
print(double(21), library().origin, "numba" in sys.modules, sep="|")
"""
EDIT_AND_CALL = """
from pathlib import Path
from engine.tiny import double
source = Path("engine/tiny.py")
source.write_text(source.read_text("utf-8").replace("2 *", "3 *"), "utf-8")
print(double(21))
"""
CALL_WHAT_IS_MISSING = """
from engine.native.jit import library
try:
    library().address("engine.tiny.half")
except LookupError as error:
    print(error)
"""
NEEDS = """
import sys
from engine.native.objects import needs_compiling
print(needs_compiling(), *[m for m in ("numpy", "llvmlite", "numba") if m in sys.modules])
"""


def test_compiles_once_for_each_way_to_run(small_engine: SmallEngine) -> None:
    assert small_engine.run(NEEDS) == "True"
    result, origin, has_numba = small_engine.run(CALL).split("|")
    (path,) = small_engine.objects()
    assert (result, origin, has_numba) == ("42", f"compiled, {path}", "True")
    assert small_engine.run(NEEDS) == "False"
    assert small_engine.run(CALL) == f"42|{path}|False"
    missing = small_engine.run(CALL_WHAT_IS_MISSING)
    assert missing == f"no kernel engine.tiny.half in {path}"

    # Checked and interpreted builds are separate.
    assert small_engine.run(NEEDS, WADJET_KERNEL_CHECKS="1") == "True"
    assert small_engine.run(CALL, WADJET_KERNEL_CHECKS="1").startswith("42|compiled")
    assert len(small_engine.objects()) == 2
    call_only = "from engine.tiny import double; print(double(21))"
    assert small_engine.run(call_only, NUMBA_DISABLE_JIT="1", WADJET_CACHE="/dev/null/x") == "42"
    assert small_engine.run(NEEDS, NUMBA_DISABLE_JIT="1", WADJET_CACHE="/dev/null/x") == "False"


def test_another_compiler_compiles_again(small_engine: SmallEngine) -> None:
    """Objects in the cache are those of the Numba and llvmlite that are installed now; what the
    package has, its builder's."""
    small_engine.run("from engine.native import installation; installation.main(['made'])")
    small_engine.run(CALL)
    for package in ("numba", "llvmlite"):
        folder = small_engine.root / package  # found before the real one
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / "_version.py").write_text("version = 'another'\n", encoding="utf-8")
        assert small_engine.run(NEEDS) == "True"
        shutil.rmtree(folder)
        assert small_engine.run(NEEDS) == "False"
    (small_engine.root / "made").rename(small_engine.root / "engine" / "native" / "machine_code")
    (small_engine.root / "numba.py").write_text("raise ImportError\n", encoding="utf-8")
    assert small_engine.run(NEEDS) == "False"
    assert small_engine.run(CALL).startswith("42|")


def test_compiles_again_after_an_edit_or_damage(small_engine: SmallEngine) -> None:
    # An edit between import and compiling is not taken for compiled.
    assert small_engine.run(EDIT_AND_CALL) == "42"
    (before,) = small_engine.objects()
    assert small_engine.run(CALL).startswith("63|compiled")
    (path,) = (path for path in small_engine.objects() if path != before)
    path.write_bytes(path.read_bytes()[:-5])
    assert small_engine.run(CALL).startswith("63|compiled")
    assert len(small_engine.objects()) == 2


def test_several_engines_start_at_once_on_a_cold_cache(small_engine: SmallEngine) -> None:
    processes = [small_engine.start(CALL) for _ in range(3)]
    outputs = [process.communicate(timeout=240) for process in processes]
    assert [process.returncode for process in processes] == [0] * 3, outputs
    assert all(output.startswith("42|") for output, _ in outputs)
    assert len(small_engine.objects()) == 1
    assert not list(small_engine.cache.glob("*.part"))


def test_starts_without_home_or_any_writable_folder(small_engine: SmallEngine) -> None:
    no_temporary_folder = """
import tempfile
def gettempdir():
    raise FileNotFoundError("No usable temporary directory found")
tempfile.gettempdir = gettempdir
"""
    output = small_engine.run(
        no_temporary_folder + CALL,
        HOME=None,
        WADJET_CACHE=None,
        XDG_CACHE_HOME="/dev/null/nowhere",
        LOCALAPPDATA="",
    )
    assert output == "42|compiled, not saved: no folder is writable|True"


def test_a_module_of_tools_has_an_object_of_its_own(small_engine: SmallEngine) -> None:
    (small_engine.root / "tools").mkdir()
    (small_engine.root / "tools" / "other.py").write_text(
        "from engine.native.jit import entry\nfrom engine.tiny import double\n"
        "@entry\ndef quadruple(n: int) -> int:\n    return double(double(n))\n",
        encoding="utf-8",
    )
    code = "from tools.other import quadruple, double; print(quadruple(4), double(4))"
    assert small_engine.run(code) == "16 8"
    names = [path.name.partition("-")[0] for path in small_engine.objects()]
    assert names == ["play", "tools.other"]


def test_all_entries_of_a_game_are_in_its_object() -> None:
    from engine import kernels
    from engine.native import jit, registry

    for module in kernels.ROOTS:
        importlib.import_module(module)
    own = [name for name, entry in registry.ENTRIES.items() if entry.object == kernels.PLAY]
    assert len(own) > 50
    for name in own:
        assert jit.library().address(name)
