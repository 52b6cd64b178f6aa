"""Worker processes, and the progress bar that people watch meanwhile."""

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

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def workers(
    count: int, initialise: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """`count` processes that end with this one, even when it is killed.

    An interrupt from the keyboard is left to this process. After it, as after an error, what is
    under way is dropped.
    """
    # A fresh interpreter each: a fork would copy the threads' locks in any state.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, _start_worker, (initialise, arguments))
    try:
        yield pool
    except BaseException:
        # An impatient second interrupt would leave the pool half shut down, for ever.
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


def progress_bar(unit: str, *more: ProgressColumn) -> Progress:
    """A bar on the error output: count, time, time left, and a `note` field in words."""
    return Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        *more,
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
    )
