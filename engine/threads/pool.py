"""Plain Python: the search threads of an engine and the memory they share."""

from __future__ import annotations

import threading

from engine.board.attack_tables import new_position
from engine.machine import check_threads
from engine.search.setup import Shared, forget_game, new_thread
from engine.search.state import SearchThread
from engine.search.tt import GENERATIONS
from engine.settings import DEFAULTS, Settings
from engine.tb.access import TablebaseAccess
from engine.timeman import DelayMeter, NodeClock

STACK_BYTES = 16 << 20  # the search recurses; some systems give threads only 512 KiB


class ThreadPool:
    """Change it only while no search runs. New `settings` apply to the next search."""

    def __init__(self, settings: Settings = DEFAULTS):
        self.settings = settings
        self.shared = Shared(settings.hash_mb)
        self.position = new_position(self.shared.tables)  # to search
        self.threads: list[SearchThread] = []
        self.node_clock = NodeClock()
        self.delay_meter = DelayMeter()
        self.tablebases = TablebaseAccess()
        threading.stack_size(STACK_BYTES)
        self.resize(settings.threads)

    def resize(self, count: int) -> None:
        """Raises MemoryError, and then keeps the threads there are."""
        check_threads(count, SearchThread.size)
        more: list[SearchThread] = []
        try:
            while len(self.threads) + len(more) < count:
                more.append(new_thread(self.shared))
        except MemoryError as error:
            failed = len(self.threads) + len(more) + 1
            raise MemoryError(f"no memory for thread {failed} of {count}") from error
        self.threads = [*self.threads[:count], *more]

    def new_game(self) -> None:
        self.shared.clear_hash()
        self.node_clock.new_game()
        self.delay_meter.new_game()
        for thread in self.threads:
            forget_game(thread)

    def new_generation(self) -> None:
        """Let entries of earlier searches be replaced first."""
        table = self.shared.tt
        table.generation = (table.generation + 1) % GENERATIONS

    def nodes(self) -> int:
        """Nodes of all threads in the current or last search."""
        return sum(int(thread.nodes) for thread in self.threads)
