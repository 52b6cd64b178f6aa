"""Matches between two UCI engines: an installed tool plays, or we do; counting is ours.

Every way of playing appends its games to a PGN file, with both games of a pair under one `Round`.
That file is read while it grows, so all tools are judged by the same formulas.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tuning import builtin_match
from tuning.builtin_match import Conditions, Contender
from tuning.elo import Sprt, elo, likelihood_of_superiority, normalised_elo
from tuning.engines import OURS, command_of

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
            loser = {2: tags.get("Black"), 0: tags.get("White")}.get(points or 0, "")
            self.troubles[f"{loser}: {reason if reason != 'normal' else termination}"] += 1
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

    Raises OSError if the tool fails before it has played, or `pgn` cannot be written.
    """
    with open(pgn, "ab"):  # can it be written?
        pass
    score = Score(first.name)
    reader = GameReader(pgn)
    reader.new_games(all_written=True)  # those of earlier matches
    with _playing(tool, first, second, conditions, pgn) as (is_over, complain):
        while True:
            over = is_over()
            games = reader.new_games(all_written=over)
            for text in games:
                score.add(text)
            if games and not on_games(score):
                break
            if over:
                if not score.games:
                    raise OSError(f"{tool}: no game was played: {complain()}")
                break
            time.sleep(POLL_S)
    return score


Playing = tuple[Callable[[], bool], Callable[[], str]]  # is it over? and what was said?


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
    root = str(Path(__file__).resolve().parents[1])
    environment = dict(os.environ)
    if OURS in (first.command, second.command):
        environment["PYTHONPATH"] = root
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        # The tools leave files of their own in the folder they run in.
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )

        def last_words() -> str:
            output.seek(0)
            return output.read().decode("utf-8", "replace").strip()[-500:]

        try:
            yield lambda: process.poll() is not None, last_words
        finally:
            process.send_signal(signal.SIGINT)  # lets it close its engines
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _absolute(command: str) -> list[str]:
    """Words of a command that means the same in another folder."""
    words = command_of(command)
    if "/" in words[0]:
        words[0] = str(Path(words[0]).absolute())
    return words


def _fastchess(first: Contender, second: Contender, conditions: Conditions, pgn: Path) -> list[str]:
    words: list[str] = []
    for contender in (first, second):
        program, *rest = _absolute(contender.command)
        words += ["-engine", f"cmd={program}", f"name={contender.name}"]
        words += [f"args={' '.join(rest)}"] if rest else []
    words += ["-each", "proto=uci", *_limits(conditions)]
    words += ["-repeat", "-games", "2", "-rounds", str(conditions.rounds), "-recover"]
    words += ["-pgnout", f"file={pgn.absolute()}"]
    return words + _common(conditions)


def _cutechess(first: Contender, second: Contender, conditions: Conditions, pgn: Path) -> list[str]:
    words: list[str] = []
    for contender in (first, second):
        program, *rest = _absolute(contender.command)
        words += ["-engine", f"cmd={program}", f"name={contender.name}"]
        words += [f"arg={word}" for word in rest]
    words += ["-each", "proto=uci", *_limits(conditions)]
    words += ["-repeat", "-games", "2", "-rounds", str(conditions.rounds), "-recover"]
    words += ["-pgnout", str(pgn.absolute())]
    return words + _common(conditions)


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
        words += ["-resign", "movecount=4", "score=700"]
        words += ["-draw", "movenumber=40", "movecount=8", "score=10"]
    return words
