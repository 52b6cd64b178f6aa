"""Plain Python: the time of one search."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.limits import Limits
from engine.native import clock
from engine.play.state import EngineState
from engine.play.timeman import NO_DELAY, budget
from engine.search.shared import NO_NODE_LIMIT
from engine.settings import Settings

UNREAD_MS = 20.0  # nobody reads what is found sooner


class TimeKeeper:
    """The time of one search. It knows whether another iteration may start, and when the search
    must end: at the deadline of the workers, which read the clock themselves.

    While the opponent's clock runs, `start` is still to come, and there is no limit. With
    `nodestime` a limit of nodes takes the place of the deadline.
    """

    def __init__(
        self, state: EngineState, settings: Settings, limits: Limits, began: float | None
    ) -> None:
        """Plan the time, from the clock that was sent and what earlier moves tell of delays.

        `began`: when it was read, by time.perf_counter; None: now.
        """
        self._began = time.perf_counter() if began is None else began
        self._state, self._limits = state, limits
        self._nodes_per_ms = settings.nodes_per_ms
        self._side = int(state.position.side)
        self._move_number = int(state.position.fullmove_number)
        self._started: float | None = None  # when our clock did
        self._had_move: float | None = None  # when the first iteration was over
        self._set_deadline(clock.NEVER)
        shown, overhead_ms, delay = limits, settings.move_overhead_ms, NO_DELAY
        if self._nodes_per_ms:
            shown, overhead_ms = state.node_clock.shown(limits, self._side), 0
        else:
            state.delay_meter.see_clock(limits, self._side, self._move_number)
            delay = state.delay_meter.delay
        self._budget = budget(shown, self._side, overhead_ms, settings.ponder, delay)

    def start(self) -> None:
        """Our clock runs from the start, or from the ponderhit."""
        self._started = time.perf_counter() if self._limits.ponder else self._began
        if self._budget.hard_ms is not None and not self._nodes_per_ms:
            self._set_deadline(clock.ticks(self._started + self._budget.hard_ms / 1000))

    def note_move(self) -> None:
        """The first iteration is over: from now on it is our choice to think."""
        self._had_move = time.perf_counter()

    def _set_deadline(self, ticks: int) -> None:
        self._deadline = ticks
        for worker in self._state.workers:
            worker.deadline = ticks

    def elapsed_ms(self) -> float:
        """Since the search began."""
        return (time.perf_counter() - self._began) * 1000

    def is_early(self) -> bool:
        """With a deadline: is it too soon for anybody to read what was found?"""
        return self._deadline != clock.NEVER and self.elapsed_ms() < UNREAD_MS

    def may_deepen(self, factor: float, has_choice: bool) -> bool:
        """May another iteration start? `factor`: what the last ones say of the soft limit. Against
        a clock, a single move needs no search."""
        if self._started is None or self._budget.soft_ms is None:
            return True
        return has_choice and self._spent_ms() < factor * self._budget.soft_ms

    def is_over(self) -> bool:
        """Must the search end?"""
        return clock.ticks(time.perf_counter()) >= self._deadline

    @property
    def node_limit(self) -> int:
        """Of all workers together."""
        nodes = NO_NODE_LIMIT if self._limits.nodes is None else self._limits.nodes
        if self._nodes_per_ms and self._budget.hard_ms is not None:
            nodes = min(nodes, max(1, int(self._budget.hard_ms * self._nodes_per_ms)))
        return nodes

    def _spent_ms(self) -> float:
        """What counts against the soft limit: pondering does, too."""
        return self._state.nodes() / self._nodes_per_ms if self._nodes_per_ms else self.elapsed_ms()

    def has_spent(self, share: float) -> bool:
        """Is this share of the planned time over, if there is a deadline?"""
        if self._deadline == clock.NEVER:
            return False
        planned_ms = self._budget.soft_ms or self._budget.hard_ms or 0.0
        return self.elapsed_ms() >= share * planned_ms

    def may_last(self, ms: float) -> bool:
        """Can the search take longer than this?"""
        hard_ms = self._budget.hard_ms
        if self._limits.waits_for_user or self._nodes_per_ms:
            return True
        return hard_ms is None or hard_ms >= ms

    def left_ms(self, thinking_ms: Callable[[float], float]) -> float:
        """What a player who thinks for `thinking_ms` of the soft limit has still to wait; 0 without
        a clock."""
        soft_ms, hard_ms, started = self._budget.soft_ms, self._budget.hard_ms, self._started
        if soft_ms is None or hard_ms is None or started is None or self._nodes_per_ms:
            return 0.0
        spent_ms = (time.perf_counter() - started) * 1000
        return max(0.0, min(thinking_ms(soft_ms), hard_ms) - spent_ms)

    def answer(self) -> None:
        """The answer goes out: the next clock will show how much more than we planned it cost."""
        if self._started is not None:
            spent_ms = (time.perf_counter() - self._started) * 1000
            planned_ms = min(spent_ms, self._budget.hard_ms or spent_ms)
            had_move = self._started if self._had_move is None else self._had_move
            without_move_ms = min(planned_ms, max(0.0, had_move - self._started) * 1000)
            self._state.delay_meter.answer(
                self._limits, self._side, self._move_number, planned_ms, without_move_ms
            )
            self._state.node_clock.spend(self._spent_ms(), self._side)
