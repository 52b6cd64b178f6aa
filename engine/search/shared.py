"""Plain Python: builds the memory of search threads."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TypeVar

from engine.board.attack_tables import new_attack_tables
from engine.board.position import AttackTables
from engine.eval.data import EvaluationData
from engine.eval.network.loading import clear_accumulators
from engine.machine import check_hash
from engine.native import clock
from engine.native.structs import StructArray
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
        try:
            resize_table(self.tt, hash_mb << 20)
        except MemoryError as error:
            raise MemoryError(f"{hash_mb} MB of hash could not be allocated") from error

    def clear_hash(self) -> None:
        clear_table(self.tt)


def resize_table(table: TranspositionTable, size_bytes: int) -> None:
    """An empty table of this size. Raises MemoryError, and then keeps the old one."""
    count = max(1, size_bytes // Cluster.size)
    table.clusters = StructArray(Cluster, count)
    table.cluster_count = count
    clear_table(table)


def clear_table(table: TranspositionTable) -> None:
    table.generation = 0
    clear(table, 0, int(table.cluster_count))


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
