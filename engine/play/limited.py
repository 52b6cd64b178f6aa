"""Plain Python: one move of a player whose strength is limited, for a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from engine.eval.evaluate import evaluate
from engine.limits import Limits
from engine.play.levels import (
    CONVERTING_ELO,
    HARD_FACTOR,
    Level,
    LimitedPlayer,
    hasty_scores,
    level_of,
)
from engine.play.state import EngineState
from engine.search.iterations import Iterations, RootLine
from engine.search.shared import resize_table
from engine.search.tt import EXACT, TranspositionTable
from engine.settings import Settings

TABLE_BYTES = 1 << 20


def limited_turn(state: EngineState, settings: Settings, limits: Limits) -> LimitedTurn | None:
    """The turn of a limited player; None for full strength, with which Wadjet always analyses."""
    level = level_of(settings)
    if level is None or settings.analyse_mode or limits.asks_for_analysis:
        return None
    return LimitedTurn(level, state)


class LimitedTurn:
    """What the player sees, how far it looks, and what it chooses.

    In this context the main thread searches with a small table of its own: what full strength
    found out, or an earlier move, must not make the player stronger.
    """

    def __init__(self, level: Level, state: EngineState, chance: Random | None = None):
        self._player = LimitedPlayer(level, chance)
        self._state = state
        self._main = state.workers[0]
        self.knows_endings = level.elo >= CONVERTING_ELO
        self._is_known = False
        self._hasty: list[RootLine] = []

    def __enter__(self) -> None:
        table = TranspositionTable()
        resize_table(table, TABLE_BYTES)
        self._main.tt = table

    def __exit__(self, *_: object) -> None:
        self._main.tt = self._state.shared.tt

    def begin(self, moves: Sequence[int], is_known: bool) -> list[int]:
        """The moves to search, of those allowed. `is_known`: the tablebases have ranked them."""
        pos = self._state.position
        self._is_known = is_known
        in_check = bool(pos.snapshots[pos.ply].checkers)
        scored = 0 if in_check else int(evaluate(pos, self._main.evaluator))
        self.effort = self._player.effort(pos, moves, scored)
        if is_known:
            return list(moves)
        seen = self._player.seen(pos, moves, scored)
        if self.effort.is_hasty:
            self._main.position.copy_from(pos)
            scores = hasty_scores(
                self._main.position,
                seen,
                lambda position: int(evaluate(position, self._main.evaluator)),
            )
            self._hasty = [
                RootLine(1, score, EXACT, 1, (move,))
                for score, move in zip(scores, seen, strict=True)
            ]
        return seen

    def deepen(
        self, iterations: Iterations, last_depth: int, on_iteration: Callable[[], None]
    ) -> bool:
        """Search as far ahead as the player does. False if the last iteration is incomplete."""
        for depth in range(1, min(last_depth, self.effort.depth) + 1):
            if not iterations.search(depth):
                return False
            on_iteration()
            if int(self._main.nodes) >= self.effort.nodes:
                break
        return True

    @property
    def most_nodes(self) -> int:
        return self.effort.nodes * HARD_FACTOR

    def choose(self, lines: Sequence[RootLine]) -> RootLine:
        """The line to play, of the best lines of the search."""
        if self._is_known:
            return lines[0]
        candidates = self._hasty or lines
        scores = [line.score for line in candidates]
        return candidates[self._player.choose(scores, self.effort.temperature_cp)]

    def thinking_ms(self, soft_ms: float) -> float:
        return self._player.thinking_ms(soft_ms, self.effort)
