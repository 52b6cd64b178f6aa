"""Where lost games were lost: when the winner's score left equality for good, and what the loser
thought then. Both engines write their scores into the comments of a match's PGN file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, median

import chess
import chess.pgn

from tuning.matches.score import TIME_LEFT

MARGIN_CP = 100  # the winner sees a win from here on
OPENING_MEN, MIDDLEGAME_MEN = 26, 16  # at least

_SCORE = re.compile(r"([+-]?)(M?)([0-9]+(?:\.[0-9]+)?)/([0-9]+)")
_MATE_CP = 10_000
_WINNER = {"1-0": chess.WHITE, "0-1": chess.BLACK}


@dataclass(frozen=True)
class Loss:
    """The turning point of a lost game: since the winner's move there, its score has never been
    below the margin."""

    move: int  # number of the full move
    men: int
    loser_cp: int  # in its own view, at its last move before
    winner_depth: int
    loser_depth: int
    moves_until_seen: int | None  # by the loser, for good; None: never
    loser_left_s: float | None  # on its clock, at its last move before

    @property
    def phase(self) -> str:
        if self.men >= OPENING_MEN:
            return "opening"
        return "middlegame" if self.men >= MIDDLEGAME_MEN else "endgame"


@dataclass(frozen=True)
class _Said:
    """What an engine said with a move."""

    move: int
    men: int
    cp: int
    depth: int
    left_s: float | None


def loser_of(game: chess.pgn.Game) -> str | None:
    """Its name, unless the game was drawn or not finished."""
    winner = _WINNER.get(game.headers.get("Result", "*"))
    return None if winner is None else game.headers.get("Black" if winner else "White")


def loss_of(game: chess.pgn.Game, margin_cp: int = MARGIN_CP) -> Loss | None:
    """The turning point, if the game was lost and the scores show one."""
    winner = _WINNER.get(game.headers.get("Result", "*"))
    if winner is None:
        return None
    said = list(_all_said(game))
    theirs = [what for mover, what in said if mover == winner]
    ours = [what for mover, what in said if mover != winner]
    turn = _first_for_good([what.cp >= margin_cp for what in theirs])
    if turn is None:
        return None
    at = theirs[turn]
    # White moves first: of the same full move, White's is before Black's.
    before = [what for what in ours if what.move < at.move + (winner == chess.BLACK)]
    if not before:
        return None
    last = before[-1]
    seen = _first_for_good([what.cp <= -margin_cp for what in ours])
    return Loss(
        move=at.move,
        men=at.men,
        loser_cp=last.cp,
        winner_depth=at.depth,
        loser_depth=last.depth,
        moves_until_seen=None if seen is None else max(0, ours[seen].move - at.move),
        loser_left_s=last.left_s,
    )


def _all_said(game: chess.pgn.Game) -> Iterable[tuple[chess.Color, _Said]]:
    board = game.board()
    for node in game.mainline():
        mover, number = board.turn, board.fullmove_number
        board.push(node.move)
        score = _SCORE.match(node.comment.strip())
        if score is None:
            continue  # a move of the opening
        sign, mate, value, depth = score.groups()
        cp = _MATE_CP if mate else round(100 * float(value))
        left = TIME_LEFT.search(node.comment)
        yield (
            mover,
            _Said(
                move=number,
                men=chess.popcount(board.occupied),
                cp=-cp if sign == "-" else cp,
                depth=int(depth),
                left_s=float(left[1]) if left else None,
            ),
        )


def _first_for_good(holds: list[bool]) -> int | None:
    """The first index from which on all hold."""
    if not holds or not holds[-1]:
        return None
    return max((index for index, fine in enumerate(holds) if not fine), default=-1) + 1


def report(losses: list[Loss], lost: int, margin_cp: int = MARGIN_CP) -> str:
    """A few lines; `lost` counts the games whose scores show no turning point, too."""
    if not losses:
        return f"games lost: {lost}; no scores show where"
    phases = [
        f"{sum(loss.phase == phase for loss in losses)} in the {phase}"
        for phase in ("opening", "middlegame", "endgame")
    ]
    moves = sorted(loss.move for loss in losses)
    seen = [loss.moves_until_seen for loss in losses if loss.moves_until_seen is not None]
    lines = [
        f"games lost: {lost}; in {len(losses)} of them the winner's score passes "
        f"{margin_cp / 100:+.2f} for good:",
        f"  {', '.join(phases)} (from {OPENING_MEN} and {MIDDLEGAME_MEN} men on); "
        f"moves {moves[0]} to {moves[-1]}, median {median(moves):g}",
        "  the loser's score before: "
        f"median {median(loss.loser_cp for loss in losses) / 100:+.2f}; "
        f"depth {mean(loss.loser_depth for loss in losses):.1f} against "
        f"{mean(loss.winner_depth for loss in losses):.1f}",
    ]
    if seen:
        lines.append(
            f"  {len(seen)} losers see {-margin_cp / 100:+.2f} for good, "
            f"a median of {median(seen):g} moves later"
        )
    left = [loss.loser_left_s for loss in losses if loss.loser_left_s is not None]
    if left:
        lines.append(f"  the loser's clock: median {median(left):.1f} s, least {min(left):.1f} s")
    return "\n".join(lines)
