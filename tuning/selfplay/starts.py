"""Start positions for games: from a file of openings, or by random moves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Protocol

import chess

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import set_fen, to_fen
from engine.board.game import push
from engine.board.notation import legal_moves
from engine.board.position import Position
from openings.game_text import split_games, text_lines
from openings.pgn import read_games
from tuning.selfplay.player import MoveLimit, Player

LARGEST_SCORE = 300  # centipawns, of a start by random moves


class Starts(Protocol):
    """Where games begin."""

    def choose(self, random: Random) -> str:
        """A FEN that depends on nothing else."""
        ...


class Book:
    """The openings of an EPD or FEN file, a position a line, or of a PGN file, a game each;
    repeated ones count once.

    A PGN game stands for the position at its end. An opening is parsed when it is used.
    """

    def __init__(self, path: Path):
        """Raises OSError, and ValueError for a file without openings."""
        self.path = path
        self._is_pgn = path.suffix.lower() == ".pgn"
        if self._is_pgn:
            self._texts = list(_games(path))
        else:
            text = path.read_text(encoding="utf-8", errors="replace")
            lines = enumerate(map(str.strip, text.splitlines()), 1)
            self._texts = [(at, line) for at, line in lines if line and not line.startswith("#")]
        unlike = {self._what_counts(text): (at, text) for at, text in reversed(self._texts)}
        self._texts = list(unlike.values())[::-1]
        if not self._texts:
            raise ValueError(f"{path}: no openings")

    def _what_counts(self, text: str) -> str:
        """What tells openings apart: of EPD and FEN the men, the side to move, the rights and the
        halfmove clock. Programs write the rest or leave it out."""
        if self._is_pgn:
            return text
        fields = _first_fields(text).split()
        return " ".join([*fields[:3], *(fields[4:5] or ["0"])])

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, index: int) -> str:
        """The FEN of opening `index`. ValueError names file and place if it is broken."""
        line, text = self._texts[index]
        try:
            fen = _end_of_game(text) if self._is_pgn else _first_fields(text)
            set_fen(_scratch(), fen)
        except ValueError as reason:
            place = f"{self.path}:{line}: opening {index + 1}"
            raise ValueError(f"{place}: {reason}") from reason
        return fen

    def choose(self, random: Random) -> str:
        return self[random.randrange(len(self))]


@cache
def _scratch() -> Position:
    """A position to validate FENs on."""
    return new_position(new_attack_tables())


def _games(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each game, without what an opening does not need. Raises ValueError."""
    with path.open("rb") as file:
        for number, game in enumerate(split_games(text_lines(file)), 1):
            if game.faults:
                line, reason, _ = game.faults[0]
                raise ValueError(f"{path}:{line}: opening {number}: {reason}")
            tags = [
                f'[{name} "{game.tags[name]}"]' for name in ("FEN", "Variant") if name in game.tags
            ]
            yield game.line, "\n".join([*tags, *game.words])


def _end_of_game(text: str) -> str:
    found = next(read_games(text.encode()))
    if reason := found.refused or next((fault.text for fault in found.faults), ""):
        raise ValueError(reason)
    return found.game.end().board().fen()


def _first_fields(line: str) -> str:
    """The position of an EPD line, with its clocks where a FEN has them."""
    fields = line.split(";")[0].split()
    position = fields[:4]
    if len(fields) >= 6 and fields[4].isdigit() and fields[5].isdigit():
        position = fields[:6]
    return " ".join(position)


class RandomStarts:
    """Positions after random moves from the usual one, not yet finished or decided: a short search
    scores them LARGEST_SCORE at most.

    Args:
        plies: number of random moves; half of the time one more, so that either side moves first.
        chess960: begin from one of the 960 positions of Chess960; castling rights are then files.
    """

    def __init__(self, plies: int = 8, chess960: bool = False):
        self.plies = plies
        self.chess960 = chess960
        self._player = Player(hash_mb=1)

    def choose(self, random: Random) -> str:
        player = self._player
        while True:
            player.start(self._first(random), self.chess960)
            pos = player.position
            for _ in range(self.plies + random.randrange(2)):
                moves = legal_moves(pos, player.worker.lists)
                if not moves:
                    break
                push(pos, random.choice(moves))
            moves = legal_moves(pos, player.worker.lists)
            if not moves:
                continue
            _, score = player.search(MoveLimit(nodes=1000))
            if abs(score) <= LARGEST_SCORE:
                return to_fen(pos)

    def _first(self, random: Random) -> str:
        if self.chess960:
            return chess.Board.from_chess960_pos(random.randrange(960)).shredder_fen()
        return chess.STARTING_FEN
