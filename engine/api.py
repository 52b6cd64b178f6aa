"""The engine as a Python object: positions and limits in, events out.

Prints nothing. All methods but `stop` and `ponderhit` belong to one thread, and those that
change something wait for a running search, so stop it first if it may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.board.attack_tables import new_position
from engine.board.draws import repetitions
from engine.board.fen import START, PositionError, set_fen, to_fen
from engine.board.game import push
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.perft import perft
from engine.board.position import MoveLists, Position
from engine.book import BookAnswer, OpeningBook
from engine.chances import factor_shown, material_of
from engine.diagram import board_text, flipped_fen
from engine.eval.choice import CLASSICAL, NETWORK, SHIPPED_NETWORK
from engine.eval.explain import Explanation, explain, explanation
from engine.eval.network.setup import SHIPPED_PATH
from engine.events import Message, SearchEvent, SearchResult
from engine.files import expanded
from engine.levels import with_book_of_level
from engine.limits import Limits
from engine.machine import check_hash, most_threads
from engine.search.params import tunables
from engine.search.reductions import fill_reductions
from engine.search.state import SearchThread
from engine.settings import Settings
from engine.threads.pool import ThreadPool
from engine.threads.search import Search

__all__ = ["Engine", "PositionError"]


class Engine:
    """A chess engine with one current position. Keywords are settings (engine/settings.py).

    >>> engine = Engine(hash_mb=64)
    >>> engine.set_position(None, ["e2e4"])
    >>> engine.go(Limits(depth=5), print)
    """

    def __init__(self, **settings: Any) -> None:
        self._pool = ThreadPool(Settings(**settings))
        self._search: Search | None = None
        self._lists = MoveLists()
        self._scratch = new_position(self._pool.shared.tables)  # free between calls
        self.book = OpeningBook()
        self._pondering_on_book = False  # it answers when the expected move is played
        self._ponder_hit = False
        self._fen = ""  # the position comes from this FEN and these moves
        self._moves: tuple[str, ...] = ()
        self.set_position(None, ())
        self.set_tablebases("")

    # --- Settings

    @property
    def settings(self) -> Settings:
        """Change them with `configure`."""
        return self._pool.settings

    def configure(self, **changes: Any) -> str | None:
        """Change settings, named as in engine/settings.py. A running search keeps its own.

        Returns what the user should know: that the machine bears fewer threads. Raises TypeError
        for an unknown name, ValueError for a value out of its range, MemoryError if the hash or
        the threads do not fit; nothing is changed then.
        """
        old = self.settings
        new = replace(old, **changes)
        remark = None
        if new.threads > (most := most_threads(SearchThread.size)):
            remark = f"{new.threads} are too many for this machine, taken as {most}"
            new = replace(new, threads=most)
        if (new.hash_mb, new.threads, new.chess960) != (old.hash_mb, old.threads, old.chess960):
            self.wait()
        if new.hash_mb != old.hash_mb:
            check_hash(new.hash_mb)
        self._pool.resize(new.threads)
        try:
            if new.hash_mb != old.hash_mb:
                self._pool.shared.resize_hash(new.hash_mb)
        except MemoryError:
            self._pool.resize(old.threads)
            raise
        if new.nodes_per_ms != old.nodes_per_ms:
            self._pool.node_clock.new_game()
        self._pool.position.chess960 = int(new.chess960)
        self._pool.settings = new
        return remark

    def set_tunable(self, name: str, value: int) -> None:
        """Change a constant of the search; see engine/search/params.py.

        Raises ValueError if there is no such constant, or for a value outside its range.
        """
        allowed = tunables().get(name)
        if allowed is None:
            raise ValueError(f"{name} is no constant of the search")
        if not allowed.minimum <= value <= allowed.maximum:
            raise ValueError(f"{name} must be {allowed.minimum} to {allowed.maximum}, not {value}")
        self.wait()
        setattr(self._pool.shared.params, name, value)
        fill_reductions(self._pool.shared.reduction_table, self._pool.shared.params)

    def set_tablebases(self, path: str) -> list[str]:
        """Use the Syzygy tablebases in these folders, separated by `;` or `:`, and the built-in
        ones for what they lack.

        Returns remarks for the user: how many tables it found, and problems with them.
        """
        self.wait()
        return self._pool.tablebases.use(path)

    def clear_hash(self) -> None:
        self.wait()
        self._pool.shared.clear_hash()

    # --- Evaluation

    @property
    def start_problem(self) -> str:
        """Why the engine does not use its default evaluation; usually empty."""
        reason = self._pool.shared.evaluation.problem
        return f"{reason}; using the {CLASSICAL} evaluation" if reason else ""

    def set_network(self, path: str) -> str:
        """Load a network; SHIPPED_NETWORK or an empty path: the built-in one. Forgets the game.

        Returns a remark for the user. Raises ValueError with the reason, and then keeps the old
        network.
        """
        self.wait()
        evaluation = self._pool.shared.evaluation
        chosen = SHIPPED_PATH if path in ("", SHIPPED_NETWORK) else expanded(path)
        evaluation.load_network(chosen)
        self._pool.new_game()
        unused = "" if evaluation.chosen == NETWORK else f", but Evaluation is {CLASSICAL}"
        return f"{chosen.name} loaded{unused}"

    @property
    def evaluation(self) -> str:
        """NETWORK or CLASSICAL."""
        return self._pool.shared.evaluation.chosen

    def set_evaluation(self, evaluation: str) -> str | None:
        """NETWORK or CLASSICAL. If it cannot be used, returns why and changes nothing."""
        self.wait()
        before = self._pool.shared.evaluation.chosen
        try:
            self._pool.shared.evaluation.choose(evaluation)
        except ValueError as reason:
            return f"{reason}; using the {before} evaluation"
        if evaluation != before:
            self._pool.new_game()
        return None

    # --- Positions

    def new_game(self) -> None:
        """Forget the results of earlier searches; keep the position."""
        self.wait()
        self._pool.new_game()

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a position and play moves on it. None is the start position.

        Raises PositionError with the reason, and then keeps the last good position.
        """
        self.wait()
        fen = fen or START
        moves = tuple(moves)
        known = len(self._moves)
        # A GUI sends the whole game with every move: usually only the last moves are new.
        if fen == self._fen and moves[:known] == self._moves:
            pos = self._scratch_copy()
            new_moves = moves[known:]
        else:
            pos = self._scratch
            set_fen(pos, fen, self.settings.chess960)
            new_moves = moves
        for text in new_moves:
            move = parse_move(pos, self._lists, text)
            if move == NO_MOVE:
                raise PositionError(f"{text[:20]!r} is not a legal move in {to_fen(pos)}")
            push(pos, move)
        self._pool.position.copy_from(pos)
        self._fen, self._moves = fen, moves

    def _scratch_copy(self) -> Position:
        """The current position, to play moves on."""
        self._scratch.copy_from(self._pool.position)
        return self._scratch

    def fen(self) -> str:
        return to_fen(self._pool.position)

    def flip(self) -> None:
        """The same position with the colours exchanged."""
        self.set_position(flipped_fen(self._pool.position), ())

    def legal_moves(self) -> list[str]:
        moves = legal_moves(self._pool.position, self._lists)
        return [move_text(move, self.settings.chess960) for move in moves]

    def repetitions(self) -> int:
        """How often the current position occurred earlier in the game."""
        return int(repetitions(self._pool.position))

    # --- Searching

    def go(self, limits: Limits, on_event: Callable[[SearchEvent], None]) -> None:
        """Start a search and return at once.

        `on_event` receives what the search reports (engine/events.py), in order; a SearchResult
        comes exactly once, and last. The calls come from other threads or, if the book has a move
        or hardly any time is left, before this method returns: hold no lock that they need.
        """
        self.wait()
        answer = self._book_answer(limits)
        self._ponder_hit = False
        self._pondering_on_book = limits.ponder and answer.result is not None

        def from_book() -> None:
            for remark in answer.remarks:
                on_event(Message(remark))
            if answer.result is not None:
                on_event(answer.result)

        def from_search(event: SearchEvent) -> None:
            is_result = isinstance(event, SearchResult)
            if is_result and self._pondering_on_book and self._ponder_hit:
                from_book()
            else:
                on_event(event)

        if not self._pondering_on_book:
            from_book()
        if answer.result is None or limits.ponder:
            self._search = Search(self._pool, limits, from_search)
            self._search.start()

    def _book_answer(self, limits: Limits) -> BookAnswer:
        if not self.book.answers(limits, self.settings):
            return BookAnswer()
        pos = self._scratch_copy()
        settings = with_book_of_level(self.settings)
        return self.book.answer(pos, self._lists, self._fen, self._moves, settings)

    def stop(self) -> None:
        """End the search; its result follows. Harmless when there is no search."""
        search = self._search
        if search is not None:
            search.stop()

    def ponderhit(self) -> None:
        """The opponent played the expected move. If the book has a move, it answers now."""
        search = self._search
        if search is not None:
            self._ponder_hit = True
            search.ponderhit()
            if self._pondering_on_book:
                search.stop()

    def wait(self) -> None:
        """Return when the running search, if any, has delivered its result."""
        search = self._search
        if search is not None:
            search.delivered.wait()

    @property
    def searching(self) -> bool:
        search = self._search
        return search is not None and not search.delivered.is_set()

    # --- Looking at the position

    def perft(self, depth: int) -> list[tuple[str, int]]:
        """Leaves of the game tree `depth` plies down, for each legal move."""
        self.wait()
        pos = self._scratch_copy()
        counts = []
        for move in legal_moves(pos, self._lists) if depth > 0 else []:
            make(pos, move)
            leaves = int(perft(pos, self._lists, depth - 1, 1))
            counts.append((move_text(move, self.settings.chess960), leaves))
            unmake(pos)
        return counts

    def board_text(self) -> str:
        opening = self.book.opening(self._fen, self._moves)
        text = board_text(self._pool.position)
        return f"{text}\nOpening: {opening}" if opening else text

    def eval_text(self) -> str:
        return explain(self._pool.position, self._pool.threads[0].evaluator)

    def explanation(self) -> Explanation:
        """What the static evaluation is made of, in the units of a search's scores."""
        self.wait()
        pos = self._pool.position
        here = explanation(pos, self._pool.threads[0].evaluator)
        return here.scaled(factor_shown(material_of(pos)))
