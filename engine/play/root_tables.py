"""Plain Python: what tablebases and the transposition table add to the lines of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.board.draws import insufficient_material
from engine.eval.known_endings import KNOWN_WIN, UNKNOWN, known_result
from engine.play.state import EngineState
from engine.scores import MATE_IN_RANGE
from engine.search.iterations import RootLine
from engine.search.mate_line import extended_to_mate
from engine.search.tt import EXACT
from engine.settings import Settings
from engine.tb.probing import mate_is_next
from engine.tb.ranking import UNSURE
from engine.tb.root import RootRanking

FILES_SHARE = 0.2  # of the time for a move may go into opening tablebase files


class RootTables:
    """The tablebases at the root of one search. They know nothing before `best_moves`."""

    def __init__(
        self, state: EngineState, settings: Settings, has_spent: Callable[[float], bool]
    ) -> None:
        """`has_spent(share)`: must what is not necessary end, because so much of the time is over?
        Files may be many and slow, and the next move can open the rest; a line to a distant mate
        takes milliseconds, which a bullet game does not have."""
        self._state, self._settings = state, settings
        self._main = state.workers[0]
        self._has_spent = has_spent
        self.ranking = RootRanking(state.root_prober)
        self.problems: list[str] = []  # remarks for the user
        self.is_lost = False  # by the tablebases; known for `go mate`

    def best_moves(self, moves: list[int], for_mate: bool) -> list[int]:
        """The root moves to search: only the best ones if the tablebases know them all, and all of
        them for `go mate`: the shortest mate may start with a move that tablebases like less."""
        state, settings, ranking, main = self._state, self._settings, self.ranking, self._main
        self.problems = state.tablebases.prepare(
            state.position, lambda: self._has_spent(FILES_SHARE)
        )
        state.tablebases.connect(ranking.prober, settings, state.position)
        main.position.copy_from(state.position)
        fifty_moves = settings.tablebase_fifty_moves
        if for_mate and not mate_is_next(state.position):
            self.is_lost = ranking.is_lost(main.position, main.lists, moves, fifty_moves)
            return moves
        return ranking.rank(main.position, main.lists, moves, settings.multi_pv, fifty_moves)

    @property
    def leave_to_search(self) -> bool:
        """Whether the search need not probe: all is known at the root, or the ending is known to be
        won against a bare king, which the search mates sooner than by way of smaller tables."""
        known = int(known_result(self._state.position, self._main.evaluator.kpk))
        return self.ranking.suffices() or KNOWN_WIN <= abs(known) < UNKNOWN

    def is_drawn(self, line: RootLine) -> bool:
        """Whether the tablebases know its score as a draw, or no mate is left on the board."""
        entry = self.ranking.ranked.get(line.moves[0])
        is_known = entry is not None and abs(entry.rank) != UNSURE
        return abs(line.score) <= 1 and (
            is_known or bool(insufficient_material(self._main.position))
        )

    def completed(self, line: RootLine) -> RootLine:
        """The line with the tablebases' score and moves, where these are better, and on to mate if
        there is one."""
        if not self.ranking.ranked and abs(line.score) < MATE_IN_RANGE:
            return line
        main = self._main

        def is_late() -> bool:
            return self._has_spent(1.0)

        known = self.ranking.completed(line.moves, line.score, main.position, main.lists, is_late)
        if known is not None:
            score, moves = known
            line = replace(line, score=score, bound=EXACT, moves=moves)
        moves = extended_to_mate(
            line.moves,
            line.score,
            main.position,
            main.lists,
            self._state.shared.tt,
            self.ranking.prober,
            is_late,
        )
        return replace(line, moves=moves)
