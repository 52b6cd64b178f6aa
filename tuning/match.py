"""Matches between two UCI engines: an installed tool plays, or we do; counting is ours.

Every way of playing appends its games to a PGN file, with both games of a pair under one `Round`.
That file is read while it grows, so all tools are judged by the same formulas.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tuning import builtin_match
from tuning.builtin_match import (
    DRAW_FROM,
    DRAW_MOVES,
    DRAW_SCORE,
    RESIGN_MOVES,
    RESIGN_SCORE,
    Conditions,
    Contender,
    Playing,
)
from tuning.elo import Sprt, elo, likelihood_of_superiority, normalised_elo
from tuning.engines import command_of

TOOLS = ("fastchess", "cutechess-ob", "cutechess-cli")  # the first that is found is taken
BUILT_IN = "built-in"
POLL_S = 0.5

_TAG = re.compile(r'^\[(\w+) "(.*)"\]', re.MULTILINE)
_LAST_COMMENT = re.compile(r"\{([^{}]*)\}\s*(?:1-0|0-1|1/2-1/2|\*)\s*$")
_POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}  # half points of White
# Words of the tools for games that say nothing about chess.
_TROUBLE = ("time", "illegal", "disconnect", "abandon", "stall", "unterminated", "crash")


@dataclass
class Score:
    """The games of a match so far, seen by the first engine."""

    first: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)  # by half points
    ends: Counter[str] = field(default_factory=Counter)
    troubles: Counter[str] = field(default_factory=Counter)  # by engine and reason
    _half_pairs: dict[str, int] = field(default_factory=dict)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, text: str) -> None:
        """One game of a PGN file. An unfinished one is counted as trouble only."""
        tags = dict(_TAG.findall(text))
        comment = _LAST_COMMENT.search(text)
        termination = tags.get("Termination", "normal")
        reason = comment[1].split(",")[-1].split("(")[0].strip() if comment else ""
        if not reason or reason[0] in "+-0123456789":
            reason = "normal"
        self.ends[termination if reason == "normal" else reason] += 1
        points = _POINTS.get(tags.get("Result", "*"))
        words = f"{termination} {reason}".lower()
        if points is None or any(word in words for word in _TROUBLE):
            trouble = reason if reason != "normal" else termination
            loser = tags.get("Black" if points == 2 else "White")
            self.troubles[f"{loser}: {trouble}" if points in (0, 2) else trouble] += 1
        if points is None:
            return
        if tags.get("White") != self.first:
            points = 2 - points
        self.wins += points == 2
        self.draws += points == 1
        self.losses += points == 0
        first_game = self._half_pairs.pop(tags.get("Round", "?"), None)
        if first_game is None:
            self._half_pairs[tags.get("Round", "?")] = points
        else:
            self.pairs[first_game + points] += 1

    def report(self, sprt: Sprt | None = None) -> str:
        share = (self.wins + self.draws / 2) / self.games if self.games else 0.5
        lines = [
            f"{self.games} games: +{self.wins} -{self.losses} ={self.draws} ({share:.1%}), "
            f"pairs {' '.join(map(str, self.pairs))}",
            f"Elo {elo(self.pairs)}, normalised {normalised_elo(self.pairs)}, "
            f"LOS {likelihood_of_superiority(self.pairs):.1%}",
        ]
        if sprt:
            scale = "normalised" if sprt.normalised else "logistic"
            lines.append(
                f"LLR {sprt.llr(self.pairs):.2f} ({sprt.lower:.2f}, {sprt.upper:.2f}) "
                f"[{sprt.elo0:g}, {sprt.elo1:g}] {scale} {sprt.verdict(self.pairs)}".rstrip()
            )
        lines.append("ends: " + ", ".join(f"{n} {end}" for end, n in self.ends.most_common()))
        if self.troubles:
            told = ", ".join(f"{n} {what}" for what, n in self.troubles.most_common())
            lines.append(f"NOT CLEAN: {told}")
        return "\n".join(lines)


class BrokenOffError(OSError):
    """A match that ended neither by its rounds nor by a verdict. `score`: what was played."""

    def __init__(self, message: str, score: Score):
        super().__init__(message)
        self.score = score


class GameReader:
    """Reads a PGN file that another program is still writing."""

    def __init__(self, path: Path):
        self.path = path
        self._offset = 0
        self._rest = ""

    def new_games(self, all_written: bool = False) -> list[str]:
        """Texts of the games that came to the file; the last only when nothing can follow."""
        if self.path.exists():
            with open(self.path, "rb") as file:
                file.seek(self._offset)
                data = file.read()
            self._offset += len(data)
            self._rest += data.decode("utf-8", "replace").replace("\r", "")
        *games, self._rest = re.split(r"\n(?=\[Event )", self._rest)
        if all_written or re.search(r"(?:1-0|0-1|1/2-1/2|\*)\s*\n\n$", self._rest):
            games.append(self._rest)
            self._rest = ""
        return [game for game in games if game.strip()]


def find_tool(wanted: str | None) -> str:
    """The tool asked for, or the first installed. OSError if the one asked for is not there."""
    if wanted == BUILT_IN:
        return BUILT_IN
    for name in (wanted,) if wanted else TOOLS:
        found = shutil.which(name)
        if found:
            return found
    if wanted:
        raise OSError(f"{wanted}: there is no such program")
    return BUILT_IN


def play_match(
    tool: str,
    first: Contender,
    second: Contender,
    conditions: Conditions,
    pgn: Path,
    on_games: Callable[[Score], bool],
) -> Score:
    """Play until the rounds are over or `on_games` returns False. Games are appended to `pgn`.

    Raises OSError if the tool fails before it has played, or `pgn` cannot be written;
    BrokenOffError if it fails later, or ends with games missing.
    """
    with open(pgn, "ab"):  # can it be written?
        pass
    score = Score(first.name)
    reader = GameReader(pgn)
    reader.new_games(all_written=True)  # those of earlier matches
    total = 2 * conditions.rounds
    with _playing(tool, first, second, conditions, pgn) as playing:
        while True:
            over = playing.is_over()
            games = reader.new_games(all_written=over)
            for text in games:
                score.add(text)
            if games and not on_games(score):
                break
            if over:
                if not score.games:
                    raise OSError(f"{tool}: no game was played: {playing.complaint()}")
                if playing.has_failed() or score.games < total:
                    told = f"ended after {score.games} of {total} games: {playing.complaint()}"
                    raise BrokenOffError(f"{tool}: {told}", score)
                break
            time.sleep(POLL_S)
    return score


@contextmanager
def _playing(
    tool: str, first: Contender, second: Contender, conditions: Conditions, pgn: Path
) -> Iterator[Playing]:
    if tool == BUILT_IN:
        with builtin_match.playing(first, second, conditions, pgn) as playing:
            yield playing
        return
    make = _fastchess if "fastchess" in Path(tool).name else _cutechess
    words = [tool, *make(first, second, conditions, pgn)]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        # The tools leave files of their own in the folder they run in.
        process = subprocess.Popen(words, cwd=folder, stdout=output, stderr=subprocess.STDOUT)

        def last_words() -> str:
            output.seek(0)
            said = output.read().decode("utf-8", "replace").strip()[-500:]
            return f"exit status {process.poll()}: {said}"

        try:
            yield Playing(
                is_over=lambda: process.poll() is not None,
                has_failed=lambda: process.poll() != 0,
                complaint=last_words,
            )
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.terminate()  # an interrupt cannot be sent
    else:
        process.send_signal(signal.SIGINT)  # lets it close its engines
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _fastchess(first: Contender, second: Contender, conditions: Conditions, pgn: Path) -> list[str]:
    words: list[str] = []
    for contender in (first, second):
        program, *rest = command_of(contender.command)
        words += _engine(contender.name, program)
        # It takes words apart at spaces, but for those in quotes.
        quoted = [f'"{word}"' if " " in word else word for word in rest]
        words += [f"args={' '.join(quoted)}"] if rest else []
    words += ["-each", "proto=uci", *_limits(conditions)]
    words += ["-repeat", "-games", "2", "-rounds", str(conditions.rounds), "-recover"]
    words += ["-pgnout", f"file={pgn.absolute()}"]
    return words + _common(conditions)


def _cutechess(first: Contender, second: Contender, conditions: Conditions, pgn: Path) -> list[str]:
    words: list[str] = []
    for contender in (first, second):
        program, *rest = command_of(contender.command)
        words += _engine(contender.name, program)
        words += [f"arg={word}" for word in rest]
    words += ["-each", "proto=uci", *_limits(conditions)]
    words += ["-repeat", "-games", "2", "-rounds", str(conditions.rounds), "-recover"]
    words += ["-pgnout", str(pgn.absolute())]
    return words + _common(conditions)


def _engine(name: str, program: str) -> list[str]:
    """An engine runs where the user is, as its command may name files there."""
    found = shutil.which(program)
    if found is None:
        raise OSError(f"{program}: there is no such program")
    return ["-engine", f"cmd={Path(found).absolute()}", f"name={name}", f"dir={Path.cwd()}"]


def _limits(conditions: Conditions) -> list[str]:
    if conditions.nodes:
        words = ["tc=inf", f"nodes={conditions.nodes}"]
    else:
        words = [f"tc={conditions.time_control}"]
    return words + [f"option.{name}={value}" for name, value in conditions.options.items()]


def _common(conditions: Conditions) -> list[str]:
    book = conditions.openings.absolute()
    kind = "pgn" if book.suffix.lower() == ".pgn" else "epd"
    words = ["-openings", f"file={book}", f"format={kind}", "order=random"]
    words += ["-srand", str(conditions.seed), "-concurrency", str(conditions.concurrency)]
    if conditions.adjudicate:
        words += ["-resign", f"movecount={RESIGN_MOVES}", f"score={RESIGN_SCORE}"]
        words += ["-draw", f"movenumber={DRAW_FROM}", f"movecount={DRAW_MOVES}"]
        words += [f"score={DRAW_SCORE}"]
    return words
