"""A stand-in for engine.api.Engine: instant, controllable, and it records every call.

It knows no chess: every move that looks like one is legal, but for those in ILLEGAL.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engine.events import CurrentMove, Message, Score, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits
from engine.settings import Settings

ILLEGAL = "a1a1"
NO_BOOK = "no book.bin"
BAD_FEN = "8/8/8/8/8/8/8/8 w - - 0 1"


class FakeBook:
    """Remembers what was set; there is one file that is no book."""

    def __init__(self) -> None:
        self.enabled = False
        self.file = ""

    def enable(self, enabled: bool) -> str | None:
        self.enabled = enabled
        return "7 moves" if enabled else None

    def set_file(self, file: str) -> str | None:
        self.file = file
        return "no book" if file == NO_BOOK else None


class FakeEngine:
    def __init__(self) -> None:
        self.book = FakeBook()
        self.calls: list[str] = []  # in order, searches too
        self.settings = Settings()
        self.position: tuple[str | None, tuple[str, ...]] = (None, ())
        self.limits: list[Limits] = []
        self.began = 0.0  # of the last search
        self.may_end = threading.Event()  # clear it to hold back searches that end by themselves
        self.may_end.set()
        self.fail_in: set[str] = set()  # names of methods that raise
        self.search_fails = False  # it ends without a move
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def _note(self, call: str) -> None:
        self.calls.append(call)
        if call.split()[0] in self.fail_in:
            raise ZeroDivisionError(f"{call} fails")

    def configure(self, **changes: Any) -> None:
        self._note("configure " + " ".join(f"{name}={value}" for name, value in changes.items()))
        assert not self.searching or not changes.keys() & {"hash_mb", "threads", "chess960"}
        settings = replace(self.settings, **changes)
        if settings.hash_mb > 100_000:
            raise MemoryError("not that much memory")
        self.settings = settings

    def set_tablebases(self, path: str) -> list[str]:
        self._note(f"set_tablebases {path}")
        assert not self.searching
        return [f"tablebases in {path}"]

    start_problem = ""
    most_threads = 64

    def set_network(self, path: str) -> str:
        self._note(f"set_network {path}")
        assert not self.searching
        return f"{path} loaded"

    def set_evaluation(self, evaluation: str) -> None:
        self._note(f"set_evaluation {evaluation}")
        assert not self.searching

    def clear_hash(self) -> None:
        self._note("clear_hash")
        assert not self.searching

    def set_tunable(self, name: str, value: int) -> None:
        self._note(f"set_tunable {name} {value}")

    def new_game(self) -> None:
        self._note("new_game")
        assert not self.searching

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        self._note(f"set_position {fen} {' '.join(moves)}".strip())
        assert not self.searching
        if fen == BAD_FEN:
            raise ValueError("there is no king")
        if ILLEGAL in moves:
            raise ValueError(f"illegal move {ILLEGAL}")
        self.position = (fen, tuple(moves))

    def go(self, limits: Limits, on_event: Callable[[SearchEvent], None], began: float) -> None:
        self._note("go")
        assert not self.searching
        self.limits.append(limits)
        self.began = began
        self._stop = stop = threading.Event()
        best = f"{chr(97 + len(self.position[1]) % 8)}1b1"  # tells which position was searched

        def search() -> None:
            line = SearchInfo(
                1, 2, 1, Score(centipawns=7), "exact", 20, 1000, 3, 0, 20, (best,), None
            )
            on_event(Message("thinking"))
            on_event(CurrentMove(1, best, 1))
            on_event(line)
            while not stop.wait(0.002) and not (limits.ends_by_itself and self.may_end.is_set()):
                pass
            if self.search_fails:
                on_event(SearchResult(None, error=ZeroDivisionError("crash")))
            else:
                on_event(SearchResult(best, "c7c5"))

        self._thread = threading.Thread(target=search, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.calls.append("stop")
        self._stop.set()

    def ponderhit(self) -> None:
        self._note("ponderhit")
        self._stop.set()

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()

    @property
    def searching(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def legal_moves(self) -> list[str]:
        if "legal_moves" in self.fail_in:
            raise ZeroDivisionError("legal_moves fails")
        return ["h2h3", "h2h4"]

    def perft(self, depth: int) -> list[tuple[str, int]]:
        self._note(f"perft {depth}")
        return [("e2e4", 20), ("d2d4", 22)]

    def flip(self) -> None:
        self._note("flip")

    def board_text(self) -> str:
        self._note("board_text")
        return f"Fen: {self.position[0]}\nKey: 0"

    def eval_text(self) -> str:
        self._note("eval_text")
        return "Total 0.00"
