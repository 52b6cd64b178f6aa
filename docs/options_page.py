"""The page of options, from the options themselves: `python -m docs.options_page` writes it."""

from __future__ import annotations

from pathlib import Path

from uci.options import EMPTY, OPTIONS, Check, Combo, Option, Spin, Text

PAGE = Path(__file__).with_name("options.md")

HEAD = """\
# Options and commands

<!-- `python -m docs.options_page` writes this page from `uci/options.py`; do not edit it. -->

A GUI shows the options in the settings of the engine. In a terminal you set one with a line such as

    setoption name Hash value 64

Case does not matter. A number out of range becomes the nearest one in range, and an `info string`
says so. `wadjet --tunables` also offers every constant of the search as an option.

| Option | Default | Values | Meaning |
|---|---|---|---|
"""

FOOT = """
A value applies from the next search on. Options that cannot change during a search (`Threads`,
`Hash`, tablebases, networks ...) wait until it has ended.

## Programs

| Program | What it does |
|---|---|
| `wadjet` | the engine; it speaks UCI with a GUI or with you |
| `wadjet play`, `wadjet board` | a game in the [terminal](playing.md), in the [browser](board.md) |
| `wadjet analyse` | [analyses](analysing.md) games and positions |
| `wadjet-tune` | [trains, tunes and tests](../tuning/README.md) the engine |
| `wadjet-tablebases` | probes, checks and makes [tablebases](tablebases.md) |

Each lists its options with `--help`; `wadjet --version` prints version and commit. In a clone,
`python -m uci`, `python -m tuning` and `python -m tablebases` are the same programs.

## Commands beyond UCI

The engine has some commands of its own. Each also works on the command line, as in `wadjet bench`.

| Command | What it does |
|---|---|
| `play [OPTION ...]` | starts a game in this terminal, as `wadjet play` does |
| `board`, `analyse FILE` | as `wadjet board` and `wadjet analyse` do |
| `d` | prints board, FEN, Zobrist key, checkers, and the name of the opening |
| `eval` | explains the evaluation: terms, what each piece is worth, and words |
| `perft N`, `go perft N` | counts the leaves of the game tree N plies deep, by root move |
| `bench [DEPTH [HASH [THREADS]]]` | prints the speed, and the nodes, the signature of a version |
| `bench --effectiveness [DEPTH]` | compares the nodes of minimax, alpha-beta and the full search |
| `flip` | exchanges the colours |
| `help` | lists all commands |
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
