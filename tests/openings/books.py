"""Small books that tests write themselves."""

from __future__ import annotations

import struct
from pathlib import Path

import chess
import chess.polyglot

from openings.polyglot import raw_move


def write(path: Path, moves: dict[str, dict[str, int]]) -> Path:
    """A book with, for each line in SAN, the weights of the moves that follow it."""
    entries = []
    for line, weights in moves.items():
        board = chess.Board()
        for san in line.split():
            board.push_san(san)
        key = chess.polyglot.zobrist_hash(board)
        for san, weight in weights.items():
            entries.append(pack(key, raw_move(board, board.parse_san(san)), weight))
    path.write_bytes(b"".join(sorted(entries)))
    return path


def pack(key: int, move: int, weight: int) -> bytes:
    return struct.pack(">QHHI", key, move, weight, 0)
