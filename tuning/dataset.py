"""Data sets: labelled positions, 32 bytes each, and the games they come from.

A file of positions (usually `*.positions`), all numbers little-endian:

    0   8 bytes   b"WADJPOS1"
    8   uint32    length of the header, where the records begin; a multiple of 32
    12  uint32    length of a record, 32
    16  uint64    number of records
    24  uint64    CRC-32 of the records
    32  text      JSON in UTF-8, filled up with spaces: {"sources": [names], ...}
    ... records   engine.board.packing.PackedPosition, whose six labels are

        int16  score in centipawns, White's view; NO_SCORE if there is none
        int8   result in half points of White, 0 to 2; NO_RESULT if there is none
        uint8  index of the source of the score in "sources": each has a scale of its own
        int8   number of the move, at most 127
        int8   1 if a new game begins here, else 0

Positions of a game follow each other, so that a set can be split between games.

A file of games (usually `*.games`) begins with b"WADJGAM1", a uint32 with the length of the JSON
text that follows, and the text: the settings they were played with. Then come the games, each
appended as a whole:

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from engine.board.packing import POSITION
from tuning.files import written_whole
from tuning.selfplay import Game

MOST_SOURCES = 256
NO_SCORE = -(1 << 15)
NO_RESULT = -1
LARGEST_SCORE = 32000
_SHORTEST_GAME = 7  # bytes: its three numbers

Records = np.ndarray[Any, np.dtype[np.void]]

_LABELS = POSITION.fields["labels"][1] if POSITION.fields else 0
# A record with its labels named. The same bytes as POSITION.
RECORD = np.dtype(
    {
        "names": [
            "occupied",
            "pieces",
            "side",
            "clock",
            "score",
            "result",
            "source",
            "move",
            "starts_game",
        ],
        "formats": ["<i8", ("<i8", (2,)), "i1", "i1", "<i2", "i1", "u1", "i1", "i1"],
        "offsets": [0, 8, 24, 25, *(_LABELS + n for n in (0, 2, 3, 4, 5))],
        "itemsize": POSITION.itemsize,
    }
)


@dataclass
class Dataset:
    """Labelled positions in memory. `records` has dtype RECORD."""

    records: Records
    sources: list[str]
    notes: dict[str, Any] = field(default_factory=dict)  # where they come from, in words

    def __len__(self) -> int:
        return len(self.records)

    @property
    def positions(self) -> Records:
        """The same memory as packing.POSITION."""
        return self.records.view(POSITION)

    def game_numbers(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """For each position the number of its game, from 0."""
        starts = self.records["starts_game"].astype(np.int64)
        if len(starts):
            starts[0] = 1
        return cast("np.ndarray[Any, np.dtype[np.int64]]", np.cumsum(starts) - 1)

    def only(self, kept: np.ndarray[Any, np.dtype[np.bool_]]) -> Dataset:
        """A part of the positions, game by game as before."""
        records = self.records[kept]
        records["starts_game"] = np.diff(self.game_numbers()[kept], prepend=-1) != 0
        return Dataset(records, self.sources, self.notes)

    def save(self, path: Path) -> None:
        """As a whole, or not at all."""
        text = json.dumps({"sources": self.sources, **self.notes}).encode()
        text += b" " * (-len(text) % 32)
        data = self.records.tobytes()
        numbers = struct.pack(
            "<IIQQ", 32 + len(text), POSITION.itemsize, len(self.records), zlib.crc32(data)
        )
        with written_whole(path) as file:
            file.write(b"WADJPOS1" + numbers + text)
            file.write(data)


def load(path: Path) -> Dataset:
    """Raises OSError, and ValueError that names the file and what is wrong where."""
    with open(path, "rb") as file:
        head = file.read(32)
        if len(head) < 32 or head[:8] != b"WADJPOS1":
            raise ValueError(f"{path}: not a file of positions")
        start, size, count, checksum = struct.unpack("<IIQQ", head[8:])
        if size != POSITION.itemsize or start < 32 or start % 32:
            raise ValueError(f"{path}: byte 8: records of another format")
        try:
            notes = json.loads(file.read(start - 32))
            sources = list(notes.pop("sources"))
        except (ValueError, KeyError, AttributeError, TypeError) as reason:
            raise ValueError(f"{path}: byte 32: a broken header: {reason}") from reason
        data = np.fromfile(file, np.uint8)
    if len(data) != count * size:
        raise ValueError(
            f"{path}: cut off at byte {start + len(data)}: "
            f"{len(data) // size} of {count} positions are there"
        )
    if zlib.crc32(data.tobytes()) != checksum:
        raise ValueError(f"{path}: the positions are damaged")
    return Dataset(data.view(RECORD), sources, notes)


def source_index(sources: list[str], name: str) -> int:
    """Its place in the list, to which a new name is added. ValueError if there are too many."""
    if name not in sources:
        if len(sources) == MOST_SOURCES:
            raise ValueError(f"there are more than {MOST_SOURCES} sources of scores")
        sources.append(name)
    return sources.index(name)


def load_all(paths: Sequence[Path]) -> Dataset:
    """Several files as one set. ValueError if there is no position in them."""
    sets = [load(path) for path in paths]
    sources: list[str] = []
    for each in sets:
        index = np.array([source_index(sources, name) for name in each.sources] or [0], np.uint8)
        each.records["source"] = index[each.records["source"]]
        each.records["starts_game"][:1] = 1
    records = np.concatenate([each.records for each in sets])
    if not len(records):
        raise ValueError(f"{', '.join(map(str, paths))}: there are no positions")
    return Dataset(records, sources, {"files": [str(path) for path in paths]})


# --- Games ---------------------------------------------------------------------------------------


class GameFile:
    """A file of games to add to. What a kill left half written is cut off."""

    def __init__(self, path: Path, settings: dict[str, Any]):
        """Raises ValueError if the file has games of other settings, or is damaged within."""
        self.path = path
        self.numbers: set[int] = set()
        self.cut_off_bytes = 0
        if path.exists() and path.stat().st_size:
            stored, end = self._scan()
            if stored != settings:
                changed = [key for key in settings if stored.get(key) != settings[key]]
                raise ValueError(f"{path}: its games were played with another {', '.join(changed)}")
            self.cut_off_bytes = path.stat().st_size - end
            if self.cut_off_bytes:
                if not _is_cut_off(path, end):
                    raise ValueError(
                        f"{path}: byte {end}: a damaged game within the file, "
                        f"which is left as it is"
                    )
                os.truncate(path, end)
        else:
            text = json.dumps(settings).encode()
            with written_whole(path) as file:
                file.write(b"WADJGAM1" + struct.pack("<I", len(text)) + text)
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - closed by close()

    def _scan(self) -> tuple[dict[str, Any], int]:
        """The settings, and where the last whole game ends."""
        settings = read_settings(self.path)
        end = 0
        for number, _, game_end in _whole_games(self.path):
            end = game_end
            if number >= 0:
                self.numbers.add(number)
        return settings, end

    def add(self, number: int, game: Game) -> None:
        """Append a game as a whole; after an error, such as a full disk, as if not at all."""
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
    """What the games of a file were played with."""
    with open(path, "rb") as file:
        head = file.read(12)
        if len(head) < 12 or head[:8] != b"WADJGAM1":
            raise ValueError(f"{path}: not a file of games")
        try:
            return dict(json.loads(file.read(struct.unpack("<I", head[8:])[0])))
        except (ValueError, TypeError) as reason:
            raise ValueError(f"{path}: byte 12: a broken header: {reason}") from reason


def read_games(path: Path) -> Iterator[Game]:
    """The games of a file, in the order in which they were finished.

    Raises ValueError, after the whole games, if the file ends within one.
    """
    read_settings(path)  # is it one?
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
    """Is what begins at `start`, and is no whole game, the last of the file?

    A flipped bit in a length can make a game seem to reach the end: then others are found in it.
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


def _game(body: bytes) -> Game:
    _, result, length = struct.unpack("<IBH", body[:7])
    numbers = body[7 + length :]
    half = len(numbers) // 2
    moves = np.frombuffer(numbers[:half], "<u2").tolist()
    scores = np.frombuffer(numbers[half:], "<i2").tolist()
    return Game(body[7 : 7 + length].decode(), moves, scores, result)
