"""What a search is asked for and what it answers: plain values that everyone may import."""

from __future__ import annotations

from dataclasses import dataclass

MOST_THREADS = 1024
MOST_HASH_MB = 131072


@dataclass(frozen=True)
class Limits:
    """When to stop. A limit that is None does not limit. Times are in milliseconds.

    Values are what the user sent: the engine clamps what makes no sense (depth 0, negative
    clocks) and always answers with a legal move if there is one.
    """

    depth: int | None = None  # plies
    nodes: int | None = None
    mate: int | None = None  # in full moves
    movetime_ms: int | None = None
    white_time_ms: int | None = None
    black_time_ms: int | None = None
    white_increment_ms: int | None = None
    black_increment_ms: int | None = None
    moves_to_go: int | None = None
    infinite: bool = False  # answer only after stop()
    ponder: bool = False  # answer only after stop() or ponderhit()
    search_moves: tuple[str, ...] = ()  # restrict the root to these, in UCI notation


@dataclass(frozen=True)
class Score:
    """A score seen by the side to move: exactly one of the two is not None."""

    centipawns: int | None = None
    mate: int | None = None  # full moves; negative: the side to move is mated; 0: it is mate


@dataclass(frozen=True)
class SearchInfo:
    """One line of an iteration."""

    depth: int
    selective_depth: int
    multi_pv: int  # 1 is the best line
    score: Score
    bound: str  # "exact", "lower" or "upper"
    nodes: int
    nodes_per_second: int
    hash_full_per_mille: int
    tablebase_hits: int
    time_ms: int
    pv: tuple[str, ...]
    win_draw_loss: tuple[int, int, int] | None = None  # per mille, for the side to move


@dataclass(frozen=True)
class CurrentMove:
    """Which root move is being searched; sent only in searches longer than some seconds."""

    depth: int
    move: str
    number: int  # from 1


@dataclass(frozen=True)
class Message:
    """Something the user should read."""

    text: str


SearchEvent = SearchInfo | CurrentMove | Message


@dataclass(frozen=True)
class SearchResult:
    """The end of a search. `best_move` is None only if there is no legal move."""

    best_move: str | None
    ponder: str | None = None
