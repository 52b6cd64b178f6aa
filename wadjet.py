"""Wadjet, a UCI chess engine, as a Python package.

    >>> from wadjet import Engine, Limits
    >>> with Engine() as engine:
    ...     engine.set_position("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    ...     engine.play(Limits(depth=5)).best_move
    'a1a8'

Importing this module is fast: the first use of `Engine` loads NumPy and the compiled kernels.

In the repository this file lies beside the folders `engine`, `uci`, `tablebases`, `openings` and
`tuning`, which import each other by these names. An installation moves the folders into one
package, of which this file is the `__init__`; see setup.py.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine import __version__
    from engine.answers import Answer, Infos
    from engine.api import Engine, Options, PositionError
    from engine.events import (
        CurrentMove,
        Message,
        Score,
        SearchEvent,
        SearchInfo,
        SearchResult,
    )
    from engine.limits import Limits

__all__ = [
    "Answer",
    "CurrentMove",
    "Engine",
    "Infos",
    "Limits",
    "Message",
    "Options",
    "PositionError",
    "Score",
    "SearchEvent",
    "SearchInfo",
    "SearchResult",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "__version__":
        from engine import __version__

        return __version__
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine import answers, api, events, limits

    home = next(module for module in (api, answers, events, limits) if hasattr(module, name))
    value = globals()[name] = getattr(home, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# --- The programs that an installation leaves ---------------------------------------------------


def run_engine() -> None:
    """`wadjet`: speaks UCI, or carries out the command in the arguments."""
    _put_ours_first()
    from uci.__main__ import main

    main()


def run_tuning() -> int:
    """`wadjet-tune`. Returns the exit status."""
    _put_ours_first()
    from tuning.__main__ import main

    return main()


def run_tablebases() -> int:
    """`wadjet-tablebases`. Returns the exit status."""
    _put_ours_first()
    from tablebases.__main__ import main

    return main()


def _put_ours_first() -> None:
    """In a clone, find the folders beside this file before other people's of the same names.

    Installed, this module is a package that contains the folders, so there is nothing to do.
    """
    if "__path__" not in globals():
        sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))


if __name__ == "__main__":
    run_engine()
