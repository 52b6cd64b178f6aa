"""The page of options, from the options themselves: `python -m docs.options_page` writes it."""

from __future__ import annotations

from pathlib import Path

from uci.options import EMPTY, OPTIONS, Check, Combo, Option, Spin, Text

PAGE = Path(__file__).with_name("options.md")

HEAD = """\
# Options

<!-- `python -m docs.options_page` writes this page from `uci/options.py`; do not edit it. -->

A GUI shows the options in the settings of the engine. In a terminal you set one with a line such as

    setoption name Hash value 64

Upper and lower case do not matter. A number out of range becomes the nearest one in range, and an
`info string` says so. `wadjet --tunables` also lists every constant of the search as an option.

| Option | Default | Values | Meaning |
|---|---|---|---|
"""

FOOT = """
A value set during a search applies from the next search on. Options that cannot change during a
search (`Threads`, `Hash`, tablebases, networks ...) wait until it has ended.
"""


def page() -> str:
    """The text of the page."""
    return HEAD + "".join(_row(option) for option in OPTIONS) + FOOT


def _row(option: Option) -> str:
    meaning = option.meaning[0].upper() + option.meaning[1:]
    return f"| `{option.name}` | {_default(option)} | {_values(option)} | {meaning} |\n"


def _default(option: Option) -> str:
    if isinstance(option, Check):
        return f"`{str(option.default).lower()}`"
    if isinstance(option, Text):
        return f"`{option.default or EMPTY}`"
    if isinstance(option, Spin | Combo):
        return f"`{option.default}`"
    return ""


def _values(option: Option) -> str:
    if isinstance(option, Check):
        return "`true`, `false`"
    if isinstance(option, Spin):
        return f"{option.least} to {option.most}"
    if isinstance(option, Combo):
        return ", ".join(f"`{choice}`" for choice in option.choices)
    return "text" if isinstance(option, Text) else "button"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
