"""How well a person plays: asked once, and remembered for the next game; levels in words."""

from __future__ import annotations

from pathlib import Path

from engine.files import write_text
from engine.settings import RANGES
from uci.game.files import kept_path
from uci.text import brief, whole_number

QUESTION = "How well do you play?"
# Ratings of people: docs/levels.md.
ANSWERS = (
    ("I am learning the game.", 500),
    ("I know the rules and play now and then.", 1000),
    ("I play often, online or in a club.", 1500),
    ("I am a strong club player.", 1900),
    ("I am a master.", 2400),
)
FULL_STRENGTH = ("full", "off", "max")
SKIPPED = 1000  # of a person whose level is not known


def read_level(text: str, levels: tuple[int, int]) -> int | None:
    """None is full strength. Raises ValueError with the reason."""
    if text.casefold() in FULL_STRENGTH:
        return None
    least, most = levels
    level = whole_number(text)
    if level is None or not least <= level <= most:
        raise ValueError(f"Levels go from {least} to {most}, not {brief(text, 20)}")
    return level


def strength(level: int | None) -> str:
    return "at full strength" if level is None else f"at level {level}"


def answered(text: str, levels: tuple[int, int]) -> int | None:
    """The level for an answer: the number of one of the ANSWERS, a rating, or nothing. None is full
    strength. Raises ValueError with the reason."""
    text = text.strip()
    if text.casefold() in ("", "skip"):
        return SKIPPED
    if text.isdecimal() and 1 <= int(text) <= len(ANSWERS):
        return ANSWERS[int(text) - 1][1]
    try:
        return read_level(text, levels)
    except ValueError:
        least, most = levels
        raise ValueError(
            f"Answer with a number from 1 to {len(ANSWERS)}, or a rating from {least} to {most}"
        ) from None


def remembered() -> str:
    """The level of the last time, as `read_level` takes it; empty if nobody has answered yet, or
    the file is damaged: then it is asked again."""
    try:
        text = _path().read_text(encoding="utf-8").strip()
        read_level(text, RANGES["elo"])
    except (OSError, ValueError):
        return ""
    return text


def remember(level: int | None) -> None:
    """Raises OSError."""
    _path().parent.mkdir(parents=True, exist_ok=True)
    write_text(_path(), "full\n" if level is None else f"{level}\n")


def begins_at(level: int | None) -> str:
    return f"I play {strength(level)}; level N changes that at any time."


def _path() -> Path:
    return kept_path().with_name("level.txt")
