"""The events that a search reports, as plain values."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Score(NamedTuple):
    """A score for the side to move: exactly one of the two is not None."""

    centipawns: int | None = None
    mate: int | None = None  # full moves; negative: the side to move is mated; 0: it is mate


class SearchInfo(NamedTuple):
    """One line of an iteration."""

    depth: int
    selective_depth: int
    multi_pv: int  # 1 is the best line
    score: Score
    bound: Literal["exact", "lower", "upper"]  # of the score
    nodes: int
    nodes_per_second: int
    hash_full_per_mille: int
    tablebase_hits: int
    time_ms: int
    pv: tuple[str, ...]
    win_draw_loss: tuple[int, int, int] | None = None  # per mille, for the side to move


class CurrentMove(NamedTuple):
    """The root move being searched; reported only after some seconds."""

    depth: int
    move: str
    number: int  # from 1


class Message(NamedTuple):
    """A text for the user."""

    text: str


class SearchResult(NamedTuple):
    """The last event of every search. `best_move` is None only if there is no legal move, or if the
    search failed."""

    best_move: str | None
    ponder: str | None = None
    error: BaseException | None = None  # what was raised in a search that failed


SearchEvent = SearchInfo | CurrentMove | Message | SearchResult
