"""Plain Python: one search, from its limits to its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace

from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_among
from engine.events import SearchEvent, SearchResult
from engine.limits import Limits
from engine.machine import start_thread
from engine.native.clock import NEVER
from engine.play.go_mate import MORE_NODES, MateProof
from engine.play.limited import limited_turn
from engine.play.reports import DETAILS_AFTER_MS, Reports
from engine.play.root_tables import RootTables
from engine.play.state import EngineState
from engine.play.time_keeper import TimeKeeper
from engine.play.timeman import soft_factor
from engine.search.deepening import MAX_DEPTH
from engine.search.iterations import Iterations, RootLine
from engine.search.node import is_draw
from engine.search.root_moves import set_root_moves
from engine.search.tt import entry_move, probe, table_key
from engine.search.voting import elect
from engine.settings import Settings

SHORT_MS = 50.0  # a search that must end sooner runs in the thread that asks for it ...
VERY_SHORT_MS = 20.0  # ... without helpers, if it must end sooner than this
FIRST_ITERATION_NODES = 5000  # at most, for a search that was stopped at once
REPLY_NODES = 1000  # at most, to guess the opponent's answer when nothing is known about it
CURRENT_MOVES_EVERY_S = 0.1


class Search:
    """One `go`, in threads of its own.

    `on_event` receives everything the search reports, in order, from other threads; a SearchResult
    comes exactly once and last. `began`: see TimeKeeper. `after_ponderhit`: what the book answers
    to the expected move, reported in place of the search's result if that move is played.
    """

    def __init__(
        self,
        state: EngineState,
        settings: Settings,
        limits: Limits,
        on_event: Callable[[SearchEvent], None],
        began: float | None = None,
        after_ponderhit: Sequence[SearchEvent] = (),
    ) -> None:
        self._state = state
        self._main = state.workers[0]
        self._settings = settings
        self._limits = limits
        self._on_event = on_event
        self._after_ponderhit = after_ponderhit
        self._ponder_hit = False
        self.delivered = threading.Event()  # the caller has the result
        self._may_answer = threading.Event()  # not while pondering or analysing without limit
        self._stopped = threading.Event()
        self._emitting = threading.Lock()
        self._reporter: int | None = None  # the thread in which the caller hears an event
        self._stopping = threading.Lock()
        self._answered = False  # set while both are held
        self._has_choice = True
        self._failure: BaseException | None = None  # in another thread than the answering one
        self._time = TimeKeeper(state, settings, limits, began)
        self._tables = RootTables(state, settings, self._has_spent)
        self._reports = Reports(state, settings, self._time, self._tables, self._emit)
        self._turn = limited_turn(state, settings, limits)  # None: full strength
        least_ms = SHORT_MS if len(state.workers) == 1 else VERY_SHORT_MS
        self._is_alone = self._turn is None and not self._time.may_last(least_ms)
        if not limits.waits_for_user:
            self._may_answer.set()

    # --- From outside, at any time

    def start(self) -> None:
        """Begin, and return at once or, if the clock leaves hardly any time, when it is over.
        Raises RuntimeError if the system gives no thread."""
        self._state.new_generation()
        if self._is_alone:
            self._run()
        else:
            start_thread(self._run)

    def stop(self) -> None:
        with self._stopping:
            if self._answered:  # the workers may belong to the next search
                return
            self._may_answer.set()
            self._stopped.set()
            for worker in self._state.workers:
                worker.stop = 1

    def ponderhit(self) -> None:
        """The opponent played the expected move: from now on our own clock runs."""
        if not self._limits.ponder or self._limits.infinite:
            return
        self._ponder_hit = True
        self._time.start()
        self._may_answer.set()
        if self._after_ponderhit or not self._may_deepen():
            self.stop()

    @property
    def reports_here(self) -> bool:
        """Whether this thread is in a call of `on_event`, which the end of the search awaits."""
        return self._reporter == threading.get_ident()

    @property
    def will_end(self) -> bool:
        """Even if nobody calls `stop` or `ponderhit`."""
        bounded = self._limits.is_bounded and self._may_answer.is_set()
        return bounded or self._answered or self._stopped.is_set()

    # --- The course of the search, in one thread

    def _run(self) -> None:
        """Search, and deliver exactly one result, whatever happens."""
        try:
            with self._turn or nullcontext():
                result = self._search()
        except BaseException as error:  # whatever it is, the caller waits for a result
            result = SearchResult(None, error=error)
        try:
            for event in self._after_ponderhit if self._ponder_hit else ():
                self._emit(event)
            self._emit(result)
        finally:
            self.delivered.set()

    def _emit(self, event: SearchEvent) -> None:
        """Nothing follows the result."""
        with self._emitting:
            if self._answered:
                return
            if isinstance(event, SearchResult):
                with self._stopping:
                    self._answered = True
                self._time.answer()
            self._reporter = threading.get_ident()
            try:
                self._on_event(event)
            finally:
                self._reporter = None

    def _report_current_moves(self) -> None:
        try:
            while not self.delivered.wait(CURRENT_MOVES_EVERY_S):
                self._reports.current_move()
        except BaseException as error:
            self._fail(error)

    def _search(self) -> SearchResult:
        state, limits, turn = self._state, self._limits, self._turn
        moves = legal_moves(state.position, self._main.lists)
        if not moves:
            checkers = state.position.snapshots[state.position.ply].checkers
            self._reports.finished_game(bool(checkers))
            self._may_answer.wait()
            return SearchResult(None)
        moves = self._allowed_moves(moves)
        if not limits.waits_for_user:
            self._time.start()
        self._main.root_progress = 0
        if self._time.may_last(DETAILS_AFTER_MS):
            with suppress(RuntimeError):  # no thread: nothing to see
                start_thread(self._report_current_moves)
        if turn is None or turn.knows_endings:
            moves = self._tables.best_moves(moves, limits.mate is not None)
            for problem in self._tables.problems:
                self._reports.message(problem)
        ranks = self._tables.ranking.ranks
        if turn is not None:
            moves = turn.begin(moves, is_known=ranks is not None)
        self._has_choice = len(moves) > 1
        self._prepare_workers(moves)
        lines_wanted = self._settings.multi_pv
        if turn is not None:
            lines_wanted = max(lines_wanted, turn.effort.candidates)
        iterations = Iterations(self._main, lines_wanted, ranks)
        helping = state.workers[1:] if turn is None and not self._is_alone else []
        others = [Iterations(worker, 1, ranks) for worker in helping]
        helpers = self._start_helpers(others)
        try:
            is_complete = self._iterate(iterations)
        finally:
            for worker in state.workers:
                worker.stop = 1
            for helper in helpers:
                helper.join()
        best = iterations.lines[0]
        if turn is not None:
            best = turn.choose(iterations.lines)
            self._stopped.wait(self._time.left_ms(turn.thinking_ms) / 1000)
        self._may_answer.wait()
        if self._failure is not None:
            raise self._failure
        if turn is None and len(iterations.lines) == 1 and not (limits.depth or limits.mate):
            best = elect([best, *(searching.lines[0] for searching in others)])
        if turn is not None:
            others_seen = [line for line in iterations.lines if line.moves[0] != best.moves[0]]
            self._reports.lines([best, *others_seen], are_last=True)
        elif not is_complete or self._reports.shown != [best, *iterations.lines[1:]]:
            self._reports.lines([best, *iterations.lines[1:]], are_last=True)
        return self._result(best)

    def _allowed_moves(self, moves: list[int]) -> list[int]:
        """The legal moves of `searchmoves`, or all moves if it contains none."""
        known = {text: parse_among(moves, text) for text in map(str, self._limits.search_moves)}
        allowed = [move for move in moves if move in known.values()]
        if illegal := sum(move == NO_MOVE for move in known.values()):
            self._reports.message(f"searchmoves: ignored {illegal} illegal")
        return allowed or moves

    def _prepare_workers(self, moves: list[int]) -> None:
        state = self._state
        usable = not self._tables.leave_to_search
        node_limit = self._time.node_limit
        if self._turn is not None:
            usable = usable and self._turn.knows_endings
            node_limit = min(node_limit, self._turn.most_nodes)
        elif not self._is_alone:
            node_limit = max(1, node_limit // len(state.workers))
        for worker in state.workers:
            worker.nodes = 0
            worker.tablebase_hits = 0
            state.tablebases.connect(worker.prober, self._settings, state.position, usable)
            worker.node_limit = node_limit
            worker.stop = 0
            worker.position.copy_from(state.position)
            set_root_moves(worker, moves)
        if self._stopped.is_set():  # `stop` came before or between the lines above
            self.stop()

    def _start_helpers(self, searches: list[Iterations]) -> list[threading.Thread]:
        """A thread for each; fewer, with a message, if the system refuses."""
        helpers: list[threading.Thread] = []
        for number, iterations in enumerate(searches):
            try:
                helpers.append(start_thread(self._help, iterations, number))
            except RuntimeError as reason:
                self._reports.message(f"only {1 + number} threads are searching: {reason}")
                break
        return helpers

    def _help(self, iterations: Iterations, number: int) -> None:
        try:
            for depth in range(1 + number % 2, MAX_DEPTH + 1):
                if not iterations.search(depth):
                    return
        except BaseException as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """End the search; the thread that answers raises the error again."""
        self._failure = error
        self.stop()

    def _iterate(self, iterations: Iterations) -> bool:
        """Deepen until a limit is reached. False if the last iteration is incomplete."""
        main, turn = self._main, self._turn
        last_depth = min(self._limits.depth or MAX_DEPTH, MAX_DEPTH)
        if turn is not None:
            report = self._reports.lines
            is_complete = turn.deepen(iterations, last_depth, lambda: report(iterations.lines))
            if not is_complete and iterations.lines[0].depth == 0:
                self._finish_first(iterations)
            return is_complete
        proof = self._mate_proof()
        stable_iterations = 0
        for depth in range(1, last_depth + 1):
            before = iterations.lines[0]
            nodes_before = int(main.nodes)
            is_complete = iterations.search(depth, self._reports.bound)
            if depth == 1:
                if not is_complete and self._must_end():
                    self._finish_first(iterations)
                self._time.note_move()
            if not is_complete:
                return False
            self._reports.lines(iterations.lines)
            best = iterations.lines[0]
            if proof and self._is_proved(proof, iterations, int(main.nodes) - nodes_before):
                return True
            same = best.moves[0] == before.moves[0]
            stable_iterations = stable_iterations + 1 if same else 0
            drop = before.score - best.score if depth > 1 else 0
            factor = soft_factor(stable_iterations, drop, iterations.best_move_effort())
            if not self._may_deepen(factor):
                return True
        if proof and self._limits.depth is None:
            while not main.stop and not self._is_proved(proof, iterations, MORE_NODES):
                pass
        return True

    def _finish_first(self, iterations: Iterations) -> None:
        """Even if stopped at once, answer with a move that was searched."""
        main = self._main
        main.node_limit = min(int(main.node_limit), int(main.nodes) + FIRST_ITERATION_NODES)
        main.deadline = NEVER
        main.stop = 0
        while not iterations.search(1) and main.nodes < main.node_limit:
            main.stop = 0  # another `stop` came

    def _mate_proof(self) -> MateProof | None:
        """For `go mate`. A side that is lost has no mate to seek: if another limit ends the search,
        the normal one tells how soon this side is mated."""
        limits = self._limits
        if limits.mate is None or (self._tables.is_lost and replace(limits, mate=None).is_bounded):
            return None
        return MateProof(self._main, limits.mate)

    def _is_proved(self, proof: MateProof, iterations: Iterations, nodes: int) -> bool:
        """For `go mate`: is a mate found, or proved that there is none?"""
        best = self._tables.completed(iterations.lines[0])
        ends = proof.ends_search(best, nodes, self._must_end)
        if proof.line is not None:
            iterations.lines = [proof.line]  # the others are not so deep
            self._reports.lines(iterations.lines)
        elif proof.is_disproved:
            self._reports.message(f"there is no mate in {proof.most_moves}")
        return ends

    # --- Limits

    def _may_deepen(self, factor: float = 1.0) -> bool:
        return self._time.may_deepen(factor, self._has_choice)

    def _must_end(self) -> bool:
        return self._stopped.is_set() or self._time.is_over()

    def _has_spent(self, share: float) -> bool:
        return self._stopped.is_set() or self._time.has_spent(share)

    # --- The result

    def _result(self, line: RootLine) -> SearchResult:
        chess960 = self._settings.chess960
        line = self._tables.completed(line)
        reply = self._reply(line)
        ponder = move_text(reply, chess960) if reply != NO_MOVE else None
        return SearchResult(move_text(line.moves[0], chess960), ponder)

    def _reply(self, line: RootLine) -> int:
        """The opponent's reply to the first move of `line`: the next one, or from the transposition
        table, or by a search of one ply. NO_MOVE only when the game is over, if by a draw that must
        be claimed, or there is no time for something that nobody needs."""
        worker = self._main
        pos = worker.position
        make(pos, line.moves[0])
        stored = int(probe(worker.tt, table_key(pos.snapshots[pos.ply])))
        reply = line.moves[1] if len(line.moves) > 1 else entry_move(stored) if stored else NO_MOVE
        if is_draw(worker, 1):
            reply = NO_MOVE
        elif reply == NO_MOVE or not is_legal(pos, reply):
            reply = NO_MOVE
            is_wanted = self._settings.ponder or not self._is_alone
            if is_wanted and (answers := legal_moves(pos, worker.lists)):
                set_root_moves(worker, answers)
                worker.stop, worker.node_limit = 0, int(worker.nodes) + REPLY_NODES
                iterations = Iterations(worker, 1)
                iterations.search(1)
                reply = iterations.lines[0].moves[0]
        unmake(pos)
        return reply
