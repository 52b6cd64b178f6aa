"""Plain Python: turns the results of kernels into the events of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from engine.board.constants import WHITE
from engine.board.notation import move_text
from engine.chances import chances, material_of, normalised
from engine.events import CurrentMove, Message, Score, SearchEvent, SearchInfo
from engine.play.root_tables import RootTables
from engine.play.state import EngineState
from engine.play.time_keeper import TimeKeeper
from engine.scores import MATE, MATE_IN_RANGE, TABLEBASE_WIN, TABLEBASE_WIN_IN_RANGE
from engine.search.iterations import RootLine
from engine.search.state import ROOT_NUMBER
from engine.search.tt import EXACT, LOWER, UPPER, used_per_mille
from engine.settings import Settings

BOUNDS: dict[int, Literal["exact", "lower", "upper"]] = {
    EXACT: "exact",
    LOWER: "lower",
    UPPER: "upper",
}
SHOWN_TABLEBASE_WIN_CP = 20_000
CERTAIN_DRAW, CERTAIN_LOSS = (0, 1000, 0), (0, 0, 1000)  # to win, draw and lose, per mille
DETAILS_AFTER_MS = 3000  # shorter searches report neither bounds nor current moves


class Reports:
    """Reports the events of one search to its caller."""

    def __init__(
        self,
        state: EngineState,
        settings: Settings,
        time: TimeKeeper,
        tables: RootTables,
        on_event: Callable[[SearchEvent], None],
    ) -> None:
        self._state, self._settings = state, settings
        self._time, self._tables = time, tables
        self._on_event = on_event
        self.shown: list[RootLine] = []  # the last ones that were reported
        self._current_move = (0, 0)  # depth, and progress at the root
        self._white_to_move = bool(state.position.side == WHITE)

    def message(self, text: str) -> None:
        self._on_event(Message(text))

    def finished_game(self, is_mate: bool) -> None:
        score = Score(mate=0) if is_mate else Score(centipawns=0)
        score = score._replace(turn=self._white_to_move)
        result = CERTAIN_LOSS if is_mate else CERTAIN_DRAW
        shown = result if self._settings.show_wdl else None
        self._on_event(SearchInfo(0, 0, 1, score, "exact", 0, 0, 0, 0, 0, (), shown))

    def lines(self, lines: Sequence[RootLine], are_last: bool = False) -> None:
        """As many as the user wants to see, the best first. With a clock, the first moments of the
        search show nothing: each line costs time here and at its reader."""
        if self._time.is_early() and not are_last:
            return
        self.shown = list(lines)
        for number, line in enumerate(lines[: self._settings.multi_pv]):
            self._line(number, line)

    def bound(self, number: int, line: RootLine) -> None:
        """A bound of a line's score, in a long search."""
        if number < self._settings.multi_pv and self._details_wanted():
            self._line(number, line)

    def current_move(self) -> None:
        """The root move being searched, once and in a long search."""
        main = self._state.workers[0]
        current = int(main.root_depth), int(main.root_progress)
        number, move = divmod(current[1], ROOT_NUMBER)
        if self._details_wanted() and number > 0 and current != self._current_move:
            self._current_move = current
            text = move_text(move, self._settings.chess960)
            self._on_event(CurrentMove(current[0], text, number))

    def _details_wanted(self) -> bool:
        return self._time.elapsed_ms() > DETAILS_AFTER_MS

    def _line(self, number: int, line: RootLine) -> None:
        """`number` counts from 0."""
        state, settings = self._state, self._settings
        line = self._tables.completed(line)
        nodes = state.nodes()
        elapsed_ms = self._time.elapsed_ms()
        material = material_of(state.position)
        depth = max(1, line.depth)  # 0: the search was stopped at once
        hits = sum(int(worker.tablebase_hits) for worker in state.workers)
        self._on_event(
            SearchInfo(
                depth=depth,
                selective_depth=max(depth, line.selective_depth),
                multi_pv=number + 1,
                score=readable_score(line.score, material)._replace(turn=self._white_to_move),
                bound=BOUNDS[line.bound],
                nodes=nodes,
                nodes_per_second=int(nodes * 1000 / max(elapsed_ms, 1.0)),
                hash_full_per_mille=int(used_per_mille(state.shared.tt)),
                tablebase_hits=len(self._tables.ranking.ranked) + hits,
                time_ms=int(elapsed_ms),
                pv=tuple(move_text(move, settings.chess960) for move in line.moves),
                win_draw_loss=self._chances(line, material) if settings.show_wdl else None,
            )
        )

    def _chances(self, line: RootLine, material: int) -> tuple[int, int, int]:
        return CERTAIN_DRAW if self._tables.is_drawn(line) else chances(line.score, material)


def readable_score(score: int, material: int) -> Score:
    """Centipawns as engine/chances.py shows them, or full moves to mate. Wins by tablebases are
    200 pawns, less their distance: GUIs know that from other engines, and no evaluation comes
    near. `material`: of the position, by the count of engine/chances.py."""
    if score >= MATE_IN_RANGE:
        return Score(mate=(MATE - score + 1) // 2)
    if score <= -MATE_IN_RANGE:
        return Score(mate=-((MATE + score + 1) // 2))
    if score >= TABLEBASE_WIN_IN_RANGE:
        return Score(centipawns=SHOWN_TABLEBASE_WIN_CP - (TABLEBASE_WIN - score))
    if score <= -TABLEBASE_WIN_IN_RANGE:
        return Score(centipawns=(TABLEBASE_WIN + score) - SHOWN_TABLEBASE_WIN_CP)
    return Score(centipawns=normalised(score, material))
