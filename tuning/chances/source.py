"""The constants of engine/chances.py as source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from engine import chances
from engine.files import write_text

SHIPPED = Path(chances.__file__)


def emit(half: Sequence[float], spread: Sequence[float], path: Path = SHIPPED) -> None:
    """Write the constants into the module. ValueError if it does not have them."""
    text = path.read_text(encoding="utf-8")
    for name, values in (("HALF", half), ("SPREAD", spread)):
        numbers = ", ".join(f"{value:.4f}" for value in values)
        text, count = re.subn(rf"^{name} = \(.*\)$", f"{name} = ({numbers})", text, flags=re.M)
        if count != 1:
            raise ValueError(f"{path}: there is no line {name} = (...)")
    write_text(path, text)
