"""Suites of positions to solve: their tasks, when an engine solves one, and the totals as text.

A task follows from the EPD operations: `dm n` or `bm #n`, a mate of that length; `c8` and `c9`,
points for several moves (the Strategic Test Suite); `bm` and `am`, best moves and moves to avoid.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import chess
import chess.engine

from tuning.data.epd import Epd


@dataclass(frozen=True)
class Found:
    """A move and score of an engine, during a search or at its end."""

    move: chess.Move | None
    mate: int | None  # moves, negative if the side to move is mated
    score: str
    depth: int
    nodes: int
    time_ms: int


class Task(Protocol):
    """A task, and how many points a move is worth."""

    most_points: int
    wanted: str
    settled: bool  # a full answer is final

    def points(self, found: Found) -> int: ...


class BestMove:
    most_points = 1
    settled = False

    def __init__(self, position: Epd):
        self.best, self.avoid = position.moves("bm"), position.moves("am")
        words = [f"{name} {position.operations[name]}" for name in ("bm", "am")
                 if name in position.operations]  # fmt: skip
        self.wanted = ", ".join(words)

    def points(self, found: Found) -> int:
        return int(found.move not in self.avoid and (not self.best or found.move in self.best))


class Points:
    settled = False

    def __init__(self, position: Epd):
        values = [int(word) for word in position.operations["c8"].split()]
        moves = position.moves("c9")
        if len(values) != len(moves):
            raise ValueError("c8 and c9 differ in length")
        self._points = dict(zip(moves, values, strict=True))
        self.most_points = max(values)
        self.wanted = position.operations.get("c0") or position.operations["c9"]

    def points(self, found: Found) -> int:
        return self._points.get(found.move, 0) if found.move else 0


class Mate:
    most_points = 1
    settled = True

    def __init__(self, moves: int):
        self.moves = moves
        self.wanted = f"mate in {moves}" if moves > 0 else f"mated in {-moves}"

    def points(self, found: Found) -> int:
        """The attacker needs a mate at least as short, the defender the longest defence."""
        if found.mate is None:
            return 0
        if self.moves > 0:
            return int(0 < found.mate <= self.moves)
        return int(found.mate == self.moves)


def task_of(position: Epd) -> Task:
    """The task of a position. ValueError if its operations contain none."""
    if position.mate is not None:
        if position.mate == 0:
            raise ValueError("a mate in 0 is not a task")
        return Mate(position.mate)
    if "c8" in position.operations and "c9" in position.operations:
        return Points(position)
    if position.moves("bm") or position.moves("am"):
        return BestMove(position)
    raise ValueError("no bm, am, dm, or c8 with c9")


@dataclass(frozen=True)
class Answer:
    """How an engine did. `solved_ms` and `solved_nodes`: when it found the answer for good."""

    position: Epd
    task: Task
    final: Found
    points: int
    solved_ms: int | None
    solved_nodes: int | None

    @property
    def is_full(self) -> bool:
        return self.points == self.task.most_points


class Watch:
    """Follows an engine's search of one position."""

    def __init__(self, position: Epd, task: Task):
        self.position, self.task = position, task
        self._last = Found(None, None, "", 0, 0, 0)
        self._since: Found | None = None  # full points without a break since here
        self._iterations = 0  # since then
        self._mates: list[int] = []

    def hear(self, info: chess.engine.InfoDict) -> None:
        score, pv = info.get("score"), info.get("pv")
        if score is None or not pv:
            return
        is_bound = info.get("lowerbound") or info.get("upperbound")
        relative = score.relative
        found = Found(
            pv[0],
            None if is_bound else relative.mate(),
            str(relative),
            info.get("depth", 0),
            info.get("nodes", 0),
            round(info.get("time", 0.0) * 1000),
        )
        if is_bound and self.task.settled:
            return
        deeper = found.depth > self._last.depth
        self._last = found
        if self.task.points(found) < self.task.most_points:
            self._since, self._iterations = None, 0
        elif self._since is None:
            self._since, self._iterations = found, 1
        else:
            self._iterations += deeper

    def is_solved(self, iterations: int) -> bool:
        """Has the answer held for this many iterations? A proof needs only one."""
        return self._since is not None and (self.task.settled or self._iterations >= iterations)

    def answer(self, played: chess.Move | None) -> Answer:
        last = self._last
        final = Found(played, last.mate, last.score, last.depth, last.nodes, last.time_ms)
        points = self.task.points(final)
        since = self._since if points == self.task.most_points else None
        return Answer(
            self.position,
            self.task,
            final,
            points,
            # If the move changed without another line, it counts from the last one.
            (since or final).time_ms if points == self.task.most_points else None,
            (since or final).nodes if points == self.task.most_points else None,
        )


def solve(
    running: chess.engine.SimpleEngine,
    position: Epd,
    task: Task,
    limit: chess.engine.Limit,
    stop_after: int | None,
) -> Answer:
    """Search one position. `stop_after`: stop when the answer has held for this many iterations."""
    watch = Watch(position, task)
    with running.analysis(position.board, limit, game=object()) as analysis:
        for info in analysis:
            watch.hear(info)
            if stop_after is not None and watch.is_solved(stop_after):
                analysis.stop()
        return watch.answer(analysis.wait().move)


def line_of(answer: Answer) -> str:
    final = answer.final
    played = answer.position.board.san(final.move) if final.move else "none"
    verdict = f"{answer.points}/{answer.task.most_points}"
    time_text = "-" if answer.solved_ms is None else f"{answer.solved_ms} ms"
    return (
        f"{verdict:>6} {time_text:>9}  {answer.position.name:28.28} {played:8} {final.score:>7} "
        f"depth {final.depth:3}  wanted: {answer.task.wanted}"
    )


def summary(answers: Sequence[Answer]) -> str:
    """The totals, as text."""
    solved = [answer for answer in answers if answer.is_full]
    points = sum(answer.points for answer in answers)
    most = sum(answer.task.most_points for answer in answers)
    lines = [
        f"solved {len(solved)} of {len(answers)} ({len(solved) / len(answers):.1%}), "
        f"points {points} of {most} ({points / most:.1%})"
    ]
    mates = [answer for answer in answers if isinstance(answer.task, Mate)]
    if mates:
        lines.append(_mate_summary(mates))
    times = sorted(answer.solved_ms for answer in solved if answer.solved_ms is not None)
    nodes = sorted(answer.solved_nodes for answer in solved if answer.solved_nodes is not None)
    if solved:
        lines.append(
            f"to solution: median {statistics.median(times):.0f} ms and "
            f"{statistics.median(nodes):.0f} nodes, mean {statistics.mean(times):.0f} ms and "
            f"{statistics.mean(nodes):.0f} nodes"
        )
    lines.append(
        f"total: {sum(answer.final.nodes for answer in answers)} nodes, "
        f"{sum(answer.final.time_ms for answer in answers) / 1000:.1f} s"
    )
    return "\n".join(lines)


def _mate_summary(answers: Sequence[Answer]) -> str:
    counts = {"of the length wanted": 0, "shorter": 0, "longer": 0, "none": 0}
    for answer in answers:
        assert isinstance(answer.task, Mate)
        found, wanted = answer.final.mate, answer.task.moves
        if found is None or (found > 0) != (wanted > 0):
            counts["none"] += 1
        elif found == wanted:
            counts["of the length wanted"] += 1
        else:
            counts["shorter" if abs(found) < abs(wanted) else "longer"] += 1
    return "mates found: " + ", ".join(f"{count} {name}" for name, count in counts.items())
