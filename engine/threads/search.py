"""Plain Python: the threads of one search, its clock, and when it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.board.attack_tables import new_position
from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text
from engine.board.position import Position
from engine.limits import (
    CurrentMove,
    Limits,
    Message,
    Score,
    SearchEvent,
    SearchInfo,
    SearchResult,
)
from engine.root_tables import RootTables
from engine.scores import MATE, MATE_IN_RANGE
from engine.search.mate_search import MateSearch
from engine.search.root import EXACT, MAX_DEPTH, Iterations, Line, set_root_moves
from engine.search.setup import NO_NODE_LIMIT, Shared, forget_game, new_thread
from engine.search.state import ROOT_NUMBER, SearchThread
from engine.search.tt import GENERATIONS, entry_move, probe, used_per_mille
from engine.search.voting import elect
from engine.tb.memory import Prober
from engine.tb.probing import mate_is_next
from engine.tb.setup import pieces_of
from engine.timeman import Budget, NodeClock, budget, soft_factor
from engine.wdl import win_draw_loss
from tablebases.folders import Tablebase
from tablebases.material import MOST_MEN

CURRENT_MOVE_AFTER_MS = 3000  # shorter searches do not say which move they are at
LEAST_MATE_NODES = 20_000  # `go mate`: for the proof beside each iteration, at least as many ...
MORE_MATE_NODES = 1_000_000  # ... and once there is no deeper iteration
REPLY_NODES = 1000  # at most, to guess the opponent's answer when nothing is known about it
NAP_MS = 1.0
OPENING_SHARE = 0.2  # of the time for a move may go into opening endgame tables
LAST_NAPS_MS = 20.0  # before a deadline: long waits may end this much late
STACK_BYTES = 16 << 20  # the search recurses; some systems give threads only 512 KiB


class Search:
    """One `go`: from its limits to its result, in threads of its own."""

    def __init__(
        self,
        pool: ThreadPool,
        limits: Limits,
        on_event: Callable[[SearchEvent], None],
        on_result: Callable[[SearchResult], None],
    ):
        self.pool = pool
        self.limits = limits
        self.on_event = on_event
        self.on_result = on_result
        self.started = time.perf_counter()
        self.deadline: float | None = None  # on the clock of time.perf_counter
        self.soft_ms: float | None = None
        self.may_answer = threading.Event()  # not while pondering or analysing without limit
        self.stopped = threading.Event()
        self.finished = threading.Event()
        self.delivered = threading.Event()  # the result was handed over
        self.changed = threading.Condition()  # guards deadline and ends the clock's waiting
        self.clock = threading.Thread(target=self._watch_clock, daemon=True)
        self.budget: Budget = Budget()
        self.root_tables = RootTables()
        self.single_move = False
        if not (limits.infinite or limits.ponder):
            self.may_answer.set()

    # --- From outside, at any time

    def stop(self) -> None:
        self.stopped.set()
        self.may_answer.set()
        for thread in self.pool.threads:
            thread.stop = 1
        self._wake_clock()

    def ponderhit(self) -> None:
        """The opponent played the expected move: from now on our own clock runs."""
        if not self.limits.ponder or self.limits.infinite:
            return
        self.may_answer.set()
        self._start_clock()
        if self.soft_ms is not None and (self.single_move or self._spent_ms() >= self.soft_ms):
            self.stop()

    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self.started) * 1000

    # --- The clock

    def _start_clock(self) -> None:
        self.soft_ms = self.budget.soft_ms
        if self.budget.hard_ms is not None and not self.pool.node_clock.nodes_per_ms:
            # While pondering the opponent's time was spent, not ours.
            now = time.perf_counter() if self.limits.ponder else self.started
            with self.changed:
                self.deadline = now + self.budget.hard_ms / 1000
                self.changed.notify_all()

    def _wake_clock(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def _watch_clock(self) -> None:
        """Stop the search at the deadline; meanwhile say which move is being searched."""
        main = self.pool.threads[0]
        reported = (0, 0)  # depth, and progress at the root
        while not self.finished.is_set() and not self.stopped.is_set():
            now = time.perf_counter()
            deadline = self.deadline
            if deadline is not None and now >= deadline:
                self.stop()
                return
            left_ms = 100.0 if deadline is None else (deadline - now) * 1000
            if left_ms > LAST_NAPS_MS:
                with self.changed:  # what changed before this moment is seen, not waited for
                    if self.deadline == deadline and not self.finished.is_set():
                        self.changed.wait(min(left_ms - LAST_NAPS_MS, 100.0) / 1000)
            else:
                time.sleep(min(left_ms, NAP_MS) / 1000)
            if self.elapsed_ms() > CURRENT_MOVE_AFTER_MS and not self.finished.is_set():
                current = self.depth, int(main.root_progress)
                number, move = divmod(current[1], ROOT_NUMBER)
                if number > 0 and current != reported:
                    reported = current
                    text = move_text(move, self.pool.chess960)
                    self.on_event(CurrentMove(current[0], text, number))

    def _end_clock(self) -> None:
        self.finished.set()
        self._wake_clock()
        if self.clock.ident is not None:
            self.clock.join()  # or it might report after the result

    # --- The search itself, in the main worker's thread

    depth = 0  # of the current iteration

    def run(self) -> None:
        """Search, and deliver exactly one result, whatever happens."""
        result = SearchResult(None)
        try:
            result = self._search()
        finally:
            self._end_clock()
            try:
                self.on_result(result)
            finally:
                self.delivered.set()

    def _search(self) -> SearchResult:
        pool, limits = self.pool, self.limits
        main = pool.threads[0]
        moves = legal_moves(pool.position, main.lists)
        if not moves:
            self._report_finished_game(pool.position)
            self._wait_for_permission()
            return SearchResult(None)
        wanted = [move for move in moves if move_text(move, pool.chess960) in limits.search_moves]
        unknown = len(set(limits.search_moves)) - len(wanted)
        if unknown:
            self.on_event(Message(f"searchmoves: {unknown} of them are not legal here, ignored"))
        self._plan_time()
        if self.may_answer.is_set():
            self._start_clock()
        main.root_progress = 0
        self.clock.start()
        moves = self._ask_tables(wanted or moves)
        self.single_move = len(moves) == 1
        node_limit = self._node_limit()
        for thread in pool.threads:
            thread.nodes = 0
            thread.table_hits = 0
            pool.give_tables(thread.prober, usable=not self.root_tables.suffice())
            thread.node_limit = node_limit
            thread.stop = int(self.stopped.is_set())
            thread.position.copy_from(pool.position)
            set_root_moves(thread, moves)
        if self.stopped.is_set():  # `stop` came between the lines above
            self.stop()

        others = [Iterations(thread, 1, self.root_tables.ranks) for thread in pool.threads[1:]]
        helpers = self._start_helpers(others)
        try:
            iterations = Iterations(main, max(1, pool.multi_pv), self.root_tables.ranks)
            interrupted = not self._iterate(iterations)
        finally:
            for thread in pool.threads:
                thread.stop = 1
            for helper in helpers:
                helper.join()
        self._wait_for_permission()
        self._end_clock()
        pool.node_clock.spend(self._nodes(), int(pool.position.side))
        best = iterations.lines[0]
        if len(iterations.lines) == 1 and limits.depth is None and limits.mate is None:
            best = elect([best, *(searching.lines[0] for searching in others)])
        if interrupted or best is not iterations.lines[0]:
            iterations.lines[0] = best
            for number, line in enumerate(iterations.lines):
                self._report(number, line)
        return self._answer(best)

    def _start_helpers(self, searches: list[Iterations]) -> list[threading.Thread]:
        """A thread for each, as far as the system gives any."""
        helpers = []
        for number, searching in enumerate(searches):
            helper = threading.Thread(target=self._help, args=(searching, number), daemon=True)
            try:
                helper.start()
            except RuntimeError as reason:
                self.on_event(Message(f"only {1 + number} threads are searching: {reason}"))
                break
            helpers.append(helper)
        return helpers

    def _plan_time(self) -> None:
        pool = self.pool
        side = int(pool.position.side)
        limits, overhead_ms = self.limits, pool.move_overhead_ms
        if pool.node_clock.nodes_per_ms:
            limits, overhead_ms = pool.node_clock.shown(limits, side), 0
        self.budget = budget(limits, side, overhead_ms, pool.ponders)

    def _node_limit(self) -> int:
        """Of each thread."""
        nodes = NO_NODE_LIMIT
        if self.limits.nodes is not None:
            nodes = max(1, self.limits.nodes)
        nodes_per_ms = self.pool.node_clock.nodes_per_ms
        if nodes_per_ms and self.budget.hard_ms is not None:
            nodes = min(nodes, max(1, int(self.budget.hard_ms * nodes_per_ms)))
        return max(1, nodes // len(self.pool.threads))

    def _nodes(self) -> int:
        return sum(int(thread.nodes) for thread in self.pool.threads)

    def _spent_ms(self) -> float:
        """What counts against the soft limit: time, or nodes in its place."""
        nodes_per_ms = self.pool.node_clock.nodes_per_ms
        return self._nodes() / nodes_per_ms if nodes_per_ms else self.elapsed_ms()

    def _ask_tables(self, moves: list[int]) -> list[int]:
        """The root moves to search, if endgame tables know them the best ones only."""
        pool = self.pool
        main = pool.threads[0]
        for problem in pool.prepare_tables(self._has_no_time_to_open_more):
            self.on_event(Message(problem))
        if self.limits.mate is not None and not mate_is_next(pool.position):
            return moves  # the shortest mate may start with a move that tables like less
        pool.give_tables(self.root_tables.prober, usable=True)
        main.position.copy_from(pool.position)
        return self.root_tables.rank(
            main.position, main.lists, moves, pool.multi_pv, pool.fifty_moves
        )

    def _has_no_time_to_open_more(self) -> bool:
        """Files may be many and slow: those that are not opened now can be at the next move."""
        if self.stopped.is_set():
            return True
        if self.deadline is None:
            return False
        planned_ms = self.budget.soft_ms or self.budget.hard_ms or 0.0
        return self.elapsed_ms() >= OPENING_SHARE * planned_ms

    def _iterate(self, iterations: Iterations) -> bool:
        """Deeper until a limit is reached. False if an iteration was stopped half way."""
        limits = self.limits
        main = self.pool.threads[0]
        last_depth = MAX_DEPTH
        if limits.depth is not None:
            last_depth = max(1, min(limits.depth, MAX_DEPTH))
            if last_depth != limits.depth:
                self.on_event(Message(f"depth {limits.depth} taken as {last_depth}"))
        stable_iterations = 0
        mate_search = None if limits.mate is None else MateSearch(main, max(1, limits.mate))
        for depth in range(1, last_depth + 1):
            before = iterations.lines[0]
            nodes_before = int(main.nodes)
            self.depth = depth
            if not iterations.search(depth, self._report_bound):
                return False
            for number, line in enumerate(iterations.lines):
                self._report(number, line)
            best = iterations.lines[0]
            if mate_search is not None:
                nodes = max(LEAST_MATE_NODES, int(main.nodes) - nodes_before)
                if self._seek_mate(mate_search, iterations, nodes):
                    return True
            same = best.moves[0] == before.moves[0]
            stable_iterations = stable_iterations + 1 if same else 0
            if self.may_answer.is_set() and self.soft_ms is not None:
                drop = before.score - best.score if depth > 1 else 0
                factor = soft_factor(stable_iterations, drop, iterations.best_move_effort())
                if self.single_move or self._spent_ms() >= self.soft_ms * factor:
                    return True
        if mate_search is not None and limits.depth is None:
            while not main.stop:
                if self._seek_mate(mate_search, iterations, MORE_MATE_NODES):
                    return True
        return True

    def _seek_mate(self, mate_search: MateSearch, iterations: Iterations, nodes: int) -> bool:
        """For `go mate`: look whether the usual search has found one, else go on with the search
        that leaves nothing out. True if there is a mate, or certainly none."""
        best = self._by_tables(iterations.lines[0])
        if 0 < MATE - best.score <= 2 * mate_search.most_moves - 1:
            return True
        line = mate_search.advance(nodes)
        if self.stopped.is_set():  # it clears the stop word between its portions
            self.pool.threads[0].stop = 1
        if line is not None:
            iterations.lines[0] = line
            self._report(0, line)
        elif mate_search.disproved:
            self.on_event(Message(f"there is no mate in {mate_search.most_moves}"))
        return line is not None or mate_search.disproved

    def _help(self, iterations: Iterations, number: int) -> None:
        for depth in range(1 + number % 2, MAX_DEPTH + 1):
            if not iterations.search(depth):
                return

    def _wait_for_permission(self) -> None:
        self.may_answer.wait()

    # --- Reports

    def _report_finished_game(self, pos: Position) -> None:
        checked = bool(pos.snapshots[pos.ply].checkers)
        score = Score(mate=0) if checked else Score(centipawns=0)
        self.on_event(SearchInfo(0, 0, 1, score, EXACT, 0, 0, 0, 0, 0, ()))

    def _report_bound(self, number: int, line: Line) -> None:
        if self.elapsed_ms() > CURRENT_MOVE_AFTER_MS:
            self._report(number, line)

    def _report(self, number: int, line: Line) -> None:
        pool = self.pool
        nodes = self._nodes()
        table_hits = len(self.root_tables.ranked) + sum(
            int(thread.table_hits) for thread in pool.threads
        )
        line = self._by_tables(line)
        depth = max(1, line.depth)  # 0: the search was stopped at once
        elapsed_ms = self.elapsed_ms()
        self.on_event(
            SearchInfo(
                depth=depth,
                selective_depth=max(depth, line.selective_depth),
                multi_pv=number + 1,
                score=readable_score(line.score),
                bound=line.bound,
                nodes=nodes,
                nodes_per_second=int(nodes * 1000 / max(elapsed_ms, 1.0)),
                hash_full_per_mille=int(used_per_mille(pool.shared.tt)),
                tablebase_hits=table_hits,
                time_ms=int(elapsed_ms),
                pv=tuple(move_text(move, pool.chess960) for move in line.moves),
                win_draw_loss=win_draw_loss(line.score) if pool.show_wdl else None,
            )
        )

    def _by_tables(self, line: Line) -> Line:
        main = self.pool.threads[0]
        return self.root_tables.completed(line, main.position, main.lists, self.stopped.is_set)

    def _answer(self, line: Line) -> SearchResult:
        chess960 = self.pool.chess960
        line = self._by_tables(line)
        best = line.moves[0]
        reply = line.moves[1] if len(line.moves) > 1 else self._likely_reply(best)
        ponder = move_text(reply, chess960) if reply != NO_MOVE else None
        return SearchResult(move_text(best, chess960), ponder)

    def _likely_reply(self, move: int) -> int:
        """The opponent's answer in the hash table, or else after one ply of search. NO_MOVE only
        when the game is over."""
        thread = self.pool.threads[0]
        pos = thread.position
        make(pos, move)
        stored = int(probe(self.pool.shared.tt, pos.snapshots[pos.ply].key))
        reply = entry_move(stored) if stored else NO_MOVE
        if reply == NO_MOVE or not is_legal(pos, reply):
            reply = NO_MOVE
            answers = legal_moves(pos, thread.lists)
            if answers:
                set_root_moves(thread, answers)
                thread.stop, thread.node_limit = 0, int(thread.nodes) + REPLY_NODES
                searching = Iterations(thread, 1)
                searching.search(1)
                reply = searching.lines[0].moves[0]
        unmake(pos)
        return reply


class ThreadPool:
    """The workers of an engine and what they share."""

    def __init__(self, hash_mb: int, threads: int):
        self.shared = Shared(hash_mb)
        self.position = new_position(self.shared.tables)  # to search; change it only when idle
        self.threads: list[SearchThread] = []
        self.multi_pv = 1
        self.move_overhead_ms = 30
        self.ponders = False  # the GUI may ponder; only `go ponder` does
        self.node_clock = NodeClock()
        self.chess960 = False
        self.show_wdl = False
        self.tables: Tablebase | None = None
        self.table_most_men = MOST_MEN  # tables with more men are not used
        self.table_least_depth = 1  # in a search, for positions with as many men as allowed
        self.fifty_moves = True  # the fifty-move rule can draw what tables win
        self.search: Search | None = None
        threading.stack_size(STACK_BYTES)
        self.resize(threads)

    def resize(self, count: int) -> None:
        while len(self.threads) > count:
            self.threads.pop()
        while len(self.threads) < count:
            self.threads.append(new_thread(self.shared))

    def prepare_tables(self, enough: Callable[[], bool]) -> list[str]:
        """Open the endgame tables that the position can lead to, until it is `enough`; returns what
        is wrong."""
        if self.tables is None:
            return []
        return self.tables.prepare(*pieces_of(self.position), enough)

    def give_tables(self, prober: Prober, usable: bool) -> None:
        """Let a prober use the tables, or none."""
        prober.most_men = 0
        if self.tables is not None and usable:
            prober.tables = self.tables.memory
            prober.most_men = min(self.tables.most_men, self.table_most_men)
        prober.least_depth = self.table_least_depth
        prober.fifty_moves = int(self.fifty_moves)

    def new_game(self) -> None:
        self.shared.clear_hash()
        self.node_clock.new_game()
        for thread in self.threads:
            forget_game(thread)

    def go(
        self,
        limits: Limits,
        on_event: Callable[[SearchEvent], None],
        on_result: Callable[[SearchResult], None],
    ) -> None:
        table = self.shared.tt
        table.generation = (table.generation + 1) % GENERATIONS
        search = Search(self, limits, on_event, on_result)
        self.search = search  # whose callbacks may ask for it
        try:
            threading.Thread(target=search.run, daemon=True).start()
        except RuntimeError:  # the system gives no thread, so nobody will ever deliver a result
            self.search = None
            raise


def readable_score(score: int) -> Score:
    """Centipawns, or full moves to mate."""
    if score >= MATE_IN_RANGE:
        return Score(mate=(MATE - score + 1) // 2)
    if score <= -MATE_IN_RANGE:
        return Score(mate=-((MATE + score + 1) // 2))
    return Score(centipawns=score)
