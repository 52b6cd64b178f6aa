"""From a PGN file to the annotated games and the page."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.api import PositionError
from engine.files import write_text
from engine.limits import Limits
from engine.machine import check_hash
from uci.analysis.analysts import Analysts
from uci.analysis.bar import Bar
from uci.analysis.judgement import Mark
from uci.analysis.page import page
from uci.analysis.pgn import annotate, pgn_text, places_of, players_of, read_games
from uci.analysis.positions import Place
from uci.analysis.review import Review, review
from uci.analysis.unfinished import Unfinished
from uci.render import NAME

GAME_MS = 200  # for each position, unless the user wants something else
HASH_MB = 64


class NoGamesError(ValueError):
    """The file contains nothing to analyse, and why."""


@dataclass(frozen=True)
class GameFile:
    """A file to analyse, and where the results go."""

    path: Path
    pgn: Path
    html: Path

    @classmethod
    def beside(cls, path: Path, pgn: Path | None = None, html: Path | None = None) -> GameFile:
        """The results go beside the file unless they have names. Raises OSError."""
        if not path.name:
            raise OSError(f"{path} is not a file")
        return cls(
            path,
            pgn or path.with_name(f"{path.stem}.analysed.pgn"),
            html or path.with_name(f"{path.stem}.analysed.html"),
        )

    def __post_init__(self) -> None:
        """Raises OSError if nothing can be written: better known before the work than after it."""
        if self.pgn.resolve() == self.html.resolve():
            raise OSError(f"{self.pgn}: the games and the page need two files")
        for target in (self.pgn, self.html):
            if target.exists() and not target.is_file():
                raise OSError(f"{target} is not a file")
            if target.exists() and self.path.exists() and target.samefile(self.path):
                raise OSError(f"{target} is the file to analyse: name another one for the result")
            try:
                with tempfile.TemporaryFile(dir=target.parent):
                    pass
            except OSError as reason:
                raise OSError(reason.errno, reason.strerror, str(target)) from None

    @property
    def title(self) -> str:
        """The file's name as text; a system allows others."""
        return os.fsencode(self.path.stem).decode("utf-8", "replace")

    @property
    def unfinished(self) -> Path:
        return self.pgn.with_name(f"{self.pgn.name}.unfinished")


def analyse_file(
    file: GameFile,
    limits: Limits,
    threads: int,
    hash_mb: int,
    say: Callable[[str], None],
    complain: Callable[[str], None],
) -> int:
    """Analyse the games of a file, `threads` positions at once, with `hash_mb` for each.

    Returns the exit status: 1 if a game was skipped. Raises OSError, MemoryError, NoGamesError.
    """
    found = read_games(file.path.read_bytes())
    if not found:
        raise NoGamesError(f"{file.path}: there is no game in it")
    places = {one.number: places_of(one.game) for one in found if not one.problem}
    problems = {one.number: one.problem for one in found if one.problem}
    count = min(threads, max(1, sum(map(len, places.values()))))
    check_hash(hash_mb * count)
    analysts = Analysts(count if places else 0, hash_mb=hash_mb)
    for number in list(places):
        try:
            analysts.check(places[number][-1])
        except PositionError as reason:
            problems[number] = str(reason)
            del places[number]
    for one in found:
        if one.number in problems:
            complain(f"skipped {one.name}, line {one.line}: {problems[one.number]}")
    if not places:
        raise NoGamesError(f"{file.path}: no game in it can be analysed")
    if problem := analysts.problem:
        complain(problem)
    limit_text = f"{limits.nodes} nodes" if limits.nodes else f"{limits.movetime_ms} ms"
    with Unfinished(file.unfinished, {"engine": NAME, "limits": limit_text}) as known:
        try:
            _analyse(places, analysts, limits, known)
        except KeyboardInterrupt:
            complain(f"interrupted after {len(known)} positions; the same command goes on there")
            raise
        reviews = [
            review(one.game, places[one.number], [known[place] for place in places[one.number]])
            for one in found
            if one.number in places
        ]
        for reviewed in reviews:
            annotate(reviewed)
        write_text(file.pgn, pgn_text(reviewed.game for reviewed in reviews))
        write_text(file.html, page(file.title, reviews, NAME, limit_text))
    say("\n\n".join(_summary(reviewed) for reviewed in reviews))
    say(f"\nAnnotated: {file.pgn}\nOpen in a browser: {file.html.resolve().as_uri()}")
    return 1 if problems else 0


def _analyse(
    places: dict[int, list[Place]], analysts: Analysts, limits: Limits, known: Unfinished
) -> None:
    """Each game from its end: what is found there helps to judge the moves that led to it."""
    everything = [place for game in places.values() for place in reversed(game)]
    waiting = [place for place in everything if place not in known]
    with Bar("positions", len(everything), len(everything) - len(waiting)) as bar:
        for place, analysis in analysts.analyse(waiting, limits):
            known.add(place, analysis)
            bar.advance()


def _summary(reviewed: Review) -> str:
    """Who played, the opening, and for each side accuracy and marks."""
    headers = reviewed.game.headers
    lines = [f"{players_of(reviewed.game) or 'Game'}  {headers.get('Result', '*')}"]
    if reviewed.opening is not None:
        lines.append(str(reviewed.opening))
    for side, percent in zip((True, False), reviewed.accuracies, strict=True):
        marks = ", ".join(mark.counted(reviewed.count(side, mark)) for mark in Mark)
        shown = "      " if percent is None else f"{percent:5.1f}%"
        lines.append(f"  {'White' if side else 'Black'}  accuracy {shown}  {marks}")
    return "\n".join(lines)
