"""Starting: with and without compiled kernels, alone and in a crowd, on hostile machines."""

from __future__ import annotations

import importlib

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
source.write_text(source.read_text().replace("2 *", "3 *"))
from engine.native.jit import library
print(double(21), library().origin, sep="|")
"""
NEEDS = """
import sys
from engine.native.objects import needs_compiling
print(needs_compiling(), *[m for m in ("numpy", "llvmlite", "numba") if m in sys.modules])
"""


def test_compiles_once(small_engine: SmallEngine) -> None:
    assert small_engine.run(NEEDS) == "True"
    result, origin, has_numba = small_engine.run(CALL).split("|")
    (path,) = small_engine.objects()
    assert (result, origin, has_numba) == ("42", f"compiled, {path}", "True")
    assert small_engine.run(NEEDS) == "False"
    assert small_engine.run(CALL) == f"42|{path}|False"


def test_compiles_again_after_an_edit_or_damage(small_engine: SmallEngine) -> None:
    small_engine.run(CALL)
    (path,) = small_engine.objects()
    path.write_bytes(path.read_bytes()[:-5])
    assert small_engine.run(CALL).startswith("42|compiled")
    kernel = small_engine.root / "engine" / "tiny.py"
    kernel.write_text(kernel.read_text().replace("2 *", "3 *"))
    assert small_engine.run(CALL).startswith("63|compiled")
    assert len(small_engine.objects()) == 2


def test_what_is_edited_between_import_and_compiling_is_not_kept(small_engine: SmallEngine) -> None:
    """It would be kept as the machine code of sources that nobody has compiled."""
    result, origin = small_engine.run(EDIT_AND_CALL).split("|")
    assert result == "42"
    assert origin == "compiled, not saved: a source file was edited meanwhile"
    assert small_engine.run(CALL).startswith("63|compiled")


def test_checked_and_interpreted_builds_are_separate(small_engine: SmallEngine) -> None:
    small_engine.run(CALL)
    assert small_engine.run(NEEDS, WADJET_KERNEL_CHECKS="1") == "True"
    assert small_engine.run(CALL, WADJET_KERNEL_CHECKS="1").startswith("42|compiled")
    assert len(small_engine.objects()) == 2
    call_only = "from engine.tiny import double; print(double(21))"
    assert small_engine.run(call_only, NUMBA_DISABLE_JIT="1", WADJET_CACHE="/dev/null/x") == "42"
    assert small_engine.run(NEEDS, NUMBA_DISABLE_JIT="1", WADJET_CACHE="/dev/null/x") == "False"


def test_several_engines_start_at_once_on_a_cold_cache(small_engine: SmallEngine) -> None:
    processes = [small_engine.start(CALL) for _ in range(4)]
    outputs = [process.communicate(timeout=240) for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, outputs
    assert all(output.startswith("42|") for output, _ in outputs)
    assert sum("compiled" in output for output, _ in outputs) == 1  # the others waited for it
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


def test_a_kernel_module_that_is_not_listed_is_named(small_engine: SmallEngine) -> None:
    (small_engine.root / "engine" / "other.py").write_text(
        "from engine.native.jit import entry\n@entry\ndef half(n: int) -> int:\n    return n // 2\n"
    )
    code = """
from engine.other import half
try:
    half(4)
except LookupError as error:
    print(error)
"""
    message = "no kernel engine.other.half: is its module listed in engine/kernels.py?"
    assert small_engine.run(code) == message


def test_all_entries_of_the_engine_are_in_its_object() -> None:
    from engine import kernels
    from engine.native import jit, registry

    kernels.import_all()
    own = [name for name in registry.ENTRIES if name.startswith(("engine.", "tablebases."))]
    assert own
    for name in own:
        assert jit.library(kernels.object_of(registry.ENTRIES[name].__module__)).address(name)


def test_the_library_is_loaded_once() -> None:
    loader = importlib.import_module("engine.native.loader")
    assert loader.library("play") is loader.library()
