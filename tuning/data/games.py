"""Games of the engine against itself, and the files that keep them.

A file of games (usually `*.games`) begins with b"WADJGAM1", a uint32 with the length of the JSON
text that follows, and that text: the settings of the games. The games follow:

    uint32    length of what follows the next number
    uint32    CRC-32 of it
    uint32    number of the game in its run
    uint8     result in half points of White
    uint16    length of the start position
    text      the start position, a FEN
    uint16[]  moves as engine.board.move has them
    int16[]   as many scores in centipawns, White's view
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tuning.adjudication import DRAW
from tuning.files import lock

_SHORTEST_GAME = 7  # bytes: its three numbers


@dataclass
class GameRecord:
    """A game: start position, moves, and the scores of the players."""

    fen: str
    moves: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)  # White's view, one for each move
    result: int = DRAW  # half points of White
    reason: str = ""


class GameFile:
    """A file of games, open for appending. A half-written last game is cut off."""

    def __init__(self, path: Path, settings: dict[str, Any]):
        """Raises ValueError if its games have other settings or it is damaged before the end,
        OSError if another process has it open."""
        self.path = path
        self.numbers: set[int] = set()
        self.cut_off_bytes = 0
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - closed by close()
        try:
            lock(self._file, path)
            if path.stat().st_size:
                self._continue(settings)
            else:
                text = json.dumps(settings).encode()
                self._file.write(b"WADJGAM1" + struct.pack("<I", len(text)) + text)
        except BaseException:
            self._file.close()
            raise

    def _continue(self, settings: dict[str, Any]) -> None:
        path = self.path
        stored, end = self._scan()
        if stored != settings:
            changed = [key for key in settings if stored.get(key) != settings[key]]
            raise ValueError(f"{path}: its games were played with another {', '.join(changed)}")
        self.cut_off_bytes = path.stat().st_size - end
        if self.cut_off_bytes:
            if not _is_cut_off(path, end):
                raise ValueError(
                    f"{path}: byte {end}: a damaged game before the end of the file; "
                    f"the file was not changed"
                )
            os.truncate(path, end)

    def _scan(self) -> tuple[dict[str, Any], int]:
        """The settings, and where the last whole game ends."""
        settings = read_settings(self.path)
        end = 0
        for number, _, game_end in _whole_games(self.path):
            end = game_end
            if number >= 0:
                self.numbers.add(number)
        return settings, end

    def add(self, number: int, game: GameRecord) -> None:
        """Append a game. After an error, such as a full disk, the file is as before."""
        fen = game.fen.encode()
        body = struct.pack("<IBH", number, game.result, len(fen)) + fen
        body += np.array(game.moves, "<u2").tobytes()
        body += np.array(game.scores, "<i2").tobytes()
        data = struct.pack("<II", len(body), zlib.crc32(body)) + body
        end = self._file.tell()
        try:
            written = self._file.write(data)
            if written != len(data):
                raise OSError(f"{self.path}: the disk is full")
        except OSError:
            os.truncate(self.path, end)
            raise
        self.numbers.add(number)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> GameFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_settings(path: Path) -> dict[str, Any]:
    """The settings of the games in a file. ValueError if it is not a file of games."""
    with open(path, "rb") as file:
        head = file.read(12)
        if len(head) < 12 or head[:8] != b"WADJGAM1":
            raise ValueError(f"{path}: not a file of games")
        try:
            return dict(json.loads(file.read(struct.unpack("<I", head[8:])[0])))
        except (ValueError, TypeError, RecursionError) as reason:
            raise ValueError(f"{path}: byte 12: a broken header: {reason}") from reason


def read_games(path: Path) -> Iterator[GameRecord]:
    """The games of a file, in the order in which they ended.

    Raises ValueError after the last complete game if the file ends within another.
    """
    read_settings(path)  # raises ValueError if it is not a file of games
    end = 0
    for number, body, game_end in _whole_games(path):
        end = game_end
        if number >= 0:
            yield _game(body)
    if end != path.stat().st_size:
        raise ValueError(f"{path}: byte {end}: a game is cut off or damaged")


def _whole_games(path: Path) -> Iterator[tuple[int, bytes, int]]:
    """(-1, nothing, end of the header), then number, bytes and end of each game."""
    with open(path, "rb") as file:
        end = 12 + struct.unpack("<I", file.read(12)[8:])[0]
        file.seek(end)
        yield -1, b"", end
        while len(head := file.read(8)) == 8:
            length, checksum = struct.unpack("<II", head)
            body = file.read(length)
            if len(body) != length or zlib.crc32(body) != checksum or length < _SHORTEST_GAME:
                return
            end += 8 + length
            yield struct.unpack("<I", body[:4])[0], body, end


def _is_cut_off(path: Path, start: int) -> bool:
    """Is the broken game at `start` the last one of the file?

    A flipped bit in its length can make it seem to reach the end; then it holds other games.
    """
    with open(path, "rb") as file:
        file.seek(start)
        rest = file.read()
    if len(rest) < 8:
        return True
    if 8 + int(struct.unpack_from("<I", rest)[0]) < len(rest):
        return False
    for at in range(1, len(rest) - 8 - _SHORTEST_GAME + 1):
        length, checksum = struct.unpack_from("<II", rest, at)
        body = memoryview(rest)[at + 8 : at + 8 + length]
        if _SHORTEST_GAME <= length == len(body) and zlib.crc32(body) == checksum:
            return False
    return True


def _game(body: bytes) -> GameRecord:
    _, result, length = struct.unpack("<IBH", body[:7])
    numbers = body[7 + length :]
    half = len(numbers) // 2
    moves = np.frombuffer(numbers[:half], "<u2").tolist()
    scores = np.frombuffer(numbers[half:], "<i2").tolist()
    return GameRecord(body[7 : 7 + length].decode(), moves, scores, result)
