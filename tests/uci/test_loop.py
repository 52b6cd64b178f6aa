"""What the bytes of a line mean."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator

import pytest

from uci import loop

LINE = "setoption name Book File value /Bücher/Zürich.bin"


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Windows with the code page of western Europe, which Python calls mbcs there."""

    def find(name: str) -> codecs.CodecInfo | None:
        return codecs.lookup("cp1252") if name == "mbcs" else None

    codecs.register(find)
    monkeypatch.setattr(sys, "platform", "win32")
    yield
    codecs.unregister(find)


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_guis_on_windows_write_either(encoding: str) -> None:
    assert loop._decoded(LINE.encode(encoding)) == LINE


@pytest.mark.usefixtures("windows")
def test_no_bytes_are_too_strange_on_windows() -> None:
    assert loop._decoded(b"position \x81\xff") == "position \ufffdÿ"


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are text there")
def test_elsewhere_the_bytes_of_a_file_name_are_kept() -> None:
    raw = LINE.encode("latin-1")
    assert loop._decoded(raw).encode("utf-8", "surrogateescape") == raw
