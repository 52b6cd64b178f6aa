"""The results of an analysis that is not finished, so that an interrupted one can go on.

A text file beside the output: a line of JSON for the settings, then one for each position. It is
removed when the output is written.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from uci.analysis.positions import Analysis, Place


class Unfinished:
    """Usage: `with Unfinished(path, settings) as known: ...`. Raises OSError."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._path = path
        self._settings = json.loads(json.dumps(settings))  # as it will be read
        self._found: dict[str, Analysis] = {}
        self._file: TextIO | None = None

    def __enter__(self) -> Unfinished:
        is_ours = self._read()
        self._file = open(self._path, "a" if is_ours else "w", encoding="utf-8")
        # If the file was cut off, the empty line ends its last record.
        self._write("" if is_ours else json.dumps(self._settings))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
        if kind is None or not self._found:
            self._path.unlink(missing_ok=True)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, place: Place) -> bool:
        return _key(place) in self._found

    def __getitem__(self, place: Place) -> Analysis:
        return self._found[_key(place)]

    def add(self, place: Place, analysis: Analysis) -> None:
        key = _key(place)
        self._found[key] = analysis
        self._write(json.dumps([key, analysis.as_json()]))

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(line + "\n")
        self._file.flush()

    def _read(self) -> bool:
        """False if the file is of no use: missing, foreign, or from other settings."""
        if not self._path.exists():
            return False
        with self._path.open(encoding="utf-8", errors="replace") as file:
            try:
                if json.loads(file.readline()) != self._settings:
                    return False
            except ValueError:
                return False
            for row in file:
                try:
                    key, data = json.loads(row)
                    self._found[key] = Analysis.from_json(data)
                except (ValueError, TypeError, KeyError, AttributeError):
                    continue  # cut off when the process was killed
        return True


def _key(place: Place) -> str:
    """The moves belong to a position: they may have repeated it."""
    text = " ".join([place.fen, str(place.chess960), *place.moves])
    return hashlib.sha256(text.encode()).hexdigest()[:24]
