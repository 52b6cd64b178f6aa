"""Worker processes that end, with all they started, with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from typing import Any


@contextmanager
def workers(
    count: int, initialise: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """`count` processes that end with this one, even when it is killed.

    Engines that they started end too, those included that outlive their input. This process alone
    handles a keyboard interrupt. What is unfinished when the block ends is dropped.
    """
    # Fresh interpreters: a fork would copy the locks of threads in any state.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, _start_worker, (initialise, arguments))
    try:
        yield pool
    finally:
        # A second interrupt would leave the pool half shut down for ever.
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for process in multiprocessing.active_children():
            _kill(process.pid)
        pool.shutdown(cancel_futures=True)
        signal.signal(signal.SIGINT, previous)


def _start_worker(initialise: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.setpgid(0, 0)  # a group of its own, which the programs that it starts belong to
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initialise is not None:
        initialise(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        _kill(os.getpid())


def _kill(worker: int | None) -> None:
    """Kill a worker and what it started; Windows has no groups of that kind, and kills it alone."""
    if worker is None:  # never started
        return
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            os.kill(worker, signal.SIGTERM)
        elif os.getpgid(worker) == worker:
            os.killpg(worker, signal.SIGKILL)
        else:  # not yet in a group of its own, so it has started nothing
            os.kill(worker, signal.SIGKILL)
