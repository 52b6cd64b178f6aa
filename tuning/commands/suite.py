"""`suite`: let an engine solve the positions of an EPD file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chess.engine

from engine.command_line import Whole
from tuning.data.epd import Epd, lines, parse
from tuning.engines import OURS, engine, options_of, share_out
from tuning.progress import progress_bar
from tuning.suites import Answer, Mate, Task, line_of, solve, summary, task_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="EPD file")
    add("--engine", default=OURS, metavar="COMMAND", help="any UCI engine (default: this one)")
    add("--option", action="append", default=[], metavar="NAME=VALUE",
        help="UCI option; repeatable")  # fmt: skip
    add("--movetime", type=Whole(1), metavar="MS",
        help="time a position (default: 1000, if there is no other limit)")  # fmt: skip
    add("--nodes", type=Whole(1), help="nodes a position")
    add("--depth", type=Whole(1), help="depth a position")
    add("--go-mate", action="store_true", help="search mates with `go mate` besides other limits")
    add("--stop-after", type=Whole(1), metavar="N", help="stop when the answer has held for N "
        "iterations, or at once at a short enough mate")  # fmt: skip
    add("--concurrency", type=Whole(1), default=1, help="engines at once (default: 1)")
    add("--all", action="store_true", help="list solved positions too")


def run(arguments: argparse.Namespace) -> int:
    tasks = _tasks(arguments)
    if not tasks:
        raise ValueError(f"{arguments.file}: no position to solve")
    if not (arguments.movetime or arguments.nodes or arguments.depth):
        arguments.movetime = 1000
    answers: list[Answer] = []
    options = options_of(arguments.option)

    @contextmanager
    def solver() -> Iterator[Callable[[tuple[Epd, Task]], Answer]]:
        with engine(arguments.engine, options) as running:
            yield lambda each: _solve(running, *each, arguments)

    with progress_bar("positions") as bar:
        task = bar.add_task(arguments.file.name, total=len(tasks), note="")

        def on_answer(answer: Answer) -> None:
            answers.append(answer)
            solved = sum(each.is_full for each in answers)
            bar.update(task, advance=1, note=f"{solved} solved")

        share_out(tasks, min(arguments.concurrency, len(tasks)), solver, on_answer)
    answers.sort(key=lambda answer: answer.position.line)
    for answer in answers:
        if arguments.all or not answer.is_full:
            print(line_of(answer))
    print(summary(answers))
    return 0


def _tasks(arguments: argparse.Namespace) -> list[tuple[Epd, Task]]:
    """The positions and their tasks. Bad lines are reported and skipped."""
    tasks = []
    for number, text in lines(arguments.file):
        try:
            position = parse(text, number)
            task = task_of(position)
        except ValueError as reason:
            print(f"{arguments.file}:{number}: skipped: {reason}", file=sys.stderr)
            continue
        tasks.append((position, task))
    return tasks


def _solve(
    running: chess.engine.SimpleEngine, position: Epd, task: Task, arguments: argparse.Namespace
) -> Answer:
    mate = task.moves if isinstance(task, Mate) and arguments.go_mate else None
    limit = chess.engine.Limit(
        time=arguments.movetime / 1000 if arguments.movetime else None,
        nodes=arguments.nodes,
        depth=arguments.depth,
        mate=mate if mate is not None and mate > 0 else None,
    )
    return solve(running, position, task, limit, arguments.stop_after)
