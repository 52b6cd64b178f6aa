"""Files that are mapped into memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tablebases.folders import BUILT_IN
from tablebases.mapping import map_file
from tablebases.reading import open_table


def next_descriptor() -> int:
    descriptor = os.dup(1)
    os.close(descriptor)
    return descriptor


@pytest.mark.skipif(sys.platform == "win32", reason="handles are not scarce there")
def test_open_tables_take_no_descriptors() -> None:
    """Those of six men would be more than a process may have."""
    before = next_descriptor()
    tables = [open_table(path) for path in sorted(BUILT_IN.glob("*.rtb?"))]
    assert len(tables) == 70 and next_descriptor() == before


def test_the_bytes_stay_when_the_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    with path.open("rb") as file:
        content = map_file(file)
    assert content[3:].tobytes() == b"tent"
    with pytest.raises(ValueError, match="read-only"):
        content[0] = 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of memory")
def test_a_file_is_let_go_with_its_last_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(10_000))
    with path.open("rb") as file:
        content = map_file(file)
    maps, part = Path("/proc/self/maps"), content[5_000:]
    del content
    assert str(path) in maps.read_text(encoding="utf-8") and not part.any()
    del part
    assert str(path) not in maps.read_text(encoding="utf-8")
