"""UCI engines as other programs: started, set up, asked by python-chess."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import chess.engine

START_TIMEOUT_S = 120.0  # an engine that must compile itself first needs a while
OURS = "wadjet"  # stands for the engine of these sources


def command_of(text: str) -> list[str]:
    """The words of an engine's command line; `wadjet` is the engine beside this package."""
    words = shlex.split(text)
    if not words:
        raise ValueError("an engine needs a command")
    return [sys.executable, "-m", "uci"] if words == [OURS] else words


def options_of(texts: Sequence[str]) -> dict[str, str]:
    """From `Name=value` words. ValueError if one is not."""
    options = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise ValueError(f"an option is NAME=VALUE, not {text!r}")
        options[name] = value
    return options


@contextmanager
def engine(
    command: str, options: Mapping[str, str] | None = None
) -> Iterator[chess.engine.SimpleEngine]:
    """A running engine. Raises OSError if it does not start, and if it dies in the block."""
    root = str(Path(__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": root} if command == OURS else None
    try:
        running = chess.engine.SimpleEngine.popen_uci(
            command_of(command), timeout=START_TIMEOUT_S, env=environment
        )
    except (chess.engine.EngineError, TimeoutError) as reason:
        raise OSError(f"{command}: this is no UCI engine: {reason}") from reason
    try:
        if options:
            running.configure(dict(options))
        yield running
    except chess.engine.EngineError as reason:
        raise OSError(f"{command}: {reason}") from reason
    finally:
        running.close()
