"""Making text from outside safe to print, and reading numbers from it."""

from __future__ import annotations

import re


def brief(text: str, longest: int = 60) -> str:
    """`text` in quotes, on one line, without control characters, and not too long."""
    return f"'{one_line(text, longest)}'"


def one_line(text: str, longest: int) -> str:
    """`text` without control characters, and not too long."""
    shown = text.strip()
    shown = shown if len(shown) <= longest else shown[:longest] + "..."
    return "".join(c if c.isprintable() else "?" for c in shown)


def whole_number(text: str) -> int | None:
    """None if it is none. int() would also take `1_000` and foreign digits, and fail on thousands
    of digits; of those only the first 25 count, which is far above all limits."""
    found = re.fullmatch(r"([+-]?)0*([0-9]+)", text.strip())
    return None if found is None else int(found[1] + found[2][:25])
