"""Positions of games of people, and the moves that they chose there, by their rating."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import chess

BANDS = ((1000, 1400), (1400, 1700), (1700, 2000), (2000, 2300), (2300, 2500), (2500, 2900))
FIRST_PLY = 12  # before it people play what they have learned
LAST_PLY = 100
KEPT_OF_A_GAME = 6


@dataclass(frozen=True)
class Choice:
    """A position, as the moves that led to it, and the move that somebody chose."""

    before: tuple[str, ...]  # in UCI notation, from the usual position
    move: str


def read_positions(path: Path, most: int) -> dict[tuple[int, int], list[Choice]]:
    """Up to `most` choices for each band of ratings, from a table of games:
    names, ratings, date, result and the moves in SAN."""
    found: dict[tuple[int, int], list[Choice]] = {band: [] for band in BANDS}
    chance = Random(1)
    games = list(_games(path))
    chance.shuffle(games)
    for elos, sans in games:
        wanted = {
            side: band
            for side, elo in enumerate(elos)
            for band in BANDS
            if band[0] <= elo < band[1] and len(found[band]) < most
        }
        if not wanted:
            continue
        moves = _moves(sans)
        for side, band in wanted.items():
            plies = [ply for ply in range(FIRST_PLY, min(len(moves), LAST_PLY)) if ply % 2 == side]
            for ply in chance.sample(plies, min(len(plies), KEPT_OF_A_GAME)):
                found[band].append(Choice(tuple(moves[:ply]), moves[ply]))
    return {band: choices[:most] for band, choices in found.items()}


def _games(path: Path) -> Iterator[tuple[tuple[int, int], str]]:
    """Ratings, 0 if unknown, and moves of the games whose players are rated."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#") or len(fields) != 7:
                continue
            white, black = (int(text) if text.isdigit() else 0 for text in fields[2:4])
            if white or black:
                yield (white, black), fields[6]


def _moves(sans: str) -> list[str]:
    """The moves in UCI notation, up to the first that is not legal."""
    board = chess.Board()
    moves = []
    for san in sans.split()[:LAST_PLY]:
        try:
            moves.append(board.push_san(san).uci())
        except ValueError:
            break
    return moves
