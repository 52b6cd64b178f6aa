"""Installed match tools, fastchess and cutechess, as programs that play a match."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from tuning.adjudication import MATCHES
from tuning.engines import command_of, find_program, is_xboard, options_for
from tuning.matches.rules import Conditions, Contender, Playing

FASTCHESS = "fastchess"  # knows UCI alone
XBOARD_TOOLS = ("cutechess-ob", "cutechess-cli")  # know XBoard's protocol, too
TOOLS = (FASTCHESS, *XBOARD_TOOLS)  # in the order of preference


@contextmanager
def playing(
    tool: str, first: Contender, second: Contender, conditions: Conditions, pgn: Path
) -> Iterator[Playing]:
    """Run the tool until the match is over or the block ends. Raises OSError if it cannot start."""
    make = _fastchess if FASTCHESS in Path(tool).name else _cutechess
    words = [tool, *make(first, second, conditions, pgn)]
    with ExitStack() as stack:
        # The tools leave files in the folder they run in.
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        output: IO[bytes]
        if conditions.log:
            output = stack.enter_context(open(conditions.log, "a+b"))
        else:
            output = stack.enter_context(tempfile.TemporaryFile())
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
    if conditions.ponder:
        raise OSError("fastchess does not let engines ponder")
    words: list[str] = []
    for contender in (first, second):
        if is_xboard(contender.command):
            raise OSError(f"{contender.name}: fastchess knows no XBoard engines; --tool built-in")
        words += _engine(contender, conditions)
        # fastchess splits at spaces outside quotes.
        rest = command_of(contender.command)[1:]
        quoted = [f'"{word}"' if " " in word else word for word in rest]
        words += [f"args={' '.join(quoted)}"] if rest else []
    words += ["-each", "proto=uci", *_limits(conditions)]
    words += ["-repeat", "-games", "2", "-rounds", str(conditions.rounds), "-recover"]
    words += ["-force-concurrency"]  # else it refuses more games than cores
    words += ["-pgnout", f"file={pgn.absolute()}", "timeleft=true"]
    return words + _common(conditions)


def _cutechess(first: Contender, second: Contender, conditions: Conditions, pgn: Path) -> list[str]:
    words: list[str] = []
    for contender in (first, second):
        words += _engine(contender, conditions)
        words += [f"arg={word}" for word in command_of(contender.command)[1:]]
        words += [f"proto={'xboard' if is_xboard(contender.command) else 'uci'}"]
    words += ["-each", *_limits(conditions)]
    words += ["ponder"] if conditions.ponder else []
    words += ["-repeat", "-games", "2", "-rounds", str(conditions.rounds), "-recover"]
    words += ["-pgnout", str(pgn.absolute())]
    return words + _common(conditions)


def _engine(contender: Contender, conditions: Conditions) -> list[str]:
    """An engine runs in the current folder, because its command may name files there."""
    words = ["-engine", f"cmd={find_program(contender.command).absolute()}"]
    words += [f"name={contender.name}", f"dir={Path.cwd()}"]
    options = options_for(contender.command, {**conditions.options, **contender.options})
    return words + [f"option.{name}={value}" for name, value in options.items()]


def _limits(conditions: Conditions) -> list[str]:
    if conditions.nodes:
        return ["tc=inf", f"nodes={conditions.nodes}"]
    return [f"tc={conditions.time_control}"]


def _common(conditions: Conditions) -> list[str]:
    book = conditions.openings.absolute()
    kind = "pgn" if book.suffix.lower() == ".pgn" else "epd"
    words = ["-openings", f"file={book}", f"format={kind}", "order=random"]
    words += ["-srand", str(conditions.seed), "-concurrency", str(conditions.concurrency)]
    if conditions.chess960:
        words += ["-variant", "fischerandom"]
    if conditions.adjudicate:
        rule = MATCHES
        words += ["-resign", f"movecount={rule.lost_moves}", f"score={rule.lost_score}"]
        words += ["-draw", f"movenumber={rule.draw_from}", f"movecount={rule.draw_moves}"]
        words += [f"score={rule.draw_score}"]
    return words
