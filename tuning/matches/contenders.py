"""Who is compared, as a developer names them: programs, networks, commits."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tuning.engines import OURS, find_program, is_xboard, name_of, options_of
from tuning.matches import commits
from tuning.matches.rules import Contender


def add_contenders(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("new", metavar="NEW", help="engine to test: a command (`wadjet` is this engine), a network "
        "for it (.nnue), or a commit or branch of the repository in this folder")  # fmt: skip
    add("opponents", nargs="+", metavar="OPPONENT", help="engines to compare it with, "
        "likewise")  # fmt: skip
    add("--option", action="append", default=[], metavar="NAME=VALUE",
        help="option of all engines; repeatable (default: Hash=16)")  # fmt: skip
    add("--own-option", action="append", default=[], metavar="NAME=VALUE",
        help="option of NEW alone; repeatable")  # fmt: skip


def common_options(arguments: argparse.Namespace) -> dict[str, str]:
    """Of all engines. UsageError if one is none."""
    return {"Hash": "16", **options_of(arguments.option)}


def contenders_of(arguments: argparse.Namespace) -> list[Contender]:
    """The engine to test, then its opponents. OSError if one of them is nothing known."""
    own = options_of(arguments.own_option)
    first, *others = map(_contender, (arguments.new, *arguments.opponents))
    return [replace(first, options={**first.options, **own}), *others]


def numbered(opponents: Iterable[Contender]) -> list[Contender]:
    """The same with numbers before their names, so that no two of them are alike."""
    return [replace(each, name=f"{n}-{each.name}") for n, each in enumerate(opponents, 1)]


def _contender(text: str) -> Contender:
    if text.endswith(".nnue"):
        network = Path(text).resolve(strict=True)
        return Contender(network.stem, OURS, {"EvalFile": str(network)})
    try:
        find_program(text)
    except OSError:
        commit = None if is_xboard(text) else commits.resolve(text)
        if commit is None:
            raise OSError(f"{text}: no such program, and no commit of this folder") from None
        return Contender(re.sub(r"[^\w.-]", "_", text), commits.engine_of(commit))
    return Contender(name_of(text), text)
