"""Plain Python: turns the results of kernels into the events of a search."""

from __future__ import annotations

from collections.abc import Callable

from engine.board.notation import move_text
from engine.chances import chances, material_of, normalised
from engine.events import CurrentMove, Message, Score, SearchEvent, SearchInfo
from engine.scores import MATE, MATE_IN_RANGE, TABLEBASE_WIN, TABLEBASE_WIN_IN_RANGE
from engine.search.root import Line
from engine.search.state import ROOT_NUMBER
from engine.search.tt import EXACT, used_per_mille
from engine.settings import Settings
from engine.threads.clock import Clock
from engine.threads.pool import ThreadPool

SHOWN_TABLEBASE_WIN_CP = 20_000
DETAILS_AFTER_MS = 3000  # shorter searches report neither bounds nor current moves


class Reports:
    """Reports the events of one search to its caller."""

    def __init__(
        self,
        pool: ThreadPool,
        settings: Settings,
        clock: Clock,
        on_event: Callable[[SearchEvent], None],
    ) -> None:
        self._pool = pool
        self._settings = settings
        self._clock = clock
        self._on_event = on_event
        self._current_move = (0, 0)  # depth, and progress at the root

    def message(self, text: str) -> None:
        self._on_event(Message(text))

    def finished_game(self, is_mate: bool) -> None:
        score = Score(mate=0) if is_mate else Score(centipawns=0)
        self._on_event(SearchInfo(0, 0, 1, score, EXACT, 0, 0, 0, 0, 0, ()))

    def details_wanted(self) -> bool:
        return self._clock.elapsed_ms() > DETAILS_AFTER_MS

    def line(self, number: int, line: Line, root_hits: int) -> None:
        """Line `number`, from 0; `root_hits`: tablebase probes at the root."""
        self._on_event(self.info(number, line, root_hits))

    def info(self, number: int, line: Line, root_hits: int) -> SearchInfo:
        """What `line` reports."""
        pool, settings = self._pool, self._settings
        nodes = pool.nodes()
        elapsed_ms = self._clock.elapsed_ms()
        material = material_of(pool.position)
        depth = max(1, line.depth)  # 0: the search was stopped at once
        return SearchInfo(
            depth=depth,
            selective_depth=max(depth, line.selective_depth),
            multi_pv=number + 1,
            score=readable_score(line.score, material),
            bound=line.bound,
            nodes=nodes,
            nodes_per_second=int(nodes * 1000 / max(elapsed_ms, 1.0)),
            hash_full_per_mille=int(used_per_mille(pool.shared.tt)),
            tablebase_hits=root_hits + sum(int(thread.tablebase_hits) for thread in pool.threads),
            time_ms=int(elapsed_ms),
            pv=tuple(move_text(move, settings.chess960) for move in line.moves),
            win_draw_loss=chances(line.score, material) if settings.show_wdl else None,
        )

    def current_move(self) -> None:
        """Report the root move being searched, once."""
        main = self._pool.threads[0]
        current = int(main.root_depth), int(main.root_progress)
        number, move = divmod(current[1], ROOT_NUMBER)
        if self.details_wanted() and number > 0 and current != self._current_move:
            self._current_move = current
            text = move_text(move, self._settings.chess960)
            self._on_event(CurrentMove(current[0], text, number))


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
