"""Plain Python: builds the memory of workers, the threads that search."""

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
from engine.search.histories import UNKNOWN_HISTORY
from engine.search.params import Params, full_width_params, new_params
from engine.search.reductions import fill_reductions
from engine.search.state import NO_MOVE_ROW, ReductionTable, Worker
from engine.search.tt import Cluster, TranspositionTable, clear

NO_NODE_LIMIT = (1 << 63) - 1

AnyWorker = TypeVar("AnyWorker", bound=Worker)


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


def new_worker(shared: Shared) -> Worker:
    return connected(Worker(), shared)


def connected(worker: AnyWorker, shared: Shared) -> AnyWorker:
    """A worker, after it got what all workers share."""
    worker.position.tables = shared.tables
    worker.params = shared.params
    worker.reduction_table = shared.reduction_table
    worker.tt = shared.tt
    shared.evaluation.connect(worker.evaluator)
    worker.node_limit = NO_NODE_LIMIT
    worker.clock, worker.deadline = clock.ADDRESS, clock.NEVER
    worker.rows[...] = NO_MOVE_ROW
    worker.root_delta = 1
    worker.continuations[...] = UNKNOWN_HISTORY
    return worker


@contextlib.contextmanager
def full_width(worker: Worker) -> Iterator[None]:
    """In this context the worker prunes, reduces and extends nothing: it finds the minimax value.

    Its entries in the transposition table have that meaning too.
    """
    usual = worker.params
    worker.params = full_width_params()
    try:
        yield
    finally:
        worker.params = usual


def forget_game(worker: Worker) -> None:
    """Clear everything that a worker has learned, so that the next search is reproducible."""
    worker.history[...] = 0
    worker.capture_history[...] = 0
    worker.continuations[...] = UNKNOWN_HISTORY
    worker.countermoves[...] = 0
    worker.corrections[...] = 0
    worker.stack.memory[:] = 0
    clear_accumulators(worker.evaluator.network)
