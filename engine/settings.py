"""The settings, a line each: type, default and, for numbers, range."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


def _number(default: int, least: int, most: int) -> Any:
    return field(default=default, metadata={"range": (least, most)})


@dataclass(frozen=True)
class Settings:
    """The settings of an engine. Raises ValueError for a number out of its range, TypeError for a
    value that is not of the default's type.

    A search keeps the settings it started with.
    """

    hash_mb: int = _number(16, 1, 131072)
    threads: int = _number(1, 1, 1024)
    multi_pv: int = _number(1, 1, 256)  # lines to report
    move_overhead_ms: int = _number(30, 0, 5000)  # lost between the GUI's clock and ours
    ponder: bool = False  # the GUI may ponder, so each move may take more time
    nodes_per_ms: int = _number(0, 0, 100_000)  # clocks count nodes, this many a ms; 0: real time
    chess960: bool = False  # castling is written as king takes rook
    show_wdl: bool = False  # report the chances to win, draw and lose
    analyse_mode: bool = False  # no move from the book, and full strength
    limit_strength: bool = False  # play like a player of rating `elo`
    elo: int = _number(3000, 500, 3000)  # the greatest: full strength
    skill_level: int = _number(20, 0, 20)  # another way to set a level; the greatest: full strength
    tablebase_most_men: int = _number(7, 0, 7)  # positions with more men are not probed
    tablebase_least_depth: int = _number(1, 1, 100)  # for the largest ones
    tablebase_fifty_moves: bool = True  # the fifty-move rule can draw what tablebases win
    book_best_move: bool = False  # always the move of the greatest weight
    book_most_moves: int = _number(255, 1, 255)  # number of the last full move from the book
    book_variety: int = _number(100, 0, 100)  # 100: in proportion to the weights; 0: the best

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, expected = getattr(self, setting.name), type(setting.default)
            if type(value) is not expected:
                given = type(value).__name__
                raise TypeError(f"{setting.name} must be {expected.__name__}, not {given}")
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise ValueError(f"{name} must be {least} to {most}, not {value}")


RANGES: dict[str, tuple[int, int]] = {
    setting.name: setting.metadata["range"] for setting in fields(Settings) if setting.metadata
}
DEFAULTS = Settings()
