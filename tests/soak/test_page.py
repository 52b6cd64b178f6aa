"""The page keeps the last result of every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.page import Row, read, record


def row(test: str, result: str = "fine", order: int = 1, details: tuple[str, ...] = ()) -> Row:
    return Row(test, f"wadjet-tune {test}", "7 games", result, 0, order, "2026-01-01", details)


def test_rows_replace_older_ones_of_the_same_test(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    record([row("b", "old", 2), row("c", order=3)], page)
    record([row("a"), row("b", "new", 2, ("some detail",))], page)
    assert [found.test for found in read(page)] == ["a", "b", "c"]
    text = page.read_text(encoding="utf-8")
    assert "| b | 7 games | new | 0 | 2026-01-01 |" in text and "old" not in text
    assert read(page)[1].details == ("some detail",)


def test_damaged_rows_are_refused(tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text('[{"test": "a"}]', encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.json: not the rows of a page"):
        record([row("b")], tmp_path / "page.md")
    assert not (tmp_path / "page.md").exists()
