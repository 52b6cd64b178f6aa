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


def test_what_the_cache_has_is_not_compiled_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(objects, "CACHE", str(tmp_path / "cache"))
    compiled: list[list[str]] = []

    def compile_levels(cpus: list[str]) -> dict[str, bytes]:
        compiled.append(cpus)
        return {cpu: f"code for {cpu}".encode() for cpu in cpus}

    monkeypatch.setattr(installation, "_compile", compile_levels)
    installation.install(tmp_path / "first", ["x86-64-v2"])
    installation.install(tmp_path / "second", ["x86-64-v3", "x86-64-v2"])
    assert compiled == [["x86-64-v2"], ["x86-64-v3"]]
    said = capsys.readouterr().out.splitlines()
    assert [line.rpartition(" ")[2] for line in said[:2]] == ["compiled", "compiled"]
    assert said[2].endswith(f"from {tmp_path / 'cache'}")
    for folder in ("first", "second"):
        (path,) = (tmp_path / folder).glob("*-x86-64-v2.o")
        assert objects.read_object(path) == b"code for x86-64-v2"


@pytest.mark.jit_only
def test_an_installed_object_runs(small_engine: SmallEngine) -> None:
    small_engine.run("from engine.native import installation; installation.main(['made'])")
    (made,) = (small_engine.root / "made").iterdir()
    (cached,) = small_engine.objects()
    assert made.read_bytes() == cached.read_bytes()
    assert small_engine.run(CALL) == f"42 {cached}"
