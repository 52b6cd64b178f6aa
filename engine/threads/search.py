"""Plain Python: one search, from its limits to its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_among
from engine.events import SearchEvent, SearchResult
from engine.limits import Limits
from engine.scores import MATE
from engine.search.deepening import MAX_DEPTH
from engine.search.mate_line import extended_to_mate
from engine.search.mate_search import MateSearch
from engine.search.root import Iterations, Line
from engine.search.root_moves import set_root_moves
from engine.search.setup import NO_NODE_LIMIT
from engine.search.tt import EXACT, entry_move, probe
from engine.search.voting import elect
from engine.settings import Settings
from engine.tb.probing import mate_is_next
from engine.tb.root import RootRanking
from engine.threads.clock import Clock
from engine.threads.limited import limited_turn
from engine.threads.own_time import OwnTime
from engine.threads.pool import ThreadPool
from engine.threads.reports import Reports
from engine.timeman import soft_factor

LEAST_MATE_NODES = 20_000  # `go mate`: for the proof beside each iteration, at least as many ...
MORE_MATE_NODES = 1_000_000  # ... and once there is no deeper iteration
FIRST_ITERATION_NODES = 5000  # at most, for a search that was stopped at once
SHORT_SEARCH_NODES = 20_000  # when the system gives no thread
REPLY_NODES = 1000  # at most, to guess the opponent's answer when nothing is known about it
OPENING_SHARE = 0.2  # of the time for a move may go into opening tablebase files


class Search:
    """One `go`, in threads of its own.

    `on_event` receives everything the search reports, in order, from other threads; a SearchResult
    comes exactly once and last. `after_ponderhit`: what the book answers to the expected
    move, reported in place of the search's result if that move is played.
    """

    def __init__(
        self,
        pool: ThreadPool,
        settings: Settings,
        limits: Limits,
        on_event: Callable[[SearchEvent], None],
        after_ponderhit: Sequence[SearchEvent] = (),
    ) -> None:
        self._pool = pool
        self._limits = limits
        self._settings = settings
        self._after_ponderhit = after_ponderhit
        self._ponder_hit = False
        self._on_event = on_event
        self.delivered = threading.Event()  # the caller has the result
        self._may_answer = threading.Event()  # not while pondering or analysing without limit
        self._stopped = threading.Event()
        self._iterations: Iterations | None = None  # of the main worker
        self._emitting = threading.Lock()
        self._answered = False  # guarded by it
        self._ranking = RootRanking()
        self._has_choice = True
        self._is_lost = False  # by the tablebases; known for `go mate`
        self._is_short = False  # for want of threads
        self._hurries = False
        self._clock = Clock(self._end_threads, self._answer_without_workers, self._tick)
        self._time = OwnTime(pool, settings, limits, self._clock)
        self._reports = Reports(pool, self._settings, self._clock, self._emit)
        self._turn = limited_turn(pool, settings, limits)  # None: full strength
        if not limits.waits_for_user:
            self._may_answer.set()

    # --- From outside, at any time

    def start(self) -> None:
        """Begin, and return at once. If the system gives no thread, or the clock leaves hardly any
        time, search here, but briefly."""
        self._pool.new_generation()
        self._time.plan()
        self._hurries = self._turn is None and self._time.is_nearly_over
        if self._hurries:
            self._run()
            return
        try:
            threading.Thread(target=self._run, daemon=True).start()
        except RuntimeError as reason:
            self._do_without_a_thread(reason)
            self._run()

    def stop(self) -> None:
        self._may_answer.set()
        self._end_threads()
        self._clock.end()

    def _end_threads(self) -> None:
        self._stopped.set()
        for thread in self._pool.threads:
            thread.stop = 1

    def ponderhit(self) -> None:
        """The opponent played the expected move: from now on our own clock runs."""
        if not self._limits.ponder or self._limits.infinite:
            return
        self._ponder_hit = True
        self._may_answer.set()
        self._time.start()
        soft_ms = self._time.soft_ms
        if self._after_ponderhit or (soft_ms is not None and self._is_time_up(soft_ms)):
            self.stop()

    @property
    def will_end(self) -> bool:
        """Even if nobody calls `stop` or `ponderhit`."""
        bounded = self._limits.is_bounded and self._may_answer.is_set()
        return bounded or self._answered or self._stopped.is_set()

    def _do_without_a_thread(self, reason: RuntimeError) -> None:
        """Nobody may be there to end the search: let it end by itself, soon."""
        self._reports.message(f"only a short search: {reason}")
        self._is_short = True
        self._may_answer.set()

    # --- The course of the search, in the main worker's thread

    def _run(self) -> None:
        """Search, and deliver exactly one result, whatever happens."""
        try:
            with self._turn or nullcontext():
                result = self._search()
        except BaseException as error:  # whatever it is, the caller waits for a result
            result = SearchResult(None, error=error)
        try:
            self._clock.join()  # or it might report after the result
            self._emit(*(self._after_ponderhit if self._ponder_hit else ()), result)
        finally:
            self.delivered.set()

    def _emit(self, *events: SearchEvent) -> None:
        """Without others between them. Nothing follows the result."""
        with self._emitting:
            for event in events:
                if self._answered:
                    return
                if isinstance(event, SearchResult):
                    self._answered = True
                    self._time.record()
                self._on_event(event)

    def _answer_without_workers(self) -> None:
        """The deadline has passed, and the workers, which wait for a processor, have not noticed:
        the answer of the last finished iteration is in time, a better one may not be."""
        iterations = self._iterations
        if iterations is None or not self._may_answer.is_set():
            return
        line = iterations.lines[0]
        if line.depth > 0:
            # Reported with its answer: the last report may have been about another move.
            info = self._reports.info(0, line, len(self._ranking.ranked))
            self._emit(info, SearchResult(info.pv[0], info.pv[1] if len(info.pv) > 1 else None))

    def _search(self) -> SearchResult:
        pool, limits = self._pool, self._limits
        main = pool.threads[0]
        moves = legal_moves(pool.position, main.lists)
        if not moves:
            self._reports.finished_game(bool(pool.position.snapshots[pool.position.ply].checkers))
            self._may_answer.wait()
            return SearchResult(None)
        moves = self._allowed_moves(moves)
        if not limits.waits_for_user:
            self._time.start()
        main.root_progress = 0
        try:
            if not self._hurries:
                self._clock.start()
        except RuntimeError as reason:
            self._do_without_a_thread(reason)
        if self._turn is None or self._turn.knows_endings:
            moves = self._best_by_tablebases(moves)
        if self._turn is not None:
            moves = self._turn.begin(moves, is_known=self._ranking.ranks is not None)
        self._has_choice = len(moves) > 1
        self._prepare_threads(moves)

        ranks = self._ranking.ranks
        helping = pool.threads[1:] if self._turn is None and not self._hurries else []
        others = [Iterations(thread, 1, ranks) for thread in helping]
        helpers = self._start_helpers(others)
        try:
            iterations = Iterations(main, self._lines_to_search(), ranks)
            self._iterations = iterations
            interrupted = not self._iterate(iterations)
        finally:
            for thread in pool.threads:
                thread.stop = 1
            for helper in helpers:
                helper.join()
        chosen = self._turn.choose(iterations.lines) if self._turn is not None else None
        if chosen is not None:
            self._take_time()
        self._may_answer.wait()
        self._clock.join()
        pool.node_clock.spend(self._time.spent_ms(), int(pool.position.side))
        best = chosen or iterations.lines[0]
        if chosen is not None:
            others_seen = [line for line in iterations.lines if line.moves[0] != best.moves[0]]
            iterations.lines = [best, *others_seen]
            self._report_all(iterations)
            return self._result(best)
        if len(iterations.lines) == 1 and limits.depth is None and limits.mate is None:
            best = elect([best, *(searching.lines[0] for searching in others)])
        if interrupted or best is not iterations.lines[0]:
            iterations.lines[0] = best
            self._report_all(iterations)
        return self._result(best)

    def _allowed_moves(self, moves: list[int]) -> list[int]:
        """The legal moves of `searchmoves`, or all moves if it contains none."""
        named = set(self._limits.search_moves)
        known = {text: parse_among(moves, text) for text in named}
        allowed = [move for move in moves if move in known.values()]
        if illegal := sum(move == NO_MOVE for move in known.values()):
            self._reports.message(f"searchmoves: ignored {illegal} illegal")
        return allowed or moves

    def _prepare_threads(self, moves: list[int]) -> None:
        pool = self._pool
        node_limit = self._node_limit()
        for thread in pool.threads:
            thread.nodes = 0
            thread.tablebase_hits = 0
            usable = not self._ranking.suffices()
            if self._turn is not None:
                usable = usable and self._turn.knows_endings
            pool.tablebases.connect(thread.prober, self._settings, usable)
            thread.node_limit = node_limit
            thread.stop = 0
            thread.position.copy_from(pool.position)
            set_root_moves(thread, moves)
        if self._stopped.is_set():  # `stop` came before or between the lines above
            self.stop()

    def _start_helpers(self, searches: list[Iterations]) -> list[threading.Thread]:
        """A thread for each; fewer, with a message, if the system refuses."""
        helpers = []
        for number, iterations in enumerate(searches):
            helper = threading.Thread(target=self._help, args=(iterations, number), daemon=True)
            try:
                helper.start()
            except RuntimeError as reason:
                self._reports.message(f"only {1 + number} threads are searching: {reason}")
                break
            helpers.append(helper)
        return helpers

    def _help(self, iterations: Iterations, number: int) -> None:
        for depth in range(1 + number % 2, MAX_DEPTH + 1):
            if not iterations.search(depth):
                return

    def _iterate(self, iterations: Iterations) -> bool:
        """Deepen until a limit is reached. False if the last iteration is incomplete."""
        limits = self._limits
        main = self._pool.threads[0]
        if self._turn is not None:
            last_depth = self._last_depth()
            if self._turn.deepen(iterations, last_depth, lambda: self._report_all(iterations)):
                return True
            if iterations.lines[0].depth == 0:
                self._finish_first(iterations)
            return False
        stable_iterations = 0
        mate_search = self._mate_search()
        for depth in range(1, self._last_depth() + 1):
            before = iterations.lines[0]
            nodes_before = int(main.nodes)
            if not iterations.search(depth, self._report_bound):
                if depth == 1 and (self._hurries or self._stopped.is_set()):
                    self._finish_first(iterations)
                return False
            self._report_all(iterations)
            best = iterations.lines[0]
            if mate_search is not None:
                nodes = max(LEAST_MATE_NODES, int(main.nodes) - nodes_before)
                if self._seek_mate(mate_search, iterations, nodes):
                    return True
            same = best.moves[0] == before.moves[0]
            stable_iterations = stable_iterations + 1 if same else 0
            if self._time.soft_ms is not None:
                drop = before.score - best.score if depth > 1 else 0
                factor = soft_factor(stable_iterations, drop, iterations.best_move_effort())
                if self._is_time_up(self._time.soft_ms * factor):
                    return True
        if mate_search is not None and limits.depth is None:
            while not main.stop:
                if self._seek_mate(mate_search, iterations, MORE_MATE_NODES):
                    return True
        return True

    def _finish_first(self, iterations: Iterations) -> None:
        """Even if stopped at once, answer with a move that was searched."""
        main = self._pool.threads[0]
        most = int(main.node_limit)
        if self._hurries and self._limits.nodes is None:
            most = NO_NODE_LIMIT
        main.node_limit = min(most, int(main.nodes) + FIRST_ITERATION_NODES)
        main.stop = 0
        while not iterations.search(1) and main.nodes < main.node_limit:
            main.stop = 0  # another `stop` came

    def _mate_search(self) -> MateSearch | None:
        """For `go mate`. A side that is lost has no mate to seek: if another limit ends the search,
        the normal one tells how soon this side is mated."""
        limits = self._limits
        if limits.mate is None or (self._is_lost and replace(limits, mate=None).is_bounded):
            return None
        return MateSearch(self._pool.threads[0], limits.mate)

    def _seek_mate(self, mate_search: MateSearch, iterations: Iterations, nodes: int) -> bool:
        """For `go mate`: unless the normal search has found a mate, continue the full-width mate
        search. True if it has found a mate or proved that there is none."""
        best = self._completed(iterations.lines[0])
        if 0 < MATE - best.score <= 2 * mate_search.most_moves - 1:
            return True
        line = mate_search.advance(nodes)
        if self._stopped.is_set():  # it clears the stop word between its portions
            self._pool.threads[0].stop = 1
        if line is not None:
            iterations.lines[0] = line
            self._report(0, line)
        elif mate_search.disproved:
            self._reports.message(f"there is no mate in {mate_search.most_moves}")
        return line is not None or mate_search.disproved

    # --- Limits

    def _node_limit(self) -> int:
        """Of each thread."""
        nodes = self._time.node_limit()
        if self._is_short:
            nodes = min(nodes, SHORT_SEARCH_NODES)
        if self._hurries:
            return min(nodes, self._time.hurried_node_limit())
        if self._turn is not None:
            return min(nodes, self._turn.most_nodes)
        return max(1, nodes // len(self._pool.threads))

    def _last_depth(self) -> int:
        return min(self._limits.depth or MAX_DEPTH, MAX_DEPTH)

    def _lines_to_search(self) -> int:
        lines = self._settings.multi_pv
        return lines if self._turn is None else max(lines, self._turn.effort.candidates)

    def _take_time(self) -> None:
        """With a clock, a limited player thinks as long as a person would."""
        assert self._turn is not None
        if self._time.soft_ms is None or self._settings.nodes_per_ms:
            return
        left_ms = self._turn.thinking_ms(self._time.soft_ms) - self._time.since_start_ms()
        if left_ms > 0:
            self._stopped.wait(left_ms / 1000)

    def _is_time_up(self, soft_ms: float) -> bool:
        return not self._has_choice or self._time.spent_ms() >= soft_ms

    # --- Tablebases

    def _best_by_tablebases(self, moves: list[int]) -> list[int]:
        """The root moves to search: only the best ones if the tablebases know them all."""
        pool, settings = self._pool, self._settings
        main = pool.threads[0]
        for problem in pool.tablebases.prepare(pool.position, self._has_no_time_to_open_more):
            self._reports.message(problem)
        pool.tablebases.connect(self._ranking.prober, settings)
        main.position.copy_from(pool.position)
        if self._limits.mate is not None and not mate_is_next(pool.position):
            self._is_lost = self._ranking.is_lost(
                main.position, main.lists, moves, settings.tablebase_fifty_moves
            )
            return moves  # the shortest mate may start with a move that tablebases like less
        return self._ranking.rank(
            main.position, main.lists, moves, settings.multi_pv, settings.tablebase_fifty_moves
        )

    def _has_no_time_to_open_more(self) -> bool:
        """Files may be many and slow: the next move can open the rest."""
        return self._stopped.is_set() or self._time.has_spent(OPENING_SHARE)

    def _has_no_time_for_longer_lines(self) -> bool:
        """A line to a distant mate takes milliseconds, which a bullet game does not have."""
        return self._stopped.is_set() or self._time.has_spent(1.0)

    def _completed(self, line: Line) -> Line:
        """The line with the tablebases' score and moves, where these are better, and on to mate if
        there is one."""
        main = self._pool.threads[0]
        known = self._ranking.completed(
            line.moves, line.score, main.position, main.lists, self._has_no_time_for_longer_lines
        )
        if known is not None:
            score, moves = known
            line = replace(line, score=score, bound=EXACT, moves=moves)
        moves = extended_to_mate(
            line.moves,
            line.score,
            main.position,
            main.lists,
            self._pool.shared.tt,
            self._ranking.prober,
            self._has_no_time_for_longer_lines,
        )
        return replace(line, moves=moves)

    # --- Reports

    def _report(self, number: int, line: Line) -> None:
        self._reports.line(number, self._completed(line), len(self._ranking.ranked))

    def _report_all(self, iterations: Iterations) -> None:
        for number, line in enumerate(iterations.lines[: self._settings.multi_pv]):
            self._report(number, line)

    def _report_bound(self, number: int, line: Line) -> None:
        if number < self._settings.multi_pv and self._reports.details_wanted():
            self._report(number, line)

    def _tick(self) -> None:
        self._reports.current_move()

    def _result(self, line: Line) -> SearchResult:
        chess960 = self._settings.chess960
        line = self._completed(line)
        best = line.moves[0]
        reply = line.moves[1] if len(line.moves) > 1 else self._likely_reply(best)
        ponder = move_text(reply, chess960) if reply != NO_MOVE else None
        return SearchResult(move_text(best, chess960), ponder)

    def _likely_reply(self, move: int) -> int:
        """The opponent's reply in the transposition table, or else by a search of one ply.
        NO_MOVE only when the game is over, or there is no time for something that nobody needs."""
        thread = self._pool.threads[0]
        pos = thread.position
        make(pos, move)
        stored = int(probe(thread.tt, pos.snapshots[pos.ply].key))
        reply = entry_move(stored) if stored else NO_MOVE
        if reply == NO_MOVE or not is_legal(pos, reply):
            reply = NO_MOVE
            answers = legal_moves(pos, thread.lists)
            if answers and (self._settings.ponder or not self._hurries):
                set_root_moves(thread, answers)
                thread.stop, thread.node_limit = 0, int(thread.nodes) + REPLY_NODES
                iterations = Iterations(thread, 1)
                iterations.search(1)
                reply = iterations.lines[0].moves[0]
        unmake(pos)
        return reply
