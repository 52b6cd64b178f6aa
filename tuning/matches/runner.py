"""Matches between two engines: a match tool or our own runner plays, we count.

Every runner appends its games to a PGN file, with both games of a pair under one `Round`. We read
that file while it grows, so the same formulas serve all runners.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from engine.command_line import UsageError
from openings.game_text import GameText
from tuning.engines import is_xboard
from tuning.matches import built_in, tools
from tuning.matches.rules import Conditions, Contender
from tuning.matches.score import GameReader, Score

BUILT_IN = "built-in"
POLL_S = 0.5


class BrokenOffError(OSError):
    """A match that ended before its last round without a verdict."""


def choose_tool(wanted: str | None, commands: Iterable[str] = ()) -> str:
    """The path of the tool `wanted`, or of the first installed; BUILT_IN if none is. OSError if
    `wanted` is not installed.

    `commands`: of the engines that it is to play with.
    """
    if wanted == BUILT_IN:
        return BUILT_IN
    known = tools.XBOARD_TOOLS if any(map(is_xboard, commands)) else tools.TOOLS
    for name in (wanted,) if wanted else known:
        if found := shutil.which(name):
            return found
    if wanted:
        raise OSError(f"{wanted}: no such program")
    return BUILT_IN


def play_match(
    tool: str,
    first: Contender,
    second: Contender,
    conditions: Conditions,
    pgn: Path,
    on_games: Callable[[Score], bool],
    score: Score | None = None,
) -> Score:
    """Play until the rounds are over or `on_games` returns False. Games are appended to `pgn`.

    `score`: to add to, so that it is there if the match breaks off.

    Raises OSError if the tool fails before it has played, or `pgn` cannot be written;
    BrokenOffError if it fails later, or ends with games missing; ValueError for a limit of nodes
    with an XBoard engine.
    """
    for contender in (first, second):
        if conditions.nodes and is_xboard(contender.command):
            raise UsageError(f"{contender.name}: XBoard engines play by the clock, not by nodes")
    with open(pgn, "ab"):  # fails at once if it cannot be written
        pass
    score = score or Score(first.name)
    reader = GameReader(pgn)
    reader.new_games(all_written=True)  # those of earlier matches
    total = 2 * conditions.rounds

    def on_game(game: GameText) -> bool:
        score.add(game)  # one by one: a test ends at the game that decides it
        return on_games(score)

    if tool == BUILT_IN:
        match = built_in.playing(first, second, conditions, pgn)
    else:
        match = tools.playing(tool, first, second, conditions, pgn)
    with match as playing:
        while True:
            over = playing.is_over()
            if not all(map(on_game, reader.new_games(all_written=over))):
                break
            if over:
                if not score.games:
                    raise OSError(f"{tool}: no game was played: {playing.complaint()}")
                if playing.has_failed() or score.games < total:
                    reason = f"ended after {score.games} of {total} games: {playing.complaint()}"
                    raise BrokenOffError(f"{tool}: {reason}")
                break
            time.sleep(POLL_S)
    return score
