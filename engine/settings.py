"""The settings, a line each: type, default and, for numbers, range."""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine.checked import Checked, number, ranges


@dataclass
class Settings(Checked):
    """The settings of an engine, which do not change: `configure` and `options` of an engine
    replace them. Raises ValueError for a number out of its range, TypeError for a value that is
    not of the default's type.

    A search keeps the settings it started with.
    """

    hash_mb: int = number(16, 1, 131072)
    threads: int = number(1, 1, 1024)
    multi_pv: int = number(1, 1, 256)  # lines to report
    move_overhead_ms: int = number(30, 0, 5000)  # lost between the GUI's clock and ours
    ponder: bool = False  # the GUI may ponder, so each move may take more time
    nodes_per_ms: int = number(0, 0, 100_000)  # clocks count nodes, this many a ms; 0: real time
    chess960: bool = False  # castling is written as king takes rook
    show_wdl: bool = False  # report the chances to win, draw and lose
    analyse_mode: bool = False  # no move from the book, and full strength
    limit_strength: bool = False  # play like a player of rating `elo`
    elo: int = number(3000, 500, 3000)  # the greatest: full strength
    skill_level: int = number(20, 0, 20)  # another way to set a level; the greatest: full strength
    tablebase_most_men: int = number(7, 0, 7)  # positions with more men are not probed
    tablebase_least_depth: int = number(1, 1, 100)  # for the largest ones
    tablebase_fifty_moves: bool = True  # the fifty-move rule can draw what tablebases win
    book_best_move: bool = False  # always the move of the greatest weight
    book_most_moves: int = number(255, 1, 255)  # number of the last full move from the book
    book_variety: int = number(100, 0, 100)  # 100: in proportion to the weights; 0: the best


NAMES = frozenset(setting.name for setting in fields(Settings))
RANGES = ranges(Settings)
DEFAULTS = Settings()
