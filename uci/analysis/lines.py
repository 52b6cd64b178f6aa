"""What a search found, as White sees it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import chess

from engine.board.ending import Ending, ending_by_rule
from engine.events import SearchInfo
from engine.limits import Limits

if TYPE_CHECKING:
    from engine.api import Engine

LEAST_DEPTH = 6  # a shallower search misses what any reader sees
MOST_LINE_PLIES = 12  # longer lines are cut; their ends are worth little
HEADS = ("", "Move", "Score", "White", "Draw", "Black", "Depth")  # of the table of lines
LEAST_LINE_WIDTH = 16


def side_name(side: chess.Color) -> str:
    return "White" if side == chess.WHITE else "Black"


@dataclass(frozen=True)
class Line:
    """A best line. Scores and chances are White's; exactly one of the scores is not None."""

    centipawns: int | None
    mate: int | None  # full moves; negative: Black mates; 0: it is mate
    chances: tuple[int, int, int]  # White wins, draw, Black wins; per mille
    moves: tuple[chess.Move, ...]  # none if the game is over
    depth: int = 0
    ending: str = ""  # the reason of an Ending, if the game is over

    @classmethod
    def of(cls, ending: Ending) -> Line:
        """After the end of the game."""
        if ending.winner is None:
            return cls(0, None, (0, 1000, 0), (), 0, ending.reason)
        chances = (1000, 0, 0) if ending.winner else (0, 0, 1000)
        return cls(None, 0, chances, (), 0, ending.reason)

    def mate_for(self, side: chess.Color) -> int | None:
        """In how many moves the side mates, if it does."""
        moves = (self.mate or 0) * (1 if side == chess.WHITE else -1)
        return moves if moves > 0 else None

    def score_text(self) -> str:
        if self.mate is not None:
            return f"#{self.mate}" if self.mate else "#"
        return f"{(self.centipawns or 0) / 100:+.2f}"


class Reasons(TypedDict):
    """The static evaluation in parts, in centipawns from White's view, as the page needs it."""

    words: list[str]  # who has what; only a search shows who is better
    terms: list[list[Any]]  # title, White's share, Black's share
    weighted_sum: int
    network: int | None
    pieces: dict[str, int]  # by the number of the square: worth to the network


@dataclass(frozen=True)
class Analysis:
    line: Line
    reasons: Reasons

    def as_json(self) -> dict[str, Any]:
        moves = [move.uci() for move in self.line.moves]
        return {"line": {**vars(self.line), "moves": moves}, "reasons": self.reasons}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Analysis:
        """The inverse of `as_json`. Raises TypeError, KeyError or ValueError for anything else."""
        line = data["line"]
        white, draw, black = line["chances"]
        moves = tuple(map(chess.Move.from_uci, line["moves"]))
        return cls(
            Line(**{**line, "chances": (white, draw, black), "moves": moves,
                    "ending": line["ending"]}),
            data["reasons"],
        )  # fmt: skip


def analyse(engine: Engine, board: chess.Board, limits: Limits, claimed: bool = False) -> Analysis:
    """Search the position and explain it. `claimed`: see Engine.ending. Raises PositionError."""
    return Analysis(best_lines(engine, board, limits, claimed)[0], explained(engine, claimed))


def explained(engine: Engine, claimed: bool = False) -> Reasons:
    """The current position of the engine."""
    here = engine.explanation(claimed)
    return Reasons(
        words=here.reasons,
        terms=[[share.title, round(share.white), round(share.black)] for share in here.shares],
        weighted_sum=here.weighted_sum,
        network=here.network,
        pieces={str(square): worth for square, worth in sorted(here.piece_values.items())},
    )


def best_lines(
    engine: Engine, board: chess.Board, limits: Limits, claimed: bool = False
) -> list[Line]:
    """The best lines in order, as many as the setting `multi_pv` of the engine, which must report
    chances (`show_wdl`); if the game is over, one without moves. The moves that led to the position
    count. Raises PositionError."""
    engine.set_position(board)
    if (ending := ending_by_rule(board, claimed)) is not None:
        return [Line.of(ending)]
    found: dict[int, SearchInfo] = {}
    whole: dict[str, tuple[str, ...]] = {}  # by its first move, the last line of several moves

    def search(limits: Limits) -> str | None:
        with engine.infos(limits) as infos:
            for info in infos:
                found[info.multi_pv] = info
                if len(info.pv) > 1 and info.bound == "exact":  # long searches report bounds, too
                    whole[info.pv[0]] = info.pv
            return infos.answer().best_move

    best_move = search(limits)
    is_shallow = 1 not in found or found[1].depth < LEAST_DEPTH
    if is_shallow and limits.movetime_ms is not None:  # the machine had no time for us
        best_move = search(Limits(depth=LEAST_DEPTH))
    lines = []
    for number in sorted(found):
        moves = found[number].pv
        if number == 1 and best_move is not None and moves[:1] != (best_move,):
            moves = (best_move,)
        if len(moves) == 1:  # from an iteration that was cut off
            moves = whole.get(moves[0], moves)
        lines.append(line_of(found[number], moves, board.turn))
    return lines


def line_of(info: SearchInfo, moves: tuple[str, ...], side: chess.Color) -> Line:
    """From the view of the side to move to White's."""
    sign = 1 if side == chess.WHITE else -1
    centipawns, mate = info.score.centipawns, info.score.mate
    win, draw, loss = info.win_draw_loss or (0, 1000, 0)
    return Line(
        centipawns=None if centipawns is None else sign * centipawns,
        mate=None if mate is None else sign * mate,
        chances=(win, draw, loss) if side == chess.WHITE else (loss, draw, win),
        moves=tuple(map(chess.Move.from_uci, moves[:MOST_LINE_PLIES])),
        depth=info.depth,
    )


# --- The lines of one position as a table -------------------------------------------------------


def table(board: chess.Board, lines: Sequence[Line]) -> list[str]:
    """A row for each line: number, move, score and chances from White's view, depth, and as much of
    the line as the terminal has room for."""
    rows = []
    for number, line in enumerate(lines, 1):
        chances = [f"{share / 10:.0f}%" for share in line.chances]
        cells = (
            f"{number}.", board.san(line.moves[0]), line.score_text(), *chances, str(line.depth)
        )  # fmt: skip
        rows.append((cells, board.variation_san(line.moves)))
    widths = [max(len(cells[at]) for cells, _ in [*rows, (HEADS, "")]) for at in range(len(HEADS))]
    room = shutil.get_terminal_size((100, 24)).columns - sum(widths) - 2 * len(widths)
    return [
        f"{_row(HEADS, widths)}  Line",
        *(f"{_row(cells, widths)}  {_cut(text, room)}" for cells, text in rows),
    ]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Moves to the left, numbers to the right."""
    return "  ".join(
        cell.ljust(width) if at == 1 else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )


def _cut(text: str, room: int) -> str:
    """Whole moves only."""
    room = max(room, LEAST_LINE_WIDTH)
    if len(text) <= room:
        return text
    whole = text[: room + 1].rpartition(" ")[0]
    return re.sub(r" \d+\.$", "", whole)  # a number without its move
