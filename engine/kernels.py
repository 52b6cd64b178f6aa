"""The modules from whose imports all kernels of a game follow.

They are compiled into one object, normally when the engine is installed. Every other module with
entries, such as those of tools and tests, has an object of its own, which is compiled at the first
call. This module only names them: the front end must not import anything heavy.
"""

from __future__ import annotations

PREFIX = __name__.removesuffix("engine.kernels")  # installed, all is inside the package `wadjet`
PLAY = "play"
ROOTS = tuple(
    f"{PREFIX}engine.{module}"
    for module in (
        "board.game",
        "board.perft",
        "search.deepening",
        "search.mate",
        "search.textbook",
    )
)
