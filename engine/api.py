"""The engine as a Python object: positions and limits in, events and results out.

Prints nothing. All methods but `stop` and `ponderhit` belong to one thread, and those that
change something wait for a running search, so stop it first if it may be long.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from engine.board.attack_tables import new_position
from engine.board.draws import repetitions
from engine.board.fen import START, PositionError, set_fen, to_fen
from engine.board.game import push
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.perft import perft
from engine.board.position import MoveLists
from engine.book import BookAnswer, OpeningBook
from engine.diagram import board_text, flipped_fen
from engine.eval.explain import explain
from engine.limits import Limits, Message, SearchEvent, SearchResult
from engine.search.reductions import fill_reductions
from engine.threads.search import ThreadPool
from tablebases.folders import BUILT_IN, Tablebase, split_path

__all__ = ["Engine", "PositionError"]

# Of the memory a container may use, where Linux tells them inside of one
CONTAINER_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


class Engine:
    """A chess engine with one current position.

    >>> engine = Engine()
    >>> engine.set_position(None, ["e2e4"])
    >>> engine.go(Limits(depth=5), print, print)
    """

    def __init__(self, hash_mb: int = 16, threads: int = 1) -> None:
        self._pool = ThreadPool(hash_mb, threads)
        self._lists = MoveLists()
        self._hash_mb = hash_mb
        self.analyse_mode = False
        self.book = OpeningBook()
        self._pondering_on_book = False  # it answers when the expected move is played
        self._ponder_hit = False
        self._scratch = new_position(self._pool.shared.tables)
        self._fen: str = ""  # how the scratch position came about
        self._moves: tuple[str, ...] = ()
        self.set_position(None, ())
        if BUILT_IN.is_dir():
            self.set_tablebases("")

    # --- Settings

    @property
    def hash_mb(self) -> int:
        return self._hash_mb

    def resize_hash(self, hash_mb: int) -> None:
        """Raises MemoryError with a reason; the old table is then kept."""
        self.wait()
        most_mb = memory_mb()
        if most_mb is not None and hash_mb > most_mb * 0.9:
            raise MemoryError(f"{hash_mb} MB of hash do not fit into {most_mb} MB of memory")
        try:
            self._pool.shared.resize_hash(hash_mb)
        except MemoryError as error:
            raise MemoryError(f"there is no room for {hash_mb} MB of hash") from error
        self._hash_mb = hash_mb

    @property
    def threads(self) -> int:
        return len(self._pool.threads)

    def set_threads(self, threads: int) -> None:
        self.wait()
        self._pool.resize(threads)

    def clear_hash(self) -> None:
        self.wait()
        self._pool.shared.clear_hash()

    @property
    def multi_pv(self) -> int:
        return self._pool.multi_pv

    @multi_pv.setter
    def multi_pv(self, lines: int) -> None:
        self._pool.multi_pv = lines

    @property
    def move_overhead_ms(self) -> int:
        return self._pool.move_overhead_ms

    @move_overhead_ms.setter
    def move_overhead_ms(self, overhead_ms: int) -> None:
        self._pool.move_overhead_ms = overhead_ms

    @property
    def ponder(self) -> bool:
        """The GUI may ponder, so more of the own time can be spent."""
        return self._pool.ponders

    @ponder.setter
    def ponder(self, ponders: bool) -> None:
        self._pool.ponders = ponders

    @property
    def nodes_per_ms(self) -> int:
        """If not 0, clocks are measured in nodes: so many stand for a millisecond."""
        return self._pool.node_clock.nodes_per_ms

    @nodes_per_ms.setter
    def nodes_per_ms(self, nodes: int) -> None:
        self._pool.node_clock.nodes_per_ms = nodes
        self._pool.node_clock.new_game()

    def set_tunable(self, name: str, value: int) -> None:
        """Change a constant of the search; see engine/search/params.py."""
        self.wait()
        setattr(self._pool.shared.params, name, value)
        fill_reductions(self._pool.shared.reduction_table, self._pool.shared.params)

    @property
    def show_wdl(self) -> bool:
        return self._pool.show_wdl

    @show_wdl.setter
    def show_wdl(self, show: bool) -> None:
        self._pool.show_wdl = show

    @property
    def chess960(self) -> bool:
        """Whether castling is written as king takes rook. Changes the current position too."""
        return self._pool.chess960

    @chess960.setter
    def chess960(self, chess960: bool) -> None:
        self.wait()
        self._pool.chess960 = chess960
        self._scratch.chess960 = self._pool.position.chess960 = int(chess960)

    # --- Endgame tables

    def set_tablebases(self, path: str) -> list[str]:
        """Use the Syzygy tables in these folders, separated by `;` or `:`; none: those built in.

        Returns what the user should know: what was found, and what is wrong with it.
        """
        self.wait()
        self._pool.tables = tables = Tablebase(split_path(path) if path.strip() else [BUILT_IN])
        return [tables.summary(), *tables.found.problems]

    @property
    def table_most_men(self) -> int:
        """Tables with more men are not used; 0: none at all."""
        return self._pool.table_most_men

    @table_most_men.setter
    def table_most_men(self, men: int) -> None:
        self._pool.table_most_men = men

    @property
    def table_least_depth(self) -> int:
        """Plies left that make the largest tables worth probing inside a search."""
        return self._pool.table_least_depth

    @table_least_depth.setter
    def table_least_depth(self, depth: int) -> None:
        self._pool.table_least_depth = depth

    @property
    def table_fifty_moves(self) -> bool:
        """Whether what the fifty-move rule would draw counts as drawn."""
        return self._pool.fifty_moves

    @table_fifty_moves.setter
    def table_fifty_moves(self, counts: bool) -> None:
        self._pool.fifty_moves = counts

    # --- Positions

    def new_game(self) -> None:
        """Forget what earlier searches found; the position stays."""
        self.wait()
        self._pool.new_game()

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a position and play moves on it. None is the start position.

        Raises PositionError with the reason; the last good position is then kept.
        """
        self.wait()
        fen = fen or START
        moves = tuple(moves)
        known = len(self._moves)
        # A GUI sends the whole game with every move: usually only the last moves are new.
        if fen == self._fen and moves[:known] == self._moves:
            new_moves = moves[known:]
        else:
            new_moves = moves
            self._fen, self._moves = "", ()  # until it is known to be good
            set_fen(self._scratch, fen, self.chess960)
            self._fen = fen
        for text in new_moves:
            move = parse_move(self._scratch, self._lists, text)
            if move == NO_MOVE:
                fen_there = to_fen(self._scratch)
                self._fen, self._moves = "", ()
                raise PositionError(f"{text[:20]!r} is not a legal move in {fen_there}")
            push(self._scratch, move)
        self._moves = moves
        self._pool.position.copy_from(self._scratch)

    def fen(self) -> str:
        return to_fen(self._pool.position)

    def flip(self) -> None:
        """The same position with the colours exchanged."""
        self.set_position(flipped_fen(self._pool.position), ())

    def legal_moves(self) -> list[str]:
        moves = legal_moves(self._pool.position, self._lists)
        return [move_text(move, self.chess960) for move in moves]

    def repetitions(self) -> int:
        """How often the current position occurred in the game before."""
        return int(repetitions(self._pool.position))

    # --- Searching

    def go(
        self,
        limits: Limits,
        on_event: Callable[[SearchEvent], None],
        on_result: Callable[[SearchResult], None],
    ) -> None:
        """Start a search and return at once.

        The callbacks come from another thread, unless the book has a move: then they come before
        this returns. `on_result` comes exactly once, and last.
        """
        self.wait()
        answer = self._book_answer(limits)
        self._ponder_hit = False
        self._pondering_on_book = limits.ponder and answer.result is not None

        def from_book() -> None:
            for remark in answer.remarks:
                on_event(Message(remark))
            if answer.result is not None:
                on_result(answer.result)

        def from_search(found: SearchResult) -> None:
            if self._pondering_on_book and self._ponder_hit:
                from_book()
            else:
                on_result(found)

        if not self._pondering_on_book:
            from_book()
        if answer.result is None or limits.ponder:
            self._pool.go(limits, on_event, from_search)

    def _book_answer(self, limits: Limits) -> BookAnswer:
        if self.analyse_mode or not self.book.answers(limits):
            return BookAnswer()
        self._scratch.copy_from(self._pool.position)  # a position that was refused may be there
        fen = self._fen or self.fen()
        return self.book.answer(self._scratch, self._lists, fen, self._moves, self.chess960)

    def stop(self) -> None:
        """Ask for the result now. Harmless when there is no search."""
        search = self._pool.search
        if search is not None:
            search.stop()

    def ponderhit(self) -> None:
        """The opponent played the expected move. The book, if it has an answer, gives it now."""
        search = self._pool.search
        if search is not None:
            self._ponder_hit = True
            search.ponderhit()
            if self._pondering_on_book:
                search.stop()

    def wait(self) -> None:
        """Until the running search, if any, has delivered its result."""
        search = self._pool.search
        if search is not None:
            search.delivered.wait()

    @property
    def searching(self) -> bool:
        search = self._pool.search
        return search is not None and not search.delivered.is_set()

    # --- Looking at the position

    def perft(self, depth: int) -> list[tuple[str, int]]:
        """Leaves of the game tree `depth` plies down, for each legal move."""
        self.wait()
        pos = self._scratch
        pos.copy_from(self._pool.position)
        self._fen, self._moves = "", ()
        counts = []
        for move in legal_moves(pos, self._lists) if depth > 0 else []:
            make(pos, move)
            counts.append(
                (move_text(move, self.chess960), int(perft(pos, self._lists, depth - 1, 1)))
            )
            unmake(pos)
        return counts

    def board_text(self) -> str:
        opening = self.book.opening(self._fen or self.fen(), self._moves)
        text = board_text(self._pool.position)
        return f"{text}\nOpening: {opening}" if opening else text

    def eval_text(self) -> str:
        return explain(self._pool.position, self._pool.threads[0].evaluator)


def memory_mb() -> int | None:
    """What the machine has, or the container may use. None where the system does not tell."""
    try:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    for path in CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # there is none, or it says "max"
            most = min(most, int(Path(path).read_text(encoding="ascii")))
    return most >> 20
