"""The levels: how the engine plays when it is to play like a weaker player.

All constants are in LEVELS. `wadjet-tune calibrate levels` compares its rows with people and plays
games between them; docs/levels.md shows the result. A level looks less far ahead, now and then
overlooks a move that is hard to see, or moves in haste, and chooses among the moves that seem about
equally good to it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from engine.board.makemove import make, unmake
from engine.board.move import CAPTURE, PROMOTION, from_square, to_square
from engine.board.position import Position
from engine.board.see import see_at_least
from engine.native.bits import popcount
from engine.scores import MATE_IN_RANGE
from engine.settings import RANGES, Settings

LEAST_ELO, FULL_STRENGTH = RANGES["elo"]
FULL_SKILL = RANGES["skill_level"][1]


class Level(NamedTuple):
    """What limits the play. Between the rows of LEVELS its numbers change in proportion."""

    elo: float  # the rating of people who err alike
    depth: float  # iterations; the fraction is the chance of one more
    nodes: float  # no new iteration after so many
    candidates: float  # moves to choose from
    temperature_cp: float  # a move that loses so much is chosen e times less often
    overlooks: float  # chance not to see a quiet move
    haste: float  # chance to move without a look at the opponent's replies
    book_moves: float  # from the opening book


# From 870 to 2700 temperature and haste follow `calibrate levels --fit`, from 1500 on about half
# way: the errors of people of that rating. The distances of the rows beyond come from games.
LEVELS = (
    # elo, depth, nodes, candidates, temperature_cp, overlooks, haste, book_moves
    Level(100, 1.0, 1000, 20, 240, 0.40, 0.60, 1),
    Level(450, 1.3, 1000, 12, 90, 0.20, 0.14, 2),
    Level(870, 1.7, 1000, 10, 43, 0.16, 0.12, 3),
    Level(1300, 2.0, 1200, 10, 42, 0.14, 0.085, 5),
    Level(1500, 2.5, 1500, 8, 30, 0.11, 0.015, 6),
    Level(1700, 4.2, 2200, 8, 14.5, 0.08, 0.005, 7),
    Level(1900, 5.0, 2500, 7, 14.5, 0.06, 0.005, 8),
    Level(2100, 5.7, 3000, 6, 14.5, 0.04, 0.003, 10),
    Level(2300, 6.0, 3500, 6, 14.5, 0.03, 0.003, 11),
    Level(2500, 6.5, 4000, 5, 14.5, 0.02, 0.003, 12),
    Level(2700, 7.0, 4500, 5, 14.5, 0.02, 0.001, 13),
    Level(3040, 10.0, 7000, 4, 9, 0.01, 0.0, 15),
    Level(3580, 30.0, 25000, 3, 4, 0.0, 0.0, 25),
)

HARD_FACTOR = 4  # an iteration may take so many times the nodes after which none begins
WIDEST_LOSS = 2.5  # temperatures; what seems to lose more is not played
LARGEST_SCORE_CP = 2000  # beyond it all is won
CONVERTING_ELO = 600  # from here on a player wins what is won ...
CLEARLY_WON_CP = 400  # ... from this evaluation on: sees all moves, and further ahead
CONVERTING_DEPTH = 2.0
OBVIOUS_SHARE = 0.25  # of the temperature, for a recapture, a clear win, or the only legal move
RETREAT_FACTOR = 2.0  # quiet moves backwards are overlooked so many times as often
HASTY_CHECK_CP = 50  # what a check is worth to a player in haste

# Time for a move, as shares of the soft limit.
TYPICAL_SHARE = 0.55
TIME_SPREAD = 0.6  # of its logarithm
OBVIOUS_TIME_SHARE = 0.3
LARGEST_SHARE = 1.6
LONGEST_WAIT_MS = 20_000.0


def level_of(settings: Settings) -> Level | None:
    """The level that the settings ask for; None: full strength.

    If both options set a level, the stronger one counts: a GUI that sends an old value of one of
    them does not weaken the engine.
    """
    asked: list[float] = []
    if settings.limit_strength and settings.elo < FULL_STRENGTH:
        asked.append(settings.elo)
    if settings.skill_level < FULL_SKILL:
        asked.append(skill_elo(settings.skill_level))
    return level_at(max(asked)) if asked else None


def with_book_of_level(settings: Settings) -> Settings:
    """The same settings, with a book no deeper than the level knows it."""
    level = level_of(settings)
    if level is None:
        return settings
    return replace(
        settings, book_most_moves=min(settings.book_most_moves, max(1, round(level.book_moves)))
    )


def skill_elo(skill: int) -> float:
    """The rating of a `Skill Level`: even steps from the least to full strength."""
    return LEAST_ELO + (FULL_STRENGTH - LEAST_ELO) * skill / FULL_SKILL


def level_at(elo: float) -> Level:
    """The level of a rating. Nodes grow by factors, everything else by steps."""
    after = bisect_right(LEVELS, elo, key=lambda level: level.elo)
    after = min(max(after, 1), len(LEVELS) - 1)
    low, high = LEVELS[after - 1], LEVELS[after]
    share = min(max((elo - low.elo) / (high.elo - low.elo), 0.0), 1.0)
    values = [a + (b - a) * share for a, b in zip(low, high, strict=True)]
    mixed = Level(*values)
    nodes = low.nodes * (high.nodes / low.nodes) ** share
    return Level(elo, mixed.depth, nodes, *values[3:])


class Effort(NamedTuple):
    """How hard a player tries at one move."""

    depth: int  # iterations
    nodes: int
    candidates: int
    temperature_cp: float
    is_hasty: bool
    is_obvious: bool


# Against a bare king: the elementary mates are technique.
MATING = Effort(
    depth=30, nodes=40_000, candidates=1, temperature_cp=0.0, is_hasty=False, is_obvious=False
)


class LimitedPlayer:
    """Decides, move by move, what a player of a level sees and plays."""

    def __init__(self, level: Level, chance: Random | None = None):
        self.level = level
        self._chance = chance or Random()

    def seen(self, pos: Position, moves: Sequence[int], evaluation_cp: int) -> list[int]:
        """Those of the legal moves that the player sees; at least one."""
        overlooks = self.level.overlooks
        if len(moves) < 2 or not overlooks or self._converts(evaluation_cp):
            return list(moves)
        if pos.snapshots[pos.ply].checkers:
            return list(moves)
        seen = [move for move in moves if self._sees(pos, move, overlooks)]
        return seen or [self._chance.choice(moves)]

    def _sees(self, pos: Position, move: int, chance: float) -> bool:
        if move & (CAPTURE | PROMOTION):
            return bool(see_at_least(pos, move, 0)) or self._chance.random() >= chance
        step = (to_square(move) >> 3) - (from_square(move) >> 3)
        is_retreat = step < 0 if pos.side == 0 else step > 0
        return self._chance.random() >= chance * (RETREAT_FACTOR if is_retreat else 1.0)

    def effort(self, pos: Position, moves: Sequence[int], evaluation_cp: int) -> Effort:
        """How the player thinks about this move."""
        level = self.level
        recaptures = [move for move in moves if _recaptures(pos, move)]
        in_check = bool(pos.snapshots[pos.ply].checkers)
        is_obvious = bool(recaptures) or len(moves) == 1
        converts = self._converts(evaluation_cp)
        if converts and int(popcount(pos.colours[pos.side ^ 1])) == 1:
            return MATING
        depth = level.depth + (CONVERTING_DEPTH if converts else 0.0)
        whole = math.floor(depth)
        whole += self._chance.random() < depth - whole
        temperature = level.temperature_cp * (OBVIOUS_SHARE if is_obvious or converts else 1.0)
        is_hasty = not (is_obvious or converts or in_check) and self._chance.random() < level.haste
        return Effort(
            depth=max(1, whole),
            nodes=round(level.nodes),
            candidates=round(level.candidates),
            temperature_cp=temperature,
            is_hasty=is_hasty,
            is_obvious=is_obvious,
        )

    def _converts(self, evaluation_cp: int) -> bool:
        return self.level.elo >= CONVERTING_ELO and evaluation_cp >= CLEARLY_WON_CP

    def choose(self, scores: Sequence[int], temperature_cp: float) -> int:
        """The index of the move that is played, given the score of each; the soft choice."""
        best = max(range(len(scores)), key=lambda index: scores[index])
        if scores[best] >= MATE_IN_RANGE and self.level.elo >= CONVERTING_ELO:
            return best
        usable = [max(-LARGEST_SCORE_CP, min(score, LARGEST_SCORE_CP)) for score in scores]
        losses = [(usable[best] - score) / max(temperature_cp, 0.01) for score in usable]
        weights = [math.exp(-loss) if loss <= WIDEST_LOSS else 0.0 for loss in losses]
        return self._chance.choices(range(len(scores)), weights)[0]

    def thinking_ms(self, soft_ms: float, effort: Effort) -> float:
        """How long the player takes, given the time that the clock allows for a usual move."""
        spread = self._chance.lognormvariate(0.0, TIME_SPREAD)
        share = TYPICAL_SHARE * (OBVIOUS_TIME_SHARE if effort.is_obvious else 1.0) * spread
        return min(min(share, LARGEST_SHARE) * soft_ms, LONGEST_WAIT_MS)


def hasty_scores(
    pos: Position, moves: Sequence[int], evaluate: Callable[[Position], int]
) -> list[int]:
    """What each move seems worth without a look at the replies, for the side to move, which is not
    in check. `evaluate` cannot judge a check: it seems a little better than the position before."""
    checking = evaluate(pos) + HASTY_CHECK_CP
    scores = []
    for move in moves:
        make(pos, move)
        scores.append(checking if pos.snapshots[pos.ply].checkers else -evaluate(pos))
        unmake(pos)
    return scores


def _recaptures(pos: Position, move: int) -> bool:
    """Does the move take back, without a loss, on the square of the last capture?"""
    last = pos.snapshots[pos.ply].move
    if not (last & CAPTURE and move & CAPTURE) or to_square(move) != to_square(last):
        return False
    return bool(see_at_least(pos, move, 0))
