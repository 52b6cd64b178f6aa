"""Making text from outside safe to print."""

from __future__ import annotations


def brief(text: str, longest: int = 60) -> str:
    """`text` in quotes, on one line, without control characters, and not too long."""
    shown = text.strip()
    shown = shown if len(shown) <= longest else shown[:longest] + "..."
    return "'" + "".join(c if c.isprintable() else "?" for c in shown) + "'"
