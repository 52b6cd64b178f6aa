"""Plain Python: what an engine keeps from one search to the next."""

from __future__ import annotations

from engine.board.attack_tables import new_position
from engine.machine import check_threads
from engine.play.timeman import DelayMeter, NodeClock
from engine.search.shared import Shared, forget_game, new_worker
from engine.search.state import Worker
from engine.search.tt import GENERATIONS
from engine.settings import DEFAULTS, Settings
from engine.tb.access import TablebaseAccess
from engine.tb.memory import Prober

FILES_S = 0.1  # between two games, for tablebases that a bullet game could not open


class EngineState:
    """Settings, the position, the memory of the workers and what they share.

    Change it only while no search runs. New `settings` apply to the next search.
    """

    def __init__(self, settings: Settings = DEFAULTS):
        self.settings = settings
        self.shared = Shared(settings.hash_mb)
        self.position = new_position(self.shared.tables)  # to search
        self.workers: list[Worker] = []
        self.node_clock = NodeClock()
        self.delay_meter = DelayMeter()
        self.tablebases = TablebaseAccess()
        self.root_prober = Prober()  # made once: a bullet game has no time for it
        self.resize(settings.threads)

    def resize(self, count: int) -> None:
        """The number of workers. Raises MemoryError, and then keeps those there are."""
        check_threads(count, Worker.size)
        more: list[Worker] = []
        try:
            while len(self.workers) + len(more) < count:
                more.append(new_worker(self.shared))
        except MemoryError as error:
            failed = len(self.workers) + len(more) + 1
            raise MemoryError(f"no memory for thread {failed} of {count}") from error
        self.workers = [*self.workers[:count], *more]

    def new_game(self) -> None:
        self.shared.clear_hash()
        self.tablebases.open_ahead(FILES_S)
        self.node_clock.new_game()
        self.delay_meter.new_game()
        for worker in self.workers:
            forget_game(worker)

    def new_generation(self) -> None:
        """Let entries of earlier searches be replaced first."""
        table = self.shared.tt
        table.generation = (table.generation + 1) % GENERATIONS

    def nodes(self) -> int:
        """Nodes of all workers in the current or last search."""
        return sum(int(worker.nodes) for worker in self.workers)
