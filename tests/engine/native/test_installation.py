"""What an installation compiles, and for which processors."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.native import installation, objects, processor
from tests.engine.native.conftest import SmallEngine

CALL = """
from pathlib import Path
from engine.tiny import double
from engine.native.jit import library
print(double(21), Path(library().origin).parent.name)
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
def test_an_installation_compiles_once(small_engine: SmallEngine) -> None:
    """What the user's cache holds is taken, unless it is damaged; what it lacks is saved there."""
    install = "from engine.native import installation; installation.main(['made'])"
    small_engine.run(install)
    (made,) = (small_engine.root / "made").iterdir()
    (cached,) = small_engine.objects()
    machine_code = made.read_bytes()
    assert cached.read_bytes() == machine_code

    objects.write_object(cached, b"known by its words")
    small_engine.run(install)
    assert objects.read_object(made) == b"known by its words"

    cached.write_bytes(machine_code[:-8])
    small_engine.run(install)
    assert made.read_bytes() == cached.read_bytes() == machine_code

    cached.unlink()
    made.parent.rename(small_engine.root / "engine" / "native" / "machine_code")
    assert small_engine.run(CALL) == f"42 {objects.PACKAGED_OBJECTS.name}"
