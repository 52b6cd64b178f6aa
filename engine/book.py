"""The opening book of the engine: which book it uses, when it answers, and with which move.

python-chess is imported only when a book is opened, so that an engine without one starts sooner.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.board.draws import repetitions
from engine.board.makemove import make, unmake
from engine.board.move import NO_MOVE
from engine.board.notation import legal_moves, move_text, parse_among
from engine.board.position import MoveLists, Position
from engine.events import Message, SearchEvent, SearchResult
from engine.files import expanded
from engine.limits import Limits
from engine.settings import Settings
from openings import SHIPPED_BOOK, SHIPPED_BOOK_PATH

if TYPE_CHECKING:
    from openings.game import NamedGame
    from openings.polyglot import Book


class _Candidate(NamedTuple):
    move: int
    weight: int


class OpeningBook:
    """The open book, and the game so far. Closed until it is enabled."""

    def __init__(self, chance: random.Random | None = None) -> None:
        self._chance = chance or random.Random()
        self.enabled = False  # changed by `enable`
        self.file = SHIPPED_BOOK  # changed by `set_file`
        self._book: Book | None = None
        self._game: NamedGame | None = None

    # --- Opening and closing

    @property
    def is_open(self) -> bool:
        """Whether it can answer: it is enabled and its file could be read."""
        return self._book is not None

    def enable(self, enabled: bool) -> str | None:
        """Open or close the book; returns what the user should know."""
        self.enabled = enabled
        return self._reopen()

    def set_file(self, file: str) -> str | None:
        """A path; SHIPPED_BOOK or nothing is the book of the package.

        It is opened only if the book is enabled. Returns what the user should know.
        """
        self.file = file or SHIPPED_BOOK
        return self._reopen()

    def _reopen(self) -> str | None:
        self._close()
        if not self.enabled:
            return None
        from openings.game import NamedGame
        from openings.polyglot import Book

        try:
            path = SHIPPED_BOOK_PATH if self.file == SHIPPED_BOOK else expanded(self.file)
            self._book = Book(path)
            # Now, not on the clock: reading the names, and the first use of everything.
            self._game = self._game or NamedGame()
            self._book.entries(self._game.follow(None, ()) or 0)
        except ValueError as reason:  # BookError, or a path that cannot be expanded
            return self._without_book(reason)
        return f"{len(self._book)} moves in {path.name}"

    def _close(self) -> None:
        if self._book is not None:
            self._book.close()
            self._book = None

    def _without_book(self, reason: object) -> str:
        """Close the book; returns what the user should know."""
        self._close()
        return f"{reason}; the engine searches instead"

    # --- The game

    def opening(self, fen: str, moves: Sequence[str]) -> str | None:
        """Code and name of the last named position of the game, None if there was none."""
        from openings.game import NamedGame

        self._game = self._game or NamedGame()
        self._game.follow(fen, moves)
        return str(self._game.opening) if self._game.opening else None

    def answer(
        self,
        limits: Limits,
        settings: Settings,
        pos: Position,
        lists: MoveLists,
        fen: str,
        moves: Sequence[str],
    ) -> list[SearchEvent]:
        """Messages and, if the book has a move for `pos`, the position after `moves` from `fen`, a
        SearchResult. Nothing if the user wants analysis rather than a move to play."""
        if self._book is None or self._game is None:
            return []
        if settings.analyse_mode or limits.asks_for_analysis:
            return []
        if pos.fullmove_number > settings.book_most_moves:
            return []
        key = self._game.follow(fen, moves)
        if key is None:
            return []
        candidates, remarks = self._candidates(self._book, key, pos, lists)
        if not candidates:
            return [Message(remark) for remark in remarks]
        from openings.polyglot import BookError, choose

        weights = [candidate.weight for candidate in candidates]
        variety = 0 if settings.book_best_move else settings.book_variety
        chess960 = settings.chess960
        chosen = candidates[choose(weights, variety, self._chance)].move
        remarks.append(self._described(candidates, chess960))
        text = move_text(chosen, chess960)
        ponder = None
        try:
            ponder = self._expected_reply(self._book, pos, lists, chosen, chess960)
        except BookError as reason:  # the move itself was read before
            remarks.append(self._without_book(reason))
        return [*(Message(remark) for remark in remarks), SearchResult(text, ponder)]

    def _candidates(
        self, book: Book, key: int, pos: Position, lists: MoveLists
    ) -> tuple[list[_Candidate], list[str]]:
        """The moves that may be played, and remarks about those that may not."""
        from openings.polyglot import BookError

        try:
            entries = book.entries(key)
        except BookError as reason:
            return [], [self._without_book(reason)]
        candidates = []
        remarks = []
        legal = legal_moves(pos, lists)
        for entry in entries:
            move = parse_among(legal, entry.move)
            if move == NO_MOVE:
                remarks.append(f"{book.path.name} contains the illegal move {entry.move} here")
            elif entry.weight > 0 and _repeats(pos, move):
                remarks.append(f"book move {entry.move} skipped: it repeats the position")
            elif entry.weight > 0:
                candidates.append(_Candidate(move, entry.weight))
        if entries and not candidates and not remarks:
            remarks.append(f"{book.path.name} contains only moves of weight 0 here")
        return candidates, remarks

    def _described(self, candidates: list[_Candidate], chess960: bool) -> str:
        total = sum(candidate.weight for candidate in candidates)
        moves = [
            f"{move_text(candidate.move, chess960)} {candidate.weight}"
            f" ({100 * candidate.weight / total:.0f}%)"
            for candidate in sorted(candidates, key=lambda candidate: -candidate.weight)
        ]
        opening = self._game.opening if self._game is not None else None
        return f"book: {opening or 'no named opening'}: {', '.join(moves)}"

    def _expected_reply(
        self, book: Book, pos: Position, lists: MoveLists, move: int, chess960: bool
    ) -> str | None:
        """The book's best answer to a move of its own. Raises BookError."""
        assert self._game is not None
        entries = book.entries(self._game.key_after(move_text(move, chess960)))
        make(pos, move)
        legal = legal_moves(pos, lists)
        unmake(pos)
        replies = [
            (entry.weight, reply)
            for entry in entries
            if entry.weight > 0 and (reply := parse_among(legal, entry.move)) != NO_MOVE
        ]
        if not replies:
            return None
        _, best = max(replies, key=lambda reply: reply[0])
        return move_text(best, chess960)


def _repeats(pos: Position, move: int) -> bool:
    """Does the move repeat a position of this game?"""
    if pos.snapshots[pos.ply].reversible_plies < 3:
        return False  # at the soonest the fourth reversible ply does
    make(pos, move)
    repeated = int(repetitions(pos)) > 0
    unmake(pos)
    return repeated
