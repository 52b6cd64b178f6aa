"""What a search found, for Python programs: waited for, iterated over or awaited."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from engine.checked import seconds
from engine.events import Message, Score, SearchEvent, SearchInfo, SearchResult

if TYPE_CHECKING:
    import chess

    from engine.play.search import Search

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """What a search found. Moves are in UCI notation; `move` and `moves` are of python-chess."""

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
    def move(self) -> chess.Move | None:
        """`best_move`."""
        import chess

        return None if self.best_move is None else chess.Move.from_uci(self.best_move)

    @property
    def moves(self) -> list[chess.Move]:
        """`pv`."""
        return self.lines[0].moves if self.lines else []

    @property
    def depth(self) -> int:
        """Plies of the last iteration; 0 if the book answered."""
        return self.lines[0].depth if self.lines else 0


class Infos:
    """A search that runs in the background, and what it reports.

    An iterator over each SearchInfo as it arrives; `async for` works too. `answer()` waits for the
    end, and so does `await`. Leaving it as a context manager stops the search.
    """

    def __init__(self) -> None:
        self.search: Search | None = None  # None: the book has answered
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
        if self.search is not None:
            self.search.stop()

    @property
    def done(self) -> bool:
        return self._result is not None

    def answer(self, timeout_s: float | None = None) -> Answer:
        """Wait for the end of the search. Raises TimeoutError if it takes longer than `timeout_s`;
        it goes on then. Raises what was raised in a search that failed. Ctrl-C stops it."""
        patience = None
        if timeout_s is not None:
            patience = min(seconds("timeout_s", timeout_s), threading.TIMEOUT_MAX)
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: self.done, patience):
                    raise TimeoutError(f"the search has not ended within {timeout_s} s")
                assert self._result is not None
                if self._result.error is not None:
                    raise self._result.error
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
