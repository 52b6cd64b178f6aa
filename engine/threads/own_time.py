"""Plain Python: the time of one search, from the clock that the GUI sent to the answer."""

from __future__ import annotations

from engine.limits import Limits
from engine.search.setup import NO_NODE_LIMIT
from engine.settings import Settings
from engine.threads.clock import Clock
from engine.threads.pool import ThreadPool
from engine.timeman import NO_DELAY, Budget, budget

HURRY_MS = 20.0  # with a hard limit below it, starting threads would cost more than searching
HURRY_NODES_PER_MS = 200.0  # instead of a deadline; slow machines search as many


class OwnTime:
    """How much time, or nodes, a search may spend, and how much it has spent.

    While the opponent's clock runs, `start` is still to come, and there is no limit.
    """

    def __init__(self, pool: ThreadPool, settings: Settings, limits: Limits, clock: Clock) -> None:
        self._pool, self._settings, self._limits, self._clock = pool, settings, limits, clock
        self._nodes_per_ms = settings.nodes_per_ms
        self._side = int(pool.position.side)
        self._move_number = int(pool.position.fullmove_number)
        self._budget = Budget()
        self._from_ms: float | None = None  # on the search's clock, once ours runs
        self.soft_ms: float | None = None  # once ours runs

    def plan(self) -> None:
        """From the clock that was sent, and what earlier moves tell of delays."""
        pool, settings = self._pool, self._settings
        limits, overhead_ms, delay = self._limits, settings.move_overhead_ms, NO_DELAY
        if self._nodes_per_ms:
            limits, overhead_ms = pool.node_clock.shown(limits, self._side), 0
        else:
            pool.delay_meter.see_clock(limits, self._side, self._move_number)
            delay = pool.delay_meter.delay
        self._budget = budget(limits, self._side, overhead_ms, settings.ponder, delay)

    @property
    def is_nearly_over(self) -> bool:
        """Does the clock, which already runs, leave hardly any time?"""
        soft_ms, hard_ms = self._budget.soft_ms, self._budget.hard_ms
        if self._nodes_per_ms or self._limits.waits_for_user or soft_ms is None or hard_ms is None:
            return False
        return hard_ms <= HURRY_MS

    def start(self) -> None:
        """From the start, or from the ponderhit: until then the opponent's clock ran."""
        self.soft_ms = self._budget.soft_ms
        self._from_ms = self._clock.elapsed_ms() if self._limits.ponder else 0.0
        if self._budget.hard_ms is not None and not self._nodes_per_ms:
            self._clock.set_deadline(self._budget.hard_ms, from_now=self._limits.ponder)

    def record(self) -> None:
        """The answer goes out: the next clock will show how late it arrived."""
        if self._from_ms is not None:
            spent_ms = self.since_start_ms()
            self._pool.delay_meter.answer(self._limits, self._side, self._move_number, spent_ms)

    def node_limit(self) -> int:
        """Of all threads together."""
        nodes = NO_NODE_LIMIT
        if self._limits.nodes is not None:
            nodes = self._limits.nodes
        if self._nodes_per_ms and self._budget.hard_ms is not None:
            nodes = min(nodes, max(1, int(self._budget.hard_ms * self._nodes_per_ms)))
        return nodes

    def hurried_node_limit(self) -> int:
        """Of one thread, in place of a deadline."""
        hard_ms = self._budget.hard_ms or 0.0
        return max(1, int(hard_ms * HURRY_NODES_PER_MS))

    def spent_ms(self) -> float:
        """What counts against the soft limit; with `nodestime` the nodes."""
        if self._nodes_per_ms:
            return self._pool.nodes() / self._nodes_per_ms
        return self._clock.elapsed_ms()

    def since_start_ms(self) -> float:
        """0 before the start."""
        return self._clock.elapsed_ms() - self._from_ms if self._from_ms is not None else 0.0

    def has_spent(self, share: float) -> bool:
        """Is this share of the planned time over, if there is a deadline?"""
        if not self._clock.has_deadline:
            return False
        planned_ms = self._budget.soft_ms or self._budget.hard_ms or 0.0
        return self._clock.elapsed_ms() >= share * planned_ms
