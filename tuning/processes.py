"""Worker processes that end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any


@contextmanager
def workers(
    count: int, initialise: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """`count` processes that end with this one, even when it is killed.

    This process alone handles a keyboard interrupt. After it, as after an error, unfinished work is
    dropped.
    """
    # Fresh interpreters: a fork would copy the locks of threads in any state.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, _start_worker, (initialise, arguments))
    try:
        yield pool
    except BaseException:
        # A second interrupt would leave the pool half shut down for ever.
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for process in multiprocessing.active_children():
            process.kill()
        pool.shutdown(cancel_futures=True)
        signal.signal(signal.SIGINT, previous)
        raise
    pool.shutdown()


def _start_worker(initialise: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if initialise is not None:
        initialise(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
