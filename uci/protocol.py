"""A line of text in, a typed command out.

`parse` never raises and never guesses silently: the `warnings` of a command list what it could not
read, and become lines of `info string`. `help` shows the `usage` and the docstring of each command
class.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from engine.checked import LARGEST
from engine.limits import MOST_PERFT_PLIES, MOVE, Limits
from engine.limits import RANGES as LIMIT_RANGES
from engine.settings import RANGES
from engine.spelling import did_you_mean
from uci.text import brief, whole_number

FALLBACK_MOVETIME_MS = 100  # for a `go` none of whose words is a limit: it must still end


# --- The commands -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Command:
    usage: ClassVar[str] = ""

    warnings: tuple[str, ...] = ()


class ConsoleCommand(Command):
    """Not part of the protocol: for people and scripts, which want to see the answer."""


class Nothing(Command):
    """A line without effect: blank, a comment, `debug`, or unreadable."""


class Unknown(Command):
    """A line that contains no command."""


class Uci(Command):
    """Identify the engine, list its options, and answer uciok."""

    usage = "uci"


class IsReady(Command):
    """Answer readyok once all earlier commands are done; during a search, at once."""

    usage = "isready"


@dataclass(frozen=True)
class SetOption(Command):
    """Set an option or press a button; uci lists the names."""

    usage = "setoption name <name> [value <value>]"

    name: str
    value: str | None = None


class NewGame(Command):
    """The next position is from another game: forget this one."""

    usage = "ucinewgame"


@dataclass(frozen=True)
class Position(Command):
    """Set up a position and play the moves that follow it."""

    usage = "position (startpos | fen <fen>) [moves <move> ...]"

    fen: str | None  # None: the start position
    moves: tuple[str, ...] = ()
    problem: str = ""  # why there is no position in the line; usually empty


@dataclass(frozen=True)
class Go(Command):
    """Search the position. All limits are optional; without one, search until stop."""

    usage = (
        "go [wtime|btime|winc|binc|movetime <ms>] [movestogo|depth|nodes|mate <n>]\n"
        "     [infinite] [ponder] [searchmoves <move> ...]"
    )

    limits: Limits
    read_at: float = field(default_factory=time.perf_counter, compare=False)


class Stop(Command):
    """End the search now and answer with its bestmove."""

    usage = "stop"


class PonderHit(Command):
    """The opponent played the expected move: continue, with the clock running."""

    usage = "ponderhit"


class Quit(Command):
    """End the program. A search gives its bestmove first; in a script perft and bench finish."""

    usage = "quit"


@dataclass(frozen=True)
class Perft(ConsoleCommand):
    """Count the leaves of the tree of legal moves below each root move; also go perft."""

    usage = "perft <depth>"

    depth: int


@dataclass(frozen=True)
class Bench(ConsoleCommand):
    """Search fixed positions; the node count is the signature of the engine's behaviour."""

    usage = "bench [<depth> [<hash MB> [<threads>]]]"

    depth: int | None = None
    hash_mb: int | None = None
    threads: int | None = None


@dataclass(frozen=True)
class Effectiveness(ConsoleCommand):
    """Compare the node counts of minimax, alpha-beta and the full search, depth by depth."""

    usage = "bench --effectiveness [<depth>]"

    depth: int | None = None


class Display(ConsoleCommand):
    """Show the position."""

    usage = "d"


class Evaluate(ConsoleCommand):
    """Show the evaluation of the position, term by term."""

    usage = "eval"


class Flip(ConsoleCommand):
    """Swap the colours in the position."""

    usage = "flip"


@dataclass(frozen=True)
class Program(ConsoleCommand):
    """End this and play in the terminal, on a board in your browser, or analyse games."""

    usage = "play | board | analyse <file>"

    name: str
    options: tuple[str, ...] = ()


class Help(ConsoleCommand):
    """Show this list."""

    usage = "help"


# --- Reading a line ---------------------------------------------------------------------------


def parse(line: str) -> Command:
    """The command in `line`.

    As the protocol demands, unknown tokens before a command are skipped (`joho debug on`). This
    holds for its own commands only: `d` or `eval` after junk is not a command.
    """
    text = line.lstrip("\ufeff")
    words = text.split()
    if not words or words[0].startswith("#"):
        return Nothing()
    if words[0] in _CONSOLE:
        return _CONSOLE[words[0]](words[1:])
    for start, word in enumerate(words):
        if word == "setoption":
            return _setoption(words[start + 1 :], text.split(None, start)[start])
        if word in _PROTOCOL:
            return _PROTOCOL[word](words[start + 1 :])
    meant = did_you_mean(words[0], NAMES) or ", type help for a list"
    return Unknown(warnings=(f"unknown command {brief(text)}{meant}",))


def _setoption(words: list[str], text: str) -> Command:
    """`text` is the line from `setoption` on: blanks inside a value (a path) are kept."""
    lowered = [word.casefold() for word in words]
    if not words or lowered[0] != "name":
        return Nothing(warnings=(f"setoption needs a name: {brief(text)}",))
    if "value" not in lowered:
        return SetOption(" ".join(words[1:]))
    at = lowered.index("value")
    after_value = text.split(None, at + 2)[at + 2 :]
    return SetOption(" ".join(words[1:at]), after_value[0].strip() if after_value else "")


def _position(words: list[str]) -> Command:
    at = words.index("moves") if "moves" in words else len(words)
    root, moves = words[:at], tuple(move.lower() for move in words[at + 1 :])
    if root == ["startpos"]:
        return Position(None, moves)
    if len(root) > 1 and root[0] == "fen":
        return Position(" ".join(root[1:]), moves)
    return Position(None, problem=f"it needs startpos or fen <fen>, not {brief(' '.join(words))}")


_NUMBERS = {  # token of `go` -> field of Limits
    "depth": "depth",
    "nodes": "nodes",
    "mate": "mate",
    "movetime": "movetime_ms",
    "wtime": "white_time_ms",
    "btime": "black_time_ms",
    "winc": "white_increment_ms",
    "binc": "black_increment_ms",
    "movestogo": "moves_to_go",
}
_GO_TOKENS = {*_NUMBERS, "infinite", "ponder", "searchmoves"}


def _go(words: list[str]) -> Command:
    if "perft" in words:
        return _perft(words[words.index("perft") + 1 :])
    limits: dict[str, Any] = {}
    search_moves: list[str] = []
    unreadable: list[str] = []
    unknown: list[str] = []
    warnings: list[str] = []
    rest = iter(words)
    word = next(rest, None)
    while word is not None:
        following = next(rest, None)
        if word in ("infinite", "ponder"):
            limits[word] = True
        elif word in _NUMBERS:
            number = None if following is None else whole_number(following)
            if number is None:
                unreadable.append(word)
                if following is not None and following not in _GO_TOKENS:
                    following = next(rest, None)
            else:
                # Some GUIs mean "all the rest of the game" by 0 or -1.
                if word != "movestogo" or number > 0:
                    field = _NUMBERS[word]
                    limits[field] = _clamped(word, number, *LIMIT_RANGES[field], warnings)
                following = next(rest, None)
        elif word == "searchmoves":
            while following is not None and MOVE.fullmatch(following):
                search_moves.append(following)
                following = next(rest, None)
        else:
            unknown.append(word)
        word = following

    if unreadable:
        warnings.append(f"go: no readable number after {_listed(unreadable)}, ignored")
    if unknown:
        meant = next(filter(None, (did_you_mean(word, _GO_TOKENS) for word in unknown[:3])), "")
        warnings.append(f"go: ignored {_listed(unknown)}{meant}")
    read = Limits(**limits, search_moves=tuple(search_moves))
    if (unreadable or unknown) and not (read.is_bounded or read.infinite):
        read = replace(read, movetime_ms=FALLBACK_MOVETIME_MS)
        warnings.append(f"go: no limit is left, so the search takes {FALLBACK_MOVETIME_MS} ms")
    return Go(read, warnings=tuple(warnings))


def _perft(words: list[str]) -> Command:
    warnings: list[str] = []
    (depth,) = _counts("perft", words, [MOST_PERFT_PLIES], warnings)
    if depth is None:
        return Nothing(warnings=(*warnings, "perft needs a depth"))
    return Perft(depth, warnings=tuple(warnings))


def _bench(words: list[str]) -> Command:
    warnings: list[str] = []
    if words[:1] == ["--effectiveness"]:
        (depth,) = _counts("bench", words[1:], [LARGEST], warnings)
        return Effectiveness(depth, warnings=tuple(warnings))
    if words[:1] and (meant := did_you_mean(words[0], ["--effectiveness"])):
        return Nothing(warnings=(f"bench: unknown word {brief(words[0])}{meant}",))
    largest = [LARGEST, RANGES["hash_mb"][1], RANGES["threads"][1]]
    depth, hash_mb, threads = _counts("bench", words, largest, warnings)
    return Bench(depth, hash_mb, threads, warnings=tuple(warnings))


def _counts(
    command: str, words: list[str], largest: list[int], warnings: list[str]
) -> list[int | None]:
    """A number from 1 on for each of `largest`, None if missing or unreadable. Adds problems to
    `warnings`."""
    numbers: list[int | None] = []
    for word, most in zip(words, largest, strict=False):
        number = whole_number(word)
        if number is None:
            warnings.append(f"{command}: {brief(word)} is not a whole number, ignored")
        else:
            number = _clamped(command, number, 1, most, warnings)
        numbers.append(number)
    if words[len(largest) :]:
        warnings.append(f"{command}: ignored {_listed(words[len(largest) :])}")
    return numbers + [None] * (len(largest) - len(numbers))


def _clamped(word: str, number: int, least: int, most: int, warnings: list[str]) -> int:
    clamped = min(max(number, least), most)
    if clamped != number:
        warnings.append(f"{word} must be {least} to {most}, using {clamped}")
    return clamped


def _unknown(command: str, words: list[str]) -> tuple[str, ...]:
    """The warning about what follows a command that takes no words."""
    return (f"{command}: unknown word {brief(words[0])}, ignored",) if words else ()


def _listed(words: list[str]) -> str:
    """The first three; a line can hold thousands."""
    more = f" and {len(words) - 3} more" if len(words) > 3 else ""
    return ", ".join(brief(word) for word in words[:3]) + more


def _nothing(words: list[str]) -> Command:
    """For `debug` and `register`, which have no effect here, and for GUIs that try `xboard`
    before `uci`."""
    return Nothing()


_PROTOCOL: dict[str, Callable[[list[str]], Command]] = {
    "uci": lambda words: Uci(),
    "debug": _nothing,
    "register": _nothing,
    "isready": lambda words: IsReady(),
    "ucinewgame": lambda words: NewGame(),
    "position": _position,
    "go": _go,
    "stop": lambda words: Stop(),
    "ponderhit": lambda words: PonderHit(),
    "quit": lambda words: Quit(),
}
_CONSOLE: dict[str, Callable[[list[str]], Command]] = {
    "xboard": _nothing,
    "perft": _perft,
    "bench": _bench,
    "d": lambda words: Display(warnings=_unknown("d", words)),
    "eval": lambda words: Evaluate(warnings=_unknown("eval", words)),
    "flip": lambda words: Flip(warnings=_unknown("flip", words)),
    "play": lambda words: Program("play", tuple(words)),
    "board": lambda words: Program("board", tuple(words)),
    "analyse": lambda words: Program("analyse", tuple(words)),
    "help": lambda words: Help(),  # `help bench` finds it in the list
}
NAMES = (*_PROTOCOL, "setoption", *_CONSOLE)

DOCUMENTED: tuple[type[Command], ...] = (
    Uci,
    IsReady,
    SetOption,
    NewGame,
    Position,
    Go,
    Stop,
    PonderHit,
    Quit,
    Perft,
    Bench,
    Effectiveness,
    Display,
    Evaluate,
    Flip,
    Program,
    Help,
)
