"""The limits of a search: plain values that every module may import."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import Field, dataclass
from typing import TYPE_CHECKING, Any

from engine.checked import LARGEST, Checked, number, ranges, seconds, type_of

if TYPE_CHECKING:
    import chess
    import chess.engine


MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbnk]?|0000", re.IGNORECASE)
MOST_PERFT_PLIES = 200  # no computer will ever count to a tenth of this depth


def texts_of(name: str, moves: Any) -> tuple[str, ...]:
    """Moves in UCI notation, from strings or moves of python-chess. Raises TypeError for what is no
    list of them."""
    if isinstance(moves, str | bytes) or not isinstance(moves, Iterable):
        raise TypeError(f"{name} must be a list of moves, not {type_of(moves)}")
    return tuple(map(str, moves))


@dataclass(unsafe_hash=True)  # values do not change
class Limits(Checked):
    """When to stop. None: no limit. Times are in milliseconds.

    Raises TypeError for a value of the wrong type, ValueError for a number out of its range.
    Clocks may be negative, as some GUIs send them: the engine then answers at once.
    """

    depth: int | None = number(None, 1)  # plies
    nodes: int | None = number(None, 1)
    mate: int | None = number(None, 1)  # in full moves
    movetime_ms: int | None = number(None, 1)
    white_time_ms: int | None = number(None, -LARGEST)
    black_time_ms: int | None = number(None, -LARGEST)
    white_increment_ms: int | None = number(None, 0)
    black_increment_ms: int | None = number(None, 0)
    moves_to_go: int | None = number(None, 1)
    infinite: bool = False  # answer only after stop()
    ponder: bool = False  # answer only after stop() or ponderhit()
    search_moves: Iterable[str | chess.Move] = ()  # restrict the root to these, in UCI notation

    def _checked(self, one: Field[Any], value: Any) -> Any:
        if one.name != "search_moves":
            return super()._checked(one, value)
        moves = texts_of(one.name, value)
        for move in moves:
            if not MOVE.fullmatch(move):
                raise ValueError(f"{move[:20]!r} in search_moves is not a move such as e2e4")
        return tuple(move.lower() for move in moves)

    @classmethod
    def of(cls, limit: chess.engine.Limit) -> Limits:
        """The same limits as those of python-chess, which count in seconds. No time for the move
        becomes a millisecond, as python-chess sends it to engines. Raises as the constructor."""
        if type(limit).__name__ != "Limit":  # python-chess need not be loaded for this
            raise TypeError(f"limits must be Limits or chess.engine.Limit, not {limit!r}")

        def ms(name: str) -> int | None:
            value = getattr(limit, name)
            return None if value is None else round(1000 * seconds(name, value))

        movetime_ms = ms("time")
        return cls(
            depth=limit.depth,
            nodes=limit.nodes,
            mate=limit.mate,
            movetime_ms=1 if movetime_ms == 0 else movetime_ms,
            white_time_ms=ms("white_clock"),
            black_time_ms=ms("black_clock"),
            white_increment_ms=ms("white_inc"),
            black_increment_ms=ms("black_inc"),
            moves_to_go=limit.remaining_moves,
        )

    @property
    def is_bounded(self) -> bool:
        """Some limit ends the search, once it may answer."""
        clocks = self.white_time_ms, self.black_time_ms
        limits = (self.depth, self.nodes, self.mate, self.movetime_ms, *clocks)
        return any(limit is not None for limit in limits)

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


RANGES = ranges(Limits)
