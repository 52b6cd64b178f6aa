"""Games as PGN: saving, resuming, and the game that is always kept."""

from __future__ import annotations

import datetime
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from engine.board.ending import Ending
from engine.files import write_text
from openings.pgn import pgn_of, read_games
from uci.game.game import Game, TimeControl
from uci.render import NAME

PERSON = "You"
ENGINE = "Wadjet"
BY_TIME = "time forfeit"  # Termination, a tag of the standard


def kept_path() -> Path:
    """Where the game is kept after every move, so that nothing can lose it.

    Raises OSError if the user has no home, as in some containers.
    """
    variable, usual, own = "XDG_STATE_HOME", ".local/state", "wadjet"
    if sys.platform == "win32":
        variable, usual, own = "LOCALAPPDATA", "AppData/Local", "Wadjet"
    try:
        return Path(os.environ.get(variable) or Path.home() / usual) / own / "game.pgn"
    except RuntimeError as reason:
        raise OSError(str(reason)) from None


def previous_path() -> Path:
    """Where an unfinished game goes when another begins."""
    return kept_path().with_name("previous.pgn")


def analysis_path() -> Path:
    """Where the games are kept that somebody looks at without playing."""
    return kept_path().with_name("analysis.pgn")


def free_path(path: Path) -> Path:
    """A name like it, in the same folder, that no file has."""
    number = 2
    while (free := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    return free


def write(game: Game, path: Path) -> bytes:
    """Replace the file completely or not at all. Returns what is in it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = to_pgn(game) + "\n\n"
    write_text(path, text)
    return text.encode()


def to_pgn(game: Game) -> str:
    """Also writes the tags into the game's record."""
    headers = game.record.headers
    level = "" if game.level is None else f" (level {game.level})"
    names = (PERSON, NAME + level)
    if headers.get("Event", "?") == "?":
        headers["Event"] = "wadjet play"
        headers["Date"] = datetime.date.today().strftime("%Y.%m.%d")
    headers["White"], headers["Black"] = names if game.person else names[::-1]
    headers["Result"] = game.ending.result if game.ending else "*"
    headers.pop("Termination", None)
    headers.pop("TimeControl", None)
    if game.ending is not None:
        headers["Termination"] = BY_TIME if game.ending.by_time else "normal"
    if game.control is not None:
        headers["TimeControl"] = (
            f"{game.control.base_ms // 1000}+{game.control.increment_ms // 1000}"
        )
    return pgn_of(game.record)


def read(path: Path, set_position: Callable[[chess.Board], str | None] | None = None) -> Game:
    """The first game of a file, checked by an engine's `set_position`. Raises OSError, and
    ValueError with the reason if there is none."""
    with path.open("rb") as file:
        found = next(read_games(file), None)
    if found is None:
        raise ValueError(f"{path}: no game in it")
    if set_position is not None:
        found = found.checked(set_position)
    left_out = found.left_out(path, "loaded")
    if found.refused:
        raise ValueError(left_out[0])
    record: Any = found.game
    headers = record.headers
    person = _person(headers, record.end().board())
    game = Game(person=person, control=_control(headers), record=record)
    game.left_out = left_out
    if level := re.search(r"\(level (\d{1,5})\)", headers["White" if not person else "Black"]):
        game.level = int(level[1])
    is_whole = not any(fault.is_end for fault in found.faults)
    if game.ending is None and is_whole and headers["Result"] in ("1-0", "0-1", "1/2-1/2"):
        winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(headers["Result"])
        by_time = headers.get("Termination", "") == BY_TIME
        reason = "The time is over" if by_time else "The game has ended"
        game.ending = Ending(winner, reason, by_time)
    return game


def is_ours(game: Game) -> bool:
    """Whether the game was played against this program, at the level that its tags name."""
    headers = game.record.headers
    return any(headers.get(name, "").startswith(ENGINE) for name in ("White", "Black"))


def _person(headers: Any, board: chess.Board) -> chess.Color:
    """The side that is not the engine's; in games of others, the side to move."""
    if headers.get("White", "").startswith(ENGINE):
        return chess.BLACK
    if headers.get("Black", "").startswith(ENGINE):
        return chess.WHITE
    return board.turn


def _control(headers: Any) -> TimeControl | None:
    found = re.fullmatch(r"(\d{1,6})\+(\d{1,4})", headers.get("TimeControl", ""), re.ASCII)
    if found is None or int(found[1]) == 0:
        return None
    return TimeControl(int(found[1]) * 1000, int(found[2]) * 1000)
