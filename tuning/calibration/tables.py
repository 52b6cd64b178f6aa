"""The table of docs/levels.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from engine.files import write_text
from tuning.calibration.ratings import Rating


def rating_table(
    levels: Mapping[str, int],
    found: Mapping[str, Rating],
    estimates: Mapping[str, float],
    games: int,
) -> str:
    """Levels and anchors with what games say, best last; in brackets the anchors' estimates."""
    rows = [
        f"{games:,} games.",
        "",
        "| Player | `UCI_Elo` | In games | Games | Score |",
        "|---|---|---|---|---|",
    ]
    shown = [(found[name].value, name) for name in found if name in levels or _is_anchor(name)]
    for _, name in sorted(shown):
        rating = found[name]
        label = "Wadjet" if name in levels else name
        elo = f"{levels[name]}" if name in levels else _given(estimates.get(name))
        share = rating.points / max(1, rating.games)
        rows.append(
            f"| {label} | {elo} | {rating.value:.0f} ± {rating.error:.0f} | {rating.games} | "
            f"{share:.0%} |"
        )
    return "\n".join(rows)


def _is_anchor(name: str) -> bool:
    return not name.startswith("level ")


def _given(rating: float | None) -> str:
    return "" if rating is None else f"({rating:.0f})"


def replace_table(page: Path, name: str, table: str) -> None:
    """Put the table between its marks in the page. ValueError if it has no such marks."""
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{page}: there is no {begin} ... {end}")
    write_text(page, pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text))
