"""The file that lists patches, a line each:

# name: a commit or branch, constants of the search, or both; then bounds, if not [0, 8]
threat_history: threat-history
null_move: null_move_reduction=4 null_move_eval_divisor=200
no_razoring: 3f2a1b7 [-8, 0]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.search.params import tunables
from tuning.matches.elo import Sprt

BOUNDS = (0.0, 8.0)  # normalised Elo

_LINE = re.compile(r"(?P<name>[^:]*):(?P<what>[^\[\]]*)(?:\[(?P<bounds>[^\[\]]*)\])?\s*")
_NAME = re.compile(r"\w[\w.-]*")  # it also names a file


@dataclass(frozen=True)
class Patch:
    """A change to test. `text` is its line without the name: it must not change."""

    name: str
    text: str
    revision: str | None  # as git knows it
    constants: dict[str, int]
    bounds: tuple[float, float] = BOUNDS


def read_queue(path: Path) -> list[Patch]:
    """Raises OSError, and ValueError with file and line."""
    patches: dict[str, Patch] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        try:
            patch = _patch(line)
            if patch.name in patches:
                raise ValueError(f"there are two patches called {patch.name}")
        except ValueError as reason:
            raise ValueError(f"{path}:{number}: {reason}") from reason
        patches[patch.name] = patch
    return list(patches.values())


def _patch(line: str) -> Patch:
    found = _LINE.fullmatch(line)
    if not found:
        raise ValueError(f"a patch looks like `name: commit` or `name: constant=value`, not {line}")
    name = found["name"].strip()
    if not _NAME.fullmatch(name):
        raise ValueError(f"a name consists of letters, digits, `_`, `-` and `.`, not {name!r}")
    revision, constants = None, {}
    for word in found["what"].split():
        constant, separator, value = word.partition("=")
        if separator:
            constants[constant] = _value(constant, value)
        elif revision is not None:
            raise ValueError(f"a patch is one commit: {word}")
        else:
            revision = word
    if revision is None:
        _check_constants(constants)
    if revision is None and not constants:
        raise ValueError(f"{name} changes nothing")
    text = " ".join(line.partition(":")[2].split())
    return Patch(name, text, revision, constants, _bounds(found["bounds"]))


def _value(constant: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{constant} needs a whole number, not {text!r}") from None


def _check_constants(constants: dict[str, int]) -> None:
    """A commit may have constants of its own; without one they are those of these sources."""
    known = tunables()
    for name, value in constants.items():
        if name not in known:
            raise ValueError(f"no constant of the search is called {name}")
        if not known[name].minimum <= value <= known[name].maximum:
            limits = f"{known[name].minimum} to {known[name].maximum}"
            raise ValueError(f"{name} must be {limits}, not {value}")


def _bounds(text: str | None) -> tuple[float, float]:
    if text is None:
        return BOUNDS
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"bounds look like [0, 8], not [{text}]") from None
    Sprt(low, high)  # raises ValueError if they are none
    return low, high
