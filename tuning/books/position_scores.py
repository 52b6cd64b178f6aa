"""Scores of positions by the engine at fixed nodes, saved in a file so that a run can resume.

Each search starts with an empty transposition table, so a score depends on its position alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, TextIO

import chess

from engine.board.notation import move_text
from engine.files import write_text
from engine.scores import MATE
from tuning.selfplay.player import MoveLimit, Player, engine_hash

HASH_MB = 1  # enough for some ten thousand nodes, and quick to clear


class Scored(NamedTuple):
    cp: int  # seen by the side to move; mates as in engine.scores
    best: str  # UCI notation; empty if the game has ended


class PositionScores:
    """Scores by Polyglot key; with a path, kept across runs."""

    def __init__(self, nodes: int, path: Path | None = None) -> None:
        """Raises ValueError unless the file holds scores of this engine at these nodes."""
        self.nodes = nodes
        self.known: dict[int, Scored] = {}
        self._player = Player(HASH_MB)
        self._file: TextIO | None = None
        if path is not None:
            self._open(path)

    def _open(self, path: Path) -> None:
        origin = f"scores of engine {engine_hash()} at {self.nodes} nodes"
        head = f"# {origin}: key, centipawns, best move\n"
        if path.exists():
            data = path.read_bytes()
            if not data.startswith(head.encode()):
                first = data[:90].decode("ascii", "replace").partition("\n")[0]
                raise ValueError(f"{path} does not hold {origin}, but begins with {first!r}")
            # A run that was killed may have left half a line.
            complete = data[: data.rindex(b"\n") + 1]
            os.truncate(path, len(complete))
            for number, row in enumerate(complete.split(b"\n")[1:-1], 2):
                try:
                    key, cp, best = row.decode("ascii").split(" ")
                    self.known[int(key, 16)] = Scored(int(cp), best)
                except ValueError:
                    raise ValueError(f"{path}, line {number}: not a score: {row[:40]!r}") from None
        else:
            write_text(path, head)
        # The same bytes on every system, because a half-written line is cut off by byte count.
        self._file = path.open("a", encoding="ascii", newline="\n", buffering=1)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def score(self, key: int, board: chess.Board) -> Scored:
        """The score of the position `board`, whose key is `key`."""
        if key not in self.known:
            scored = self.known[key] = self._search(board)
            if self._file is not None:
                self._file.write(f"{key:016x} {scored.cp} {scored.best}\n")
        return self.known[key]

    def _search(self, board: chess.Board) -> Scored:
        self._player.start(board.fen())
        if not any(board.legal_moves):
            return Scored(-MATE if board.is_check() else 0, "")
        move, score = self._player.search(MoveLimit(nodes=self.nodes))
        return Scored(score, move_text(move, chess960=False))
