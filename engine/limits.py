"""The limits of a search: plain values that every module may import."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When to stop. None: no limit. Times are in milliseconds.

    Values are what the user sent. The engine clamps nonsense (depth 0, negative clocks) and always
    answers with a legal move if there is one.
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

    @property
    def has_clock(self) -> bool:
        return self.white_time_ms is not None or self.black_time_ms is not None

    @property
    def is_bounded(self) -> bool:
        """Some limit ends the search, once it may answer."""
        counts = (self.depth, self.nodes, self.mate, self.movetime_ms)
        return self.has_clock or any(count is not None for count in counts)

    @property
    def waits_for_user(self) -> bool:
        """The search must not answer before stop(), or ponderhit() if it ponders."""
        return self.infinite or self.ponder

    @property
    def ends_by_itself(self) -> bool:
        return self.is_bounded and not self.waits_for_user

    @property
    def asks_for_analysis(self) -> bool:
        """The user wants to see a search, not just a move to play: no answer from a book."""
        special = self.infinite or self.mate is not None or bool(self.search_moves)
        return special or not self.is_bounded

    def clock_ms(self, side: int) -> tuple[int | None, int]:
        """Time left and increment of a side, 0 or 1; None: no clock."""
        if side == 0:
            return self.white_time_ms, self.white_increment_ms or 0
        return self.black_time_ms, self.black_increment_ms or 0
