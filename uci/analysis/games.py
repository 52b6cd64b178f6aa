"""From a PGN file to the annotated games and the page."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import chess
import chess.pgn

from engine.files import write_text
from engine.limits import Limits
from engine.machine import check_hash, cores
from openings.pgn import FoundGame, pgn_text, read_games
from uci.analysis.batch import GAME_LIMITS, HASH_MB, Analysts, Bar, Unfinished
from uci.analysis.judgement import Mark, Review, review
from uci.analysis.lines import side_name
from uci.analysis.page import page
from uci.analysis.pgn import annotate
from uci.analysis.sheet import sheet
from uci.render import NAME


class NoGamesError(ValueError):
    """The file contains nothing to analyse, and why."""


def results_beside(path: Path) -> tuple[Path, Path]:
    """Where the annotated games and the page of a file go unless they have names."""
    return path.with_name(f"{path.stem}.analysed.pgn"), path.with_name(f"{path.stem}.analysed.html")


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
        path.stat()
        own_pgn, own_html = results_beside(path)
        return cls(path, pgn or own_pgn, html or own_html)

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


@dataclass(frozen=True)
class GameSettings:
    limits: Limits = GAME_LIMITS  # for each position
    threads: int = field(default_factory=cores)  # positions at once
    hash_mb: int = HASH_MB  # for each of them
    rating: int | None = None  # of the players; None: as the tags say


@dataclass(frozen=True)
class Analysed:
    """What became of a file."""

    title: str
    reviews: list[Review]
    footer: str  # of the page
    is_whole: bool  # nothing was left out


def analyse_file(
    file: GameFile,
    settings: GameSettings,
    say: Callable[[str], None],
    complain: Callable[[str], None],
) -> Analysed:
    """Analyse the games of a file. Raises OSError, MemoryError, NoGamesError."""
    found = list(read_games(file.path.read_bytes()))
    count = min(settings.threads, sum(len(_nodes(one.game)) for one in found if not one.refused))
    check_hash(settings.hash_mb * max(count, 1))
    analysts = Analysts(count, settings.hash_mb)
    found = [_checked(one, analysts) for one in found]
    left_out = [text for one in found for text in one.left_out(file.path, "analysed")]
    for text in left_out:
        complain(text)
    good = [one.game for one in found if not one.refused]
    if not good:
        raise NoGamesError(f"{file.path}: there is no game in it" + " to analyse" * bool(found))
    if problem := analysts.problem:
        complain(problem)
    limits = settings.limits
    limit_text = f"{limits.nodes:,} nodes" if limits.nodes else f"{limits.movetime_ms} ms"
    limit_text = f"{limits.depth} plies" if limits.depth else limit_text
    source = {"engine": NAME, "limits": limit_text, "hash": settings.hash_mb}
    with Unfinished(file.unfinished, source) as known:
        try:
            _analyse(good, analysts, limits, known)
        except KeyboardInterrupt:
            complain(f"interrupted after {len(known)} positions; the same command continues")
            raise
        reviews = [
            review(game, [known[node] for node in _nodes(game)], settings.rating) for game in good
        ]
        for reviewed in reviews:
            annotate(reviewed)
        write_text(file.pgn, pgn_text(reviewed.game for reviewed in reviews))
        footer = f"Analysed by {NAME}, {limit_text} a position."
        write_text(file.html, page_of(file.title, reviews, footer))
    say("\n\n".join(_summary(reviewed) for reviewed in reviews))
    say(f"\nAnnotated: {file.pgn}\nOpen in a browser: {file.html.resolve().as_uri()}")
    return Analysed(file.title, reviews, footer, not left_out)


def page_of(title: str, reviews: Sequence[Review], footer: str) -> str:
    return page(title, [sheet(one.game, one) for one in reviews], footer)


def _checked(found: FoundGame, analysts: Analysts) -> FoundGame:
    """Refused if the engine cannot do anything with it."""
    if not (found.refused or found.game.variations):
        return replace(found, refused="it has no moves")
    return found.checked(analysts.set_position)


def _nodes(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    """The positions of the main line, the first one included."""
    return [game, *game.mainline()]


def _analyse(
    games: list[chess.pgn.Game], analysts: Analysts, limits: Limits, known: Unfinished
) -> None:
    everything = [node for game in games for node in _nodes(game)]
    waiting = [node for node in everything if node not in known]
    with Bar("positions", len(everything), len(everything) - len(waiting)) as bar:
        for node, analysis in analysts.analyse(waiting, limits):
            known.add(node, analysis)
            bar.advance()


def _summary(reviewed: Review) -> str:
    """Who played, the opening, and for each side accuracy and marks."""
    lines = [reviewed.title]
    if reviewed.opening is not None:
        lines.append(str(reviewed.opening))
    for side in chess.COLORS:
        marks = ", ".join(mark.counted(reviewed.count(side, mark)) for mark in Mark)
        accuracy = reviewed.accuracy(side) or "none: no move counts"
        lines.append(f"  {side_name(side)}  accuracy {accuracy}  {marks}")
    return "\n".join(lines)
