"""Plain Python: the tablebases of an engine, and the probers that use them."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.board.position import Position
from engine.files import expanded
from engine.native.bits import popcount
from engine.settings import Settings
from engine.tb.memory import Prober
from engine.tb.scoring import note_root
from tablebases.folders import BUILT_IN, Tablebase, split_path
from tablebases.material import KIND_OF, LETTERS


class TablebaseAccess:
    """No tablebases until `use`."""

    def __init__(self) -> None:
        self._tablebase: Tablebase | None = None

    def use(self, path: str) -> list[str]:
        """Use the Syzygy tablebases in these folders, separated by `;` or `:`, and the built-in
        ones for what they lack.

        Returns remarks for the user: how many tables it found, and problems with them. Raises
        ValueError for `~somebody` who does not exist.
        """
        folders = [expanded(str(folder)) for folder in split_path(path)]
        self._tablebase = Tablebase(folders, BUILT_IN)
        return [self._tablebase.summary(), *self._tablebase.found.problems]

    def prepare(self, pos: Position, enough: Callable[[], bool]) -> list[str]:
        """Open the files that the position can lead to, until `enough()`. Returns problems with
        them."""
        if self._tablebase is None or not self._tablebase.is_near(popcount(pos.occupied)):
            return []
        return self._tablebase.prepare(*pieces_of(pos), enough)

    def open_ahead(self, seconds: float) -> None:
        """Open files for so long, while no clock runs."""
        deadline = time.monotonic() + seconds
        if self._tablebase is not None:
            self._tablebase.open_ahead(lambda: time.monotonic() >= deadline)

    def connect(
        self, prober: Prober, settings: Settings, root: Position, usable: bool = True
    ) -> None:
        """Let a prober use the tablebases as the settings say, or none if not `usable`, in a search
        from the position `root`."""
        prober.most_men = 0
        if self._tablebase is not None and usable:
            prober.tablebases = self._tablebase.memory
            prober.most_men = min(self._tablebase.most_men, settings.tablebase_most_men)
        prober.least_depth = settings.tablebase_least_depth
        prober.fifty_moves = int(settings.tablebase_fifty_moves)
        note_root(prober, root)


def pieces_of(pos: Position) -> tuple[str, str]:
    """White's and Black's pieces, such as KQP and KR."""
    white, black = (
        "".join(letter * int(popcount(kinds[KIND_OF[letter]])) for letter in LETTERS)
        for kinds in pos.pieces
    )
    return white, black
