"""The events that a search reports, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import chess
    import chess.engine


class Score(NamedTuple):
    """A score for the side to move: `centipawns` or `mate`, the other one is None."""

    centipawns: int | None = None
    mate: int | None = None  # full moves; negative: the side to move is mated; 0: it is mate
    turn: chess.Color = True  # the side to move: True is White

    def pov(self, side: chess.Color) -> chess.engine.Score:
        """For that side, as a score of python-chess."""
        import chess.engine

        known: chess.engine.Score = chess.engine.Cp(self.centipawns or 0)
        if self.mate is not None:
            known = chess.engine.Mate(self.mate)
        return known if side == self.turn else -known

    def white(self) -> chess.engine.Score:
        return self.pov(True)

    def black(self) -> chess.engine.Score:
        return self.pov(False)


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

    @property
    def moves(self) -> list[chess.Move]:
        """`pv`, as moves of python-chess."""
        import chess

        return [chess.Move.from_uci(text) for text in self.pv]


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
