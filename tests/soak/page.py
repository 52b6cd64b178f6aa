"""The page about reliability: each test with its size and its result.

The rows are kept as JSON beside the page, with the commands that repeat them and details, so that
each test replaces its own row only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from engine.files import write_text

DEFAULT_PAGE = Path("docs/reliability.md")
HEAD = """# Reliability

A tournament operator forgives a weak engine, never one that hangs or forfeits. The tests write this
page: each row is the last run of one, with the faults that it found. Every fault has become a test
of its own under `tests/`. `reliability.json` beside the page has the command that repeats each row,
and how the games ended. In `crowded` and `one-core` time losses are no faults if the others have as
many. [Contributing](../CONTRIBUTING.md#reliability) explains the tests.
"""


@dataclass(frozen=True)
class Row:
    """The result of one test."""

    test: str
    command: str
    size: str  # what was tried: "500 games"
    result: str
    faults: int
    order: int  # of the rows on the page
    day: str = field(default_factory=lambda: date.today().isoformat())
    details: tuple[str, ...] = ()  # such as how games ended; kept beside the page


def record(rows: Sequence[Row], page: Path) -> None:
    """Put rows on the page, in place of older ones of the same tests. ValueError if the rows kept
    beside it are damaged."""
    kept = {row.test: row for row in read(page)}
    kept.update({row.test: row for row in rows})
    ordered = sorted(kept.values(), key=lambda row: (row.order, row.test))
    page.parent.mkdir(parents=True, exist_ok=True)
    write_text(_store(page), json.dumps([asdict(row) for row in ordered], indent=1) + "\n")
    write_text(page, render(ordered))


def read(page: Path) -> list[Row]:
    """The rows of a page; none if it does not exist."""
    store = _store(page)
    if not store.exists():
        return []
    try:
        found = json.loads(store.read_text(encoding="utf-8"))
        return [Row(**{**row, "details": tuple(row["details"])}) for row in found]
    except (ValueError, TypeError, KeyError) as reason:
        raise ValueError(f"{store}: not the rows of a page: {reason}") from reason


def render(rows: Sequence[Row]) -> str:
    lines = [HEAD, "| Test | Size | Result | Faults | Day |", "|---|---|---|---|---|"]
    lines += [
        f"| {row.test} | {row.size} | {row.result} | {row.faults} | {row.day} |" for row in rows
    ]
    return "\n".join(lines) + "\n"


def _store(page: Path) -> Path:
    return page.with_suffix(".json")
