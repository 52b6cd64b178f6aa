"""The options, one entry each. A new option is a new entry in OPTIONS and, if it only sets a value
of the engine, a line in engine/settings.py with its default and range.

The entry alone defines the listing for `uci`, the valid values and the action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine.eval.choice import DEFAULT_EVALUATION, EVALUATIONS, SHIPPED_NETWORK
from engine.settings import DEFAULTS, RANGES
from openings import SHIPPED_BOOK
from uci.text import brief, whole_number

if TYPE_CHECKING:
    from engine.api import Engine
    from uci.output import DebugLog

MOST_REMARKS = 10  # about one value
EMPTY = "<empty>"  # how the protocol writes an empty string


class Target(Protocol):
    """What options act on."""

    @property
    def engine(self) -> Engine: ...

    @property
    def log(self) -> DebugLog: ...

    def tell(self, text: str) -> None:
        """Show the user a line."""


class When(Enum):
    """When an option can be set. The protocol says when idle, but not every GUI keeps to it."""

    AT_ONCE = "even while the engine is still loading, because it does not concern the engine"
    ANY_TIME = "even during a search"
    WHEN_IDLE = "not before the running search has ended"


class Reading(NamedTuple):
    """A value read from text, and a remark for the user."""

    value: Any
    remark: str | None = None


@dataclass(frozen=True, kw_only=True)
class Option:
    """A button: an action without a value. The other types follow."""

    name: str
    meaning: str  # for the reference, docs/options.md
    apply: Callable[[Target, Any], str | None]  # returns a remark for the user
    when: When = When.ANY_TIME

    def listing(self) -> str:
        """The line that announces the option after `uci`."""
        return f"option name {self.name} type {self._type()}"

    def _type(self) -> str:
        return "button"

    def read(self, text: str) -> Reading:
        """The value of `text`. Raises ValueError with the reason if it is not valid."""
        return Reading(None)


@dataclass(frozen=True, kw_only=True)
class Check(Option):
    default: bool

    def _type(self) -> str:
        return f"check default {str(self.default).lower()}"

    def read(self, text: str) -> Reading:
        if text.casefold() not in ("true", "false"):
            raise ValueError(f"must be true or false, not {brief(text)}")
        return Reading(text.casefold() == "true")


@dataclass(frozen=True, kw_only=True)
class Spin(Option):
    """A whole number in a range; numbers outside are clamped."""

    default: int
    least: int
    most: int

    def _type(self) -> str:
        return f"spin default {self.default} min {self.least} max {self.most}"

    def read(self, text: str) -> Reading:
        number = whole_number(text)
        if number is None:
            raise ValueError(f"must be a whole number, not {brief(text)}")
        value = min(max(number, self.least), self.most)
        if value == number:
            return Reading(value)
        return Reading(value, f"must be {self.least} to {self.most}, using {value}")


@dataclass(frozen=True, kw_only=True)
class Combo(Option):
    default: str
    choices: tuple[str, ...]

    def _type(self) -> str:
        choices = " ".join(f"var {choice}" for choice in self.choices)
        return f"combo default {self.default} {choices}"

    def read(self, text: str) -> Reading:
        for choice in self.choices:
            if choice.casefold() == text.strip().casefold():
                return Reading(choice)
        raise ValueError(f"must be {' or '.join(self.choices)}, not {brief(text)}")


@dataclass(frozen=True, kw_only=True)
class Text(Option):
    default: str

    def _type(self) -> str:
        return f"string default {self.default or EMPTY}"

    def read(self, text: str) -> Reading:
        return Reading("" if text == EMPTY else text)


def _setting(name: str, setting: str, meaning: str, when: When = When.ANY_TIME) -> Option:
    """The option that sets this setting of the engine (engine/settings.py)."""
    default = getattr(DEFAULTS, setting)

    def apply(target: Target, value: Any) -> str | None:
        remark = None
        if setting == "threads" and value > (most := target.engine.most_threads):
            remark = f"{value} are too many for this machine, taken as {most}"
            value = most
        target.engine.configure(**{setting: value})
        return remark

    if isinstance(default, bool):
        return Check(name=name, meaning=meaning, default=default, apply=apply, when=when)
    least, most = RANGES[setting]
    return Spin(
        name=name,
        meaning=meaning,
        default=default,
        least=least,
        most=most,
        apply=apply,
        when=when,
    )


def _use_tablebases(target: Target, path: str) -> None:
    for line in target.engine.set_tablebases(path)[:MOST_REMARKS]:
        target.tell(line)


def _nothing(target: Target, value: Any) -> None:
    """For options that GUIs set or read, without effect on the engine."""


OPTIONS: list[Option] = [
    Text(
        name="Debug Log File",
        meaning="records all input and output in this file, for bug reports",
        default="",
        apply=lambda target, path: target.log.open(path),
        when=When.AT_ONCE,
    ),
    _setting(
        "Threads",
        "threads",
        "number of search threads; at most one per processor core is useful",
        When.WHEN_IDLE,
    ),
    _setting("Hash", "hash_mb", "size of the transposition table in MB", When.WHEN_IDLE),
    Option(
        name="Clear Hash",
        meaning="empties the transposition table",
        apply=lambda target, _: target.engine.clear_hash(),
        when=When.WHEN_IDLE,
    ),
    # Pondering itself is the GUI's decision; this only changes time management. GUIs never
    # ponder with an engine that does not list the option.
    _setting(
        "Ponder",
        "ponder",
        "the GUI may let the engine think on the opponent's time, so it spends more of its own",
    ),
    _setting("MultiPV", "multi_pv", "number of best lines to show"),
    _setting(
        "Move Overhead",
        "move_overhead_ms",
        "milliseconds that each move loses between the engine and the clock",
    ),
    # It changes the notation of castling in the current position.
    _setting(
        "UCI_Chess960",
        "chess960",
        "Chess960: castling is written as king takes rook",
        When.WHEN_IDLE,
    ),
    Combo(
        name="Evaluation",
        meaning="a neural network, or a weighted sum of terms that `eval` shows one by one",
        default=DEFAULT_EVALUATION,
        choices=EVALUATIONS,
        apply=lambda target, evaluation: target.engine.set_evaluation(evaluation),
        when=When.WHEN_IDLE,
    ),
    Text(
        name="EvalFile",
        meaning="the network: the built-in one, or the path of another",
        default=SHIPPED_NETWORK,
        apply=lambda target, path: target.engine.set_network(path),
        when=When.WHEN_IDLE,
    ),
    Text(
        name="SyzygyPath",
        meaning="folders with tablebases, separated by `;` or `:`, besides the built-in ones",
        default="",
        apply=_use_tablebases,
        when=When.WHEN_IDLE,
    ),
    _setting(
        "SyzygyProbeDepth",
        "tablebase_least_depth",
        "the largest tablebases are probed only at this remaining depth or more",
    ),
    _setting(
        "SyzygyProbeLimit",
        "tablebase_most_men",
        "positions with more men are not probed; 0: none are",
    ),
    _setting(
        "Syzygy50MoveRule",
        "tablebase_fifty_moves",
        "tablebase wins that the fifty-move rule prevents count as draws",
    ),
    _setting(
        "UCI_ShowWDL",
        "show_wdl",
        "adds the [chances](chances.md) of a win, draw and loss to the score",
    ),
    _setting(
        "UCI_AnalyseMode",
        "analyse_mode",
        "the book does not answer, and no level weakens the analysis",
    ),
    # Two ways to choose a level, see engine/play/levels.py.
    _setting(
        "UCI_LimitStrength",
        "limit_strength",
        "play like a player rated `UCI_Elo`, see [levels](levels.md)",
    ),
    _setting("UCI_Elo", "elo", "the rating of a level; the highest value is full strength"),
    _setting(
        "Skill Level",
        "skill_level",
        "another way to choose a level: 0 is `UCI_Elo` 500, 20 full strength; "
        "if both are set, the stronger one counts",
    ),
    # Off, because match runners and GUIs bring their own openings.
    Check(
        name="OwnBook",
        meaning="plays openings from a book",
        default=False,
        apply=lambda target, enabled: target.engine.book.enable(enabled),
    ),
    Text(
        name="Book File",
        meaning="the book: the built-in one, or the path of any Polyglot book",
        default=SHIPPED_BOOK,
        apply=lambda target, file: target.engine.book.set_file(file),
    ),
    _setting("Best Book Move", "book_best_move", "always plays the move of the greatest weight"),
    _setting(
        "Book Depth", "book_most_moves", "number of the last move that may come from the book"
    ),
    _setting(
        "Book Variety",
        "book_variety",
        "100 chooses in proportion to the weights, 0 always the greatest",
    ),
    Text(name="UCI_Opponent", meaning="set by GUIs; changes nothing", default="", apply=_nothing),
    Text(
        name="UCI_EngineAbout",
        meaning="shown by GUIs; changes nothing",
        default="Wadjet, a chess engine written in Python",
        apply=_nothing,
    ),
    # Clocks count nodes, this many a millisecond: games with a clock become reproducible.
    _setting(
        "nodestime",
        "nodes_per_ms",
        "clocks count nodes instead of time, this many a millisecond; 0: time",
    ),
]


def add_tunables() -> None:
    """Make every constant of the search an option, for tuning programs."""
    from engine.search.params import tunables

    def setter(name: str) -> Callable[[Target, Any], None]:
        return lambda target, value: target.engine.set_tunable(name, value)

    OPTIONS.extend(
        Spin(
            name=name,
            meaning="a constant of the search, see engine/search/params.py",
            default=values.default,
            least=values.minimum,
            most=values.maximum,
            apply=setter(name),
            when=When.WHEN_IDLE,
        )
        for name, values in tunables().items()
    )


def find(name: str) -> Option | None:
    """The option of that name, in any case and with any blanks between its words."""
    wanted = name.split()
    for option in OPTIONS:
        if [word.casefold() for word in option.name.split()] == [w.casefold() for w in wanted]:
            return option
    return None
