"""The soak: parts of many games each, resumed where an earlier run stopped."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import chess

from engine.files import write_text
from tests.soak.audit import Audit, audit_file
from tests.soak.page import Row
from tests.soak.parts import CROWD, OPPONENTS, PARTS, Part, checked_command
from tuning.engines import OURS, name_of
from tuning.matches.openings import write_random_openings
from tuning.matches.rules import Conditions, Contender
from tuning.matches.runner import BUILT_IN, BrokenOffError, play_match
from tuning.matches.score import GameReader, Score

CHAMPION = "wadjet"
FIRST_ORDER = 10  # of the rows on the page
SHORT_GAMES = 2  # against each opponent


@dataclass(frozen=True)
class Soak:
    """What all parts share. `games` replaces the number of each part."""

    folder: Path
    tool: str = BUILT_IN
    engine: str = OURS
    opponents: tuple[str, ...] = ()
    concurrency: int = 1
    games: int | None = None
    book: Path | None = None


def installed_opponents() -> tuple[str, ...]:
    """This engine itself, and those of OPPONENTS that are installed."""
    return (OURS, *(name for name in OPPONENTS if shutil.which(name)))


def play_part(
    name: str, soak: Soak, command: str, on_games: Callable[[str, int, int], None]
) -> Row:
    """Play the games of a part that are still missing, and audit them all.

    `on_games(opponent, played, wanted)` follows the progress. Raises OSError if an engine or the
    tool fails; the games are kept.
    """
    part = PARTS[name]
    opponents = (OURS,) if part.checked else soak.opponents
    wanted = 2 * max(1, round((soak.games or part.games) / len(opponents) / 2))
    audit, score = Audit({CHAMPION}), Score(CHAMPION)
    soak.folder.mkdir(parents=True, exist_ok=True)
    tool = _tool_for(part, soak.tool)
    for number, opponent in enumerate(opponents):
        pgn = soak.folder / f"{name}-{number}-{_file_name(opponent)}.pgn"
        rival = Contender(f"{number}-{name_of(opponent)}", opponent)
        if opponent == OURS:
            audit.ours.add(rival.name)
        _play(part, soak, tool, rival, pgn, wanted, on_games)
        clock_s = None if part.nodes else Conditions(Path(), 1, part.time_control).clock_s
        audit_file(pgn, pgn.with_suffix(".log"), audit, clock_s)
        for text in GameReader(pgn).new_games(all_written=True):
            score.add(text)
    return row_of(name, audit, score, command, Path(tool).name)


def _play(
    part: Part,
    soak: Soak,
    tool: str,
    rival: Contender,
    pgn: Path,
    wanted: int,
    on_games: Callable[[str, int, int], None],
) -> None:
    done = len(GameReader(pgn).new_games(all_written=True))
    on_games(rival.name, done, wanted)
    if done >= wanted:
        return
    engine = soak.engine
    if part.checked:
        engine = checked_command(engine)
        rival = replace(rival, command=checked_command(rival.command))
    champion = Contender(CHAMPION, engine, part.own_options)
    conditions = Conditions(
        openings=soak.book or Path(),
        rounds=-(-(wanted - done) // 2),
        time_control=part.time_control,
        nodes=part.nodes,
        options={"Hash": "16", **part.options},
        concurrency=CROWD if part.cores else soak.concurrency,
        seed=1 + done,  # other openings than before
        chess960=part.chess960,
        ponder=part.ponder,
        log=pgn.with_suffix(".log"),
    )
    if part.chess960:
        conditions = replace(conditions, openings=_chess960_openings(soak.folder))
    elif not soak.book:
        openings = soak.folder / "openings.epd"
        write_random_openings(openings, conditions.rounds, bool(part.nodes), conditions.seed)
        conditions = replace(conditions, openings=openings)

    def progress(score: Score) -> bool:
        on_games(rival.name, done + score.games, wanted)
        return True

    try:
        with on_cores(part.cores):
            play_match(tool, champion, rival, conditions, pgn, progress)
    except BrokenOffError as reason:
        with open(pgn.with_suffix(".log"), "a", encoding="utf-8") as log:
            print(f"error: {reason}", file=log)
        raise


def _tool_for(part: Part, tool: str) -> str:
    """fastchess does not let engines ponder, and takes less of the processor than most programs
    that play games, so our runner plays these."""
    lacks = part.ponder and "fastchess" in Path(tool).name
    return BUILT_IN if lacks or part.cores else tool


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Programs that are started meanwhile share so many processors; 0: all there are."""
    if count == 0:
        yield
        return
    if sys.platform != "linux":
        raise OSError("this part needs Linux, which binds programs to processors")
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(usual)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, usual)


def _chess960_openings(folder: Path) -> Path:
    path = folder / "chess960.epd"
    boards = [chess.Board.from_chess960_pos(number) for number in range(960)]
    Random(1).shuffle(boards)
    write_text(path, "".join(f"{board.fen()}\n" for board in boards))
    return path


def _file_name(command: str) -> str:
    return re.sub(r"[^\w.-]", "_", name_of(command))


def row_of(name: str, audit: Audit, score: Score, command: str, tool: str) -> Row:
    """The result of a part, for the page."""
    part = PARTS[name]
    ours = [ms for engine, ms in audit.lowest_ms.items() if engine in audit.ours]
    others = [ms for engine, ms in audit.lowest_ms.items() if engine not in audit.ours]
    result = f"{audit.own_time_losses} time losses"
    if others:
        result += f" (the others: {audit.others_time_losses})"
    if ours:
        result += f", lowest clock {min(ours)} ms"
        result += f" (the others: {min(others)} ms)" if others else ""
    limit = f"{part.nodes} nodes a move" if part.nodes else part.time_control
    details = ["| Games | End |", "|---|---|"]
    details += [f"| {count} | {end} |" for end, count in audit.ends.most_common()]
    details += [""] if audit.faults or audit.others_faults else []
    details += _listed("Ours", audit.faults) + _listed("Of others", audit.others_faults)
    return Row(
        test=f"soak: {name}",
        command=command,
        size=f"{audit.games} games at {limit} by {tool}, +{score.wins} -{score.losses} "
        f"={score.draws}",
        result=result,
        faults=faults_of(part, audit),
        order=FIRST_ORDER + list(PARTS).index(name),
        details=(f"{part.purpose[0].upper()}{part.purpose[1:]}.", "", *details),
    )


def faults_of(part: Part, audit: Audit) -> int:
    """All losses on time, but in a crowd only those above the number of the others'."""
    if not part.cores:
        return audit.count
    return len(audit.faults) + max(0, audit.own_time_losses - audit.others_time_losses)


def _listed(whose: str, faults: Sequence[str], most: int = 10) -> list[str]:
    """The first faults of a kind, as a list."""
    lines = [f"- {whose}: {fault}" for fault in faults[:most]]
    if len(faults) > most:
        lines.append(f"- {whose}: {len(faults) - most} more")
    return lines
