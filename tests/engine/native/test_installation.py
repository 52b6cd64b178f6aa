"""What an installation compiles, and for which processors."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.native import installation, objects, processor
from tests.engine.native.conftest import SmallEngine

CALL = """
from engine.tiny import double
from engine.native.jit import library
print(double(21), library().origin)
"""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["x86-64-v2"]),
        (["--all"], ["x86-64-v4-pext", "x86-64-v3-pext", "x86-64-v3", "x86-64-v2"]),
    ],
)
def test_levels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], expected: list[str]
) -> None:
    installed: list[object] = []
    monkeypatch.setattr(processor, "is_x86_64", lambda: True)
    monkeypatch.setattr(processor, "usable_levels", lambda: ["x86-64-v2", "x86-64"])
    monkeypatch.setattr(installation, "install", lambda *given: installed.extend(given))
    installation.main([str(tmp_path), *arguments])
    assert installed == [tmp_path, expected]


@pytest.mark.jit_only
def test_an_installation_is_made_of_its_sources_alone(small_engine: SmallEngine) -> None:
    """Whatever the user's cache has, and nothing is left there."""
    assert small_engine.run(CALL).startswith("42 compiled, ")
    (cached,) = small_engine.objects()
    machine_code = objects.read_object(cached)
    assert machine_code is not None
    objects.write_object(cached, machine_code[:-8])  # it would not run

    small_engine.run("from engine.native import installation; installation.main(['made'])")
    assert small_engine.objects() == [cached]
    (made,) = (small_engine.root / "made").iterdir()
    assert objects.read_object(made) == machine_code

    made.parent.rename(small_engine.root / "engine" / "native" / "machine_code")
    assert small_engine.run(CALL).endswith(f"{Path('machine_code', made.name)}")
