"""The engine for Python programs, which import it with `from wadjet import Engine`.

A thin layer over engine/api.py: it takes positions of python-chess, and a search can be waited for,
iterated over or awaited.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from engine import api
from engine.events import Message, Score, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits

if TYPE_CHECKING:
    import chess

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """What a search found. Moves are in UCI notation."""

    best_move: str | None  # None: the game is over
    ponder: str | None  # the reply that the engine expects
    lines: tuple[SearchInfo, ...]  # the best line first; empty if the book answered
    messages: tuple[str, ...]  # remarks, for example about ignored moves

    @property
    def score(self) -> Score | None:
        """Of the best line, for the side to move; None if the book answered."""
        return self.lines[0].score if self.lines else None

    @property
    def pv(self) -> tuple[str, ...]:
        """The best line, from the best move on."""
        return self.lines[0].pv if self.lines else ()

    @property
    def depth(self) -> int:
        """Plies of the last iteration; 0 if the book answered."""
        return self.lines[0].depth if self.lines else 0


class Infos:
    """A search that runs in the background, and what it reports.

    An iterator over each SearchInfo as it arrives; `async for` works too. `answer()` waits for the
    end, and so does `await`. Leaving it as a context manager stops the search.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._changed = threading.Condition()  # guards the rest
        self._infos: list[SearchInfo] = []
        self._next = 0  # of the iteration
        self._lines: dict[int, SearchInfo] = {}
        self._messages: list[str] = []
        self._result: SearchResult | None = None

    def listen(self, event: SearchEvent) -> None:
        """Take in an event of the search; from any thread."""
        with self._changed:
            match event:
                case SearchInfo():
                    self._infos.append(event)
                    self._lines[event.multi_pv] = event
                case Message():
                    self._messages.append(event.text)
                case SearchResult():
                    self._result = event
            self._changed.notify_all()

    def stop(self) -> None:
        """End the search; it keeps what it found."""
        if not self.done:
            self._stop()

    @property
    def done(self) -> bool:
        return self._result is not None

    def answer(self, timeout_s: float | None = None) -> Answer:
        """Wait for the end of the search. Raises TimeoutError if it takes longer than `timeout_s`;
        it goes on then. Ctrl-C stops it."""
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: self.done, timeout_s):
                    raise TimeoutError(f"the search has not ended within {timeout_s} s")
                assert self._result is not None
                lines = tuple(self._lines[number] for number in sorted(self._lines))
                best_move, ponder = self._result.best_move, self._result.ponder
                return Answer(best_move, ponder, lines, tuple(self._messages))
        except KeyboardInterrupt:
            self.stop()
            raise

    def __iter__(self) -> Iterator[SearchInfo]:
        return self

    def __next__(self) -> SearchInfo:
        info = self._take()
        if info is None:
            raise StopIteration
        return info

    def _take(self) -> SearchInfo | None:
        """The next info, awaited; None after the last."""
        with self._changed:
            self._changed.wait_for(lambda: self._next < len(self._infos) or self.done)
            if self._next == len(self._infos):
                return None
            self._next += 1
            return self._infos[self._next - 1]

    def __aiter__(self) -> AsyncIterator[SearchInfo]:
        return self

    async def __anext__(self) -> SearchInfo:
        info = await self._elsewhere(self._take)
        if info is None:
            raise StopAsyncIteration
        return info

    def __await__(self) -> Generator[Any, None, Answer]:
        return self._elsewhere(self.answer).__await__()

    async def _elsewhere(self, waiting: Callable[[], T]) -> T:
        """Wait in another thread, so that the event loop goes on. Cancelling stops the search."""
        import asyncio

        try:
            return await asyncio.to_thread(waiting)
        except asyncio.CancelledError:
            self.stop()
            raise

    def __enter__(self) -> Infos:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Setting(Generic[T]):
    """An attribute of Options that is a setting of engine/settings.py."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, options: None, owner: type) -> _Setting[T]: ...
    @overload
    def __get__(self, options: Options, owner: type) -> T: ...
    def __get__(self, options: Options | None, owner: type) -> _Setting[T] | T:
        return self if options is None else getattr(options.engine.settings, self._name)

    def __set__(self, options: Options, value: T) -> None:
        remark = options.engine.configure(**{self._name: value})
        if remark is not None:
            warnings.warn(remark, stacklevel=2)


class Options:
    """The options of an engine: read and assign them. They apply from the next search on.

    engine/settings.py has their meanings, defaults and ranges. Raises TypeError for a value of the
    wrong type and ValueError for one out of range, both with the reason, and changes nothing then.
    """

    __slots__ = ("engine",)  # a misspelt name must not pass for an option

    hash_mb = _Setting[int]()
    threads = _Setting[int]()
    multi_pv = _Setting[int]()
    move_overhead_ms = _Setting[int]()
    ponder = _Setting[bool]()
    nodes_per_ms = _Setting[int]()
    chess960 = _Setting[bool]()
    show_wdl = _Setting[bool]()
    analyse_mode = _Setting[bool]()
    limit_strength = _Setting[bool]()
    elo = _Setting[int]()
    skill_level = _Setting[int]()
    tablebase_most_men = _Setting[int]()
    tablebase_least_depth = _Setting[int]()
    tablebase_fifty_moves = _Setting[bool]()
    book_best_move = _Setting[bool]()
    book_most_moves = _Setting[int]()
    book_variety = _Setting[int]()

    def __init__(self, engine: api.Engine) -> None:
        self.engine = engine

    @property
    def evaluation(self) -> str:
        """`network` or `classical`."""
        return self.engine.evaluation

    @evaluation.setter
    def evaluation(self, evaluation: str) -> None:
        if reason := self.engine.set_evaluation(evaluation):
            raise ValueError(reason)

    @property
    def own_book(self) -> bool:
        """Whether `play` uses the opening book."""
        return self.engine.book.enabled

    @own_book.setter
    def own_book(self, enabled: bool) -> None:
        if not isinstance(enabled, bool):
            raise TypeError(f"own_book must be bool, not {type(enabled).__name__}")
        self._use_book(self.engine.book.enable(enabled))

    @property
    def book_file(self) -> str:
        """The path of a Polyglot book, or the name of the built-in one."""
        return self.engine.book.file

    @book_file.setter
    def book_file(self, file: str) -> None:
        self._use_book(self.engine.book.set_file(file))

    def _use_book(self, remark: str | None) -> None:
        book = self.engine.book
        if book.enabled and not book.is_open:
            book.enable(False)
            raise ValueError(remark)


class Engine(api.Engine):
    """A chess engine with one current position. Keywords are settings (engine/settings.py).

    >>> with Engine(hash_mb=4) as engine:
    ...     engine.set_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    ...     answer = engine.analyse(Limits(depth=3))
    >>> answer.best_move, answer.score.mate
    ('a1a8', 1)

    An engine belongs to one thread; only `stop` may be called from others. While it searches,
    other threads of the program run.
    """

    def __init__(self, **settings: Any) -> None:
        self._closed = False
        self._needs_stop = False  # the search that was started last does not end by itself
        self._ends_after_ponderhit = True
        super().__init__(**settings)
        self.options = Options(self)

    # --- Positions

    def set_position(
        self, position: str | chess.Board | None = None, moves: Sequence[str | chess.Move] = ()
    ) -> None:
        """Set up a FEN, or a board of python-chess with its game, and play moves on it. None is
        the start position. A board also sets the option chess960.

        Raises PositionError with the reason, and then keeps the last good position.
        """
        if position is None or isinstance(position, str):
            super().set_position(position, [str(move) for move in moves])
            return
        fen = _root_fen(position)
        moves = [*position.move_stack, *moves]
        chess960 = self.settings.chess960
        self.configure(chess960=position.chess960)
        try:
            super().set_position(fen, [str(move) for move in moves])
        except api.PositionError:
            self.configure(chess960=chess960)
            raise

    def board(self) -> chess.Board:
        """The current position and the game before it, for python-chess."""
        import chess

        board = chess.Board(self._fen, chess960=self.settings.chess960)
        for move in self._moves:
            board.push_uci(move)
        return board

    # --- Searching

    def infos(self, limits: Limits | None = None) -> Infos:
        """Start to analyse and return at once. Without limits, it analyses until `stop`.

        >>> with Engine(hash_mb=4) as engine:
        ...     [info.depth for info in engine.infos(Limits(depth=3))]
        [1, 2, 3]
        """
        analyse_mode = self.settings.analyse_mode
        self.configure(analyse_mode=True)  # a search keeps the settings it started with
        try:
            return self._begin(limits or Limits(infinite=True))
        finally:
            self.configure(analyse_mode=analyse_mode)

    def analyse(self, limits: Limits) -> Answer:
        """Search and return what was found. The book does not answer.

        Raises ValueError for limits that do not end the search.
        """
        _check_ending(limits)
        return self._awaited(self.infos(limits))

    def play(self, limits: Limits) -> Answer:
        """Choose a move as in a game: from the book if it is enabled. Does not make the move.

        Raises ValueError for limits that do not end the search.
        """
        _check_ending(limits)
        return self._awaited(self._begin(limits))

    def _begin(self, limits: Limits) -> Infos:
        infos = Infos(self.stop)
        self.go(limits, infos.listen)
        return infos

    def _awaited(self, infos: Infos) -> Answer:
        answer = infos.answer()
        if answer.best_move is None and self.legal_moves():
            raise RuntimeError("the search failed; its own error is on standard error")
        return answer

    def go(self, limits: Limits, on_event: Callable[[SearchEvent], None]) -> None:
        if self._closed:
            raise RuntimeError("the engine is closed")
        self.wait()
        self._needs_stop = not limits.ends_by_itself
        self._ends_after_ponderhit = replace(limits, ponder=False).ends_by_itself
        super().go(limits, on_event)

    def stop(self) -> None:
        self._needs_stop = False
        super().stop()

    def ponderhit(self) -> None:
        self._needs_stop = self._needs_stop and not self._ends_after_ponderhit
        super().ponderhit()

    def wait(self) -> None:
        """Return when the running search has ended. Raises RuntimeError if it never would."""
        if self._needs_stop and self.searching:
            raise RuntimeError("a search without a limit is running: call stop() first")
        super().wait()

    # --- The end

    def close(self) -> None:
        """Stop a running search and close the book; no search starts after this."""
        self.stop()
        self.wait()
        self.book.enable(False)
        self._closed = True

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Engine at {self.fen()}>"


def _check_ending(limits: Limits) -> None:
    if not limits.ends_by_itself:
        raise ValueError(
            f"{limits} would never end the search: give a depth, nodes, a time or a clock, "
            "or use infos() and stop()"
        )


def _root_fen(board: chess.Board) -> str:
    """The position before the first move of the board's game. Raises PositionError for games
    other than chess."""
    if getattr(board, "uci_variant", None) != "chess":
        kind = getattr(board, "uci_variant", None) or type(board).__name__
        raise api.PositionError(f"Wadjet plays chess and Chess960, not {kind}")
    fen: str = board.root().fen()
    return fen
