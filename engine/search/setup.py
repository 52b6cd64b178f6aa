"""Plain Python: builds the memory of search threads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TypeVar

from engine.board.attack_tables import new_attack_tables
from engine.board.position import AttackTables
from engine.eval.network.setup import clear_accumulators
from engine.eval.setup import EvaluationData
from engine.machine import check_hash
from engine.native import clock
from engine.native.memory import StructArray
from engine.search.params import Params, full_width_params, new_params
from engine.search.reductions import fill_reductions
from engine.search.state import ReductionTable, SearchThread
from engine.search.tt import Cluster, TranspositionTable, clear

NO_NODE_LIMIT = (1 << 63) - 1

Thread = TypeVar("Thread", bound=SearchThread)


class Shared:
    """What all threads of an engine share: read-only data, and the transposition table."""

    def __init__(self, hash_mb: int):
        self.tables: AttackTables = new_attack_tables()
        self.evaluation = EvaluationData(self.tables)
        self.params: Params = new_params()
        self.reduction_table = ReductionTable()
        fill_reductions(self.reduction_table, self.params)
        self.tt = TranspositionTable()
        self.resize_hash(hash_mb)

    def resize_hash(self, hash_mb: int) -> None:
        """Raises MemoryError, and then keeps the old table."""
        check_hash(hash_mb)
        count = max(1, hash_mb * 1024 * 1024 // Cluster.size)
        try:
            self.tt.clusters = StructArray(Cluster, count)
        except MemoryError as error:
            raise MemoryError(f"{hash_mb} MB of hash could not be allocated") from error
        self.tt.cluster_count = count
        self.clear_hash()

    def clear_hash(self) -> None:
        self.tt.generation = 0
        clear(self.tt, 0, int(self.tt.cluster_count))


def new_thread(shared: Shared) -> SearchThread:
    return connected(SearchThread(), shared)


def connected(thread: Thread, shared: Shared) -> Thread:
    """A new thread, after it got what all threads share."""
    thread.position.tables = shared.tables
    thread.params = shared.params
    thread.reduction_table = shared.reduction_table
    thread.tt = shared.tt
    shared.evaluation.connect(thread.evaluator)
    thread.node_limit = NO_NODE_LIMIT
    thread.clock, thread.deadline = clock.ADDRESS, clock.NEVER
    return thread


@contextlib.contextmanager
def full_width(thread: SearchThread) -> Iterator[None]:
    """In this context the thread prunes, reduces and extends nothing: it finds the minimax value.

    Its entries in the transposition table have that meaning too.
    """
    usual = thread.params
    thread.params = full_width_params()
    try:
        yield
    finally:
        thread.params = usual


def forget_game(thread: SearchThread) -> None:
    """Clear everything that a thread has learned, so that the next search is reproducible."""
    thread.history[...] = 0
    thread.capture_history[...] = 0
    thread.continuations[...] = 0
    thread.corrections[...] = 0
    thread.stack.memory[:] = 0
    clear_accumulators(thread.evaluator.network)
