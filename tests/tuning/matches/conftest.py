"""An opening for matches that is over in a few moves."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.epd"
    path.write_text("k7/8/1K6/8/8/8/8/7R w - -\n", encoding="utf-8")
    return path
