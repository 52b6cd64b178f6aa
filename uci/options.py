"""The options, one entry each. A new option is a new entry in OPTIONS and nothing else.

The listing for `uci`, the checking of values and the setting all come from the entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine.limits import MOST_HASH_MB, MOST_THREADS
from openings import SHIPPED_BOOK
from uci.text import brief

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
        """Let the user read a line."""


class When(Enum):
    """When an option can be set. The protocol says when idle, but not every GUI keeps to it."""

    AT_ONCE = "even while the engine is still loading, for it is none of the engine's business"
    ANY_TIME = "a running search does not mind"
    WHEN_IDLE = "not before the running search has ended"


class Reading(NamedTuple):
    """What came of a text: the value, and what the user should know about it."""

    value: Any
    remark: str | None = None


@dataclass(frozen=True, kw_only=True)
class Option:
    """A button: something to do. The other types follow."""

    name: str
    apply: Callable[[Target, Any], str | None]  # returns what the user should know
    when: When = When.ANY_TIME

    def listing(self) -> str:
        return "type button"

    def read(self, text: str) -> Reading:
        """The value in `text`; ValueError with the reason if there is none."""
        return Reading(None)


@dataclass(frozen=True, kw_only=True)
class Check(Option):
    default: bool

    def listing(self) -> str:
        return f"type check default {str(self.default).lower()}"

    def read(self, text: str) -> Reading:
        if text.casefold() not in ("true", "false"):
            raise ValueError(f"must be true or false, not {brief(text)}")
        return Reading(text.casefold() == "true")


@dataclass(frozen=True, kw_only=True)
class Spin(Option):
    """A whole number in a range; a number outside is taken as the nearest inside."""

    default: int
    least: int
    most: int

    def listing(self) -> str:
        return f"type spin default {self.default} min {self.least} max {self.most}"

    def read(self, text: str) -> Reading:
        try:
            number = int(text[:25])  # int() refuses thousands of digits
        except ValueError:
            raise ValueError(f"must be a whole number, not {brief(text)}") from None
        value = min(max(number, self.least), self.most)
        if value == number:
            return Reading(value)
        return Reading(value, f"must be {self.least} to {self.most}, taken as {value}")


@dataclass(frozen=True, kw_only=True)
class Text(Option):
    default: str

    def listing(self) -> str:
        return f"type string default {self.default or EMPTY}"

    def read(self, text: str) -> Reading:
        return Reading("" if text == EMPTY else text)


def _engine(attribute: str) -> Callable[[Target, Any], str | None]:
    """Set the attribute of the engine."""
    return lambda target, value: setattr(target.engine, attribute, value)


def _book(attribute: str) -> Callable[[Target, Any], str | None]:
    """Set the attribute of the engine's opening book."""
    return lambda target, value: setattr(target.engine.book, attribute, value)


def _use_tables(target: Target, path: str) -> None:
    for line in target.engine.set_tablebases(path)[:MOST_REMARKS]:
        target.tell(line)


def _nothing(target: Target, value: Any) -> None:
    """For what GUIs tell and ask, but what changes nothing."""


OPTIONS: list[Option] = [
    Text(
        name="Debug Log File",
        default="",
        apply=lambda target, path: target.log.open(path),
        when=When.AT_ONCE,
    ),
    Spin(
        name="Threads",
        default=1,
        least=1,
        most=MOST_THREADS,
        apply=lambda target, count: target.engine.set_threads(count),
        when=When.WHEN_IDLE,
    ),
    Spin(
        name="Hash",
        default=16,
        least=1,
        most=MOST_HASH_MB,
        apply=lambda target, megabytes: target.engine.resize_hash(megabytes),
        when=When.WHEN_IDLE,
    ),
    Option(
        name="Clear Hash",
        apply=lambda target, _: target.engine.clear_hash(),
        when=When.WHEN_IDLE,
    ),
    # Only tells that pondering may happen, which is a matter of time management. GUIs never
    # ponder with an engine that does not list it.
    Check(name="Ponder", default=False, apply=_engine("ponder")),
    Spin(name="MultiPV", default=1, least=1, most=256, apply=_engine("multi_pv")),
    # Milliseconds that pass between the GUI's clock and ours.
    Spin(name="Move Overhead", default=30, least=0, most=5000, apply=_engine("move_overhead_ms")),
    Check(
        name="UCI_Chess960",
        default=False,
        apply=_engine("chess960"),
        when=When.WHEN_IDLE,  # it changes how the running search writes castling
    ),
    # Folders with endgame tables, separated by ; or : (the built-in tables if empty). The largest
    # tables are asked from SyzygyProbeDepth plies before the horizon on.
    Text(name="SyzygyPath", default="", apply=_use_tables, when=When.WHEN_IDLE),
    Spin(name="SyzygyProbeDepth", default=1, least=1, most=100, apply=_engine("table_least_depth")),
    Spin(name="SyzygyProbeLimit", default=7, least=0, most=7, apply=_engine("table_most_men")),
    Check(name="Syzygy50MoveRule", default=True, apply=_engine("table_fifty_moves")),
    Check(name="UCI_ShowWDL", default=False, apply=_engine("show_wdl")),
    Check(name="UCI_AnalyseMode", default=False, apply=_engine("analyse_mode")),
    # Match runners and GUIs bring openings of their own, so it is off.
    Check(
        name="OwnBook",
        default=False,
        apply=lambda target, enabled: target.engine.book.enable(enabled),
    ),
    Text(
        name="Book File",
        default=SHIPPED_BOOK,
        apply=lambda target, file: target.engine.book.set_file(file),
    ),
    Check(name="Best Book Move", default=False, apply=_book("best_move")),
    # Full moves of the game.
    Spin(name="Book Depth", default=255, least=1, most=255, apply=_book("most_moves")),
    # From always the move of the greatest weight to a choice in proportion to the weights.
    Spin(name="Book Variety", default=100, least=0, most=100, apply=_book("variety")),
    Text(name="UCI_Opponent", default="", apply=_nothing),
    Text(
        name="UCI_EngineAbout",
        default="Wadjet, a chess engine written in Python",
        apply=_nothing,
    ),
    # Clocks in nodes, so many for a millisecond: games with a clock that can be repeated.
    Spin(name="nodestime", default=0, least=0, most=100_000, apply=_engine("nodes_per_ms")),
]


def add_tunables() -> None:
    """Make every constant of the search an option, for programs that tune them."""
    from engine.search.params import tunables

    def setter(name: str) -> Callable[[Target, Any], None]:
        return lambda target, value: target.engine.set_tunable(name, value)

    OPTIONS.extend(
        Spin(
            name=name,
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


def apply_defaults(target: Target) -> None:
    """Make true what the listing promises: a GUI does not send what equals the default."""
    for option in OPTIONS:
        if isinstance(option, Check | Spin):
            option.apply(target, option.default)
