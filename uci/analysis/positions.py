"""The analysis of one position: what the search found, and what the evaluation is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from engine.events import Score, SearchEvent, SearchInfo, SearchResult
from engine.limits import Limits

if TYPE_CHECKING:
    from engine.api import Engine

GAME_OVER_CHANCES = {True: (0, 0, 1000), False: (0, 1000, 0)}  # is it mate? Side to move's view
LEAST_DEPTH = 6  # a shallower search misses what any reader sees
MOST_LINE_PLIES = 12  # longer lines are cut; their ends are worth little


@dataclass(frozen=True)
class Place:
    """A position of a game: a FEN and the moves since, in UCI notation."""

    fen: str
    moves: tuple[str, ...] = ()
    chess960: bool = False


@dataclass(frozen=True)
class Line:
    """A best line. Scores and chances are White's; exactly one of the scores is not None."""

    centipawns: int | None
    mate: int | None  # full moves; negative: Black mates; 0: it is mate
    chances: tuple[int, int, int]  # White wins, draw, Black wins; per mille
    moves: tuple[str, ...]
    depth: int

    def score_text(self) -> str:
        if self.mate is not None:
            return f"#{self.mate}" if self.mate else "#"
        return f"{(self.centipawns or 0) / 100:+.2f}"


@dataclass(frozen=True)
class Reasons:
    """The static evaluation in parts, in centipawns from White's view."""

    words: tuple[str, ...]
    terms: tuple[tuple[str, int, int], ...]  # title, White's share, Black's share
    weighted_sum: int
    network: int | None
    pieces: tuple[tuple[int, int], ...]  # square, worth to the network


@dataclass(frozen=True)
class Analysis:
    line: Line
    reasons: Reasons

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Analysis:
        """The inverse of `as_json`. Raises TypeError, KeyError or ValueError for anything else."""
        line, reasons = data["line"], data["reasons"]
        return cls(
            Line(**{**line, "chances": _triple(line["chances"]), "moves": tuple(line["moves"])}),
            Reasons(
                words=tuple(reasons["words"]),
                terms=tuple((str(name), int(w), int(b)) for name, w, b in reasons["terms"]),
                weighted_sum=int(reasons["weighted_sum"]),
                network=reasons["network"],
                pieces=tuple((int(square), int(worth)) for square, worth in reasons["pieces"]),
            ),
        )


def analyse(engine: Engine, place: Place, limits: Limits) -> Analysis:
    """Search the position and explain it. Raises PositionError."""
    return Analysis(best_lines(engine, place, limits)[0], explained(engine))


def explained(engine: Engine) -> Reasons:
    """The current position of the engine."""
    here = engine.explanation()
    return Reasons(
        words=tuple(here.words),
        terms=tuple((share.title, round(share.white), round(share.black)) for share in here.shares),
        weighted_sum=here.weighted_sum,
        network=here.network,
        pieces=tuple(sorted(here.piece_values.items())),
    )


def best_lines(engine: Engine, place: Place, limits: Limits) -> list[Line]:
    """The best lines in order, as many as the setting `multi_pv` of the engine, which must report
    chances (`show_wdl`). Raises PositionError."""
    if engine.settings.chess960 != place.chess960:
        engine.configure(chess960=place.chess960)
    engine.set_position(place.fen, place.moves)
    is_white = engine.fen().split()[1] == "w"
    found: dict[int, SearchInfo] = {}
    whole: dict[str, tuple[str, ...]] = {}  # by its first move, the last line of several moves
    result = SearchResult(None)

    def note(event: SearchEvent) -> None:
        nonlocal result
        if isinstance(event, SearchInfo):
            found[event.multi_pv] = event
            if len(event.pv) > 1:
                whole[event.pv[0]] = event.pv
        elif isinstance(event, SearchResult):
            result = event

    engine.go(limits, note)
    engine.wait()
    is_shallow = 1 not in found or found[1].depth < LEAST_DEPTH
    if is_shallow and limits.movetime_ms is not None:  # the machine had no time for us
        engine.go(Limits(depth=LEAST_DEPTH), note)
        engine.wait()
    lines = []
    for number in sorted(found):
        moves = found[number].pv
        if number == 1 and result.best_move is not None and moves[:1] != (result.best_move,):
            moves = (result.best_move,)
        if len(moves) == 1:  # from an iteration that was cut off
            moves = whole.get(moves[0], moves)
        lines.append(_line(found[number], moves, is_white))
    return lines


def _line(info: SearchInfo, moves: tuple[str, ...], is_white: bool) -> Line:
    score: Score = info.score
    chances = info.win_draw_loss or GAME_OVER_CHANCES[score.mate == 0]
    sign = 1 if is_white else -1
    return Line(
        centipawns=None if score.centipawns is None else sign * score.centipawns,
        mate=None if score.mate is None else sign * score.mate,
        chances=chances if is_white else _triple(chances[::-1]),
        moves=moves[:MOST_LINE_PLIES],
        depth=info.depth,
    )


def _triple(numbers: Any) -> tuple[int, int, int]:
    first, second, third = numbers
    return int(first), int(second), int(third)
