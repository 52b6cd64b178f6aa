"""How an engine solves a position: its answer, and when it found it for good."""

from __future__ import annotations

from dataclasses import dataclass

import chess
import chess.engine

from tuning.data.epd import Epd
from tuning.suites.tasks import Found, Task


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
