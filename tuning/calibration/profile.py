"""What moves cost, of people and of levels: points lost, marks, and kinds of blunders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np

from engine.board.fen import START
from engine.board.move import CAPTURE
from engine.board.notation import move_text, parse_move
from engine.board.position import MoveLists
from engine.board.see import see_at_least
from engine.people import BLUNDER, INACCURACY, MISTAKE, expected_points, is_decided
from engine.play.levels import LEVELS, Level
from engine.scores import MATE_IN_RANGE
from tuning.calibration.accuracy import band_name, counted, shown_cp
from tuning.calibration.people import EDGES, PeopleGame, Scored, ScoreFile, band, plan
from tuning.calibration.players import LevelPlayer
from tuning.calibration.ratings import SURELY
from tuning.selfplay.player import Player

PHASES = ("opening", "middlegame", "endgame")
OPENING_PLIES = 24  # of the game; those of the book do not count
ENDGAME_MATERIAL = 32  # at most, by the count of engine/chances.py
KINDS = ("allows a mate", "misses a mate", "hangs material", "misses material", "deeper")
WON_AT_ONCE = 200  # centipawns of an exchange on one square

ROUNDS = 5  # of a fit
FITTED, CHECKED = 400, 600  # moves of a level in a round, and in the games held back
HASTY_BLUNDERS = 0.3  # about the share of blunders among moves in haste


class Spot(NamedTuple):
    """A position where a person's move counts."""

    game: PeopleGame
    ply: int
    before: Scored
    after: Scored  # the person's move

    @property
    def rating(self) -> int:
        return self.game.ratings[self.ply % 2]

    @property
    def phase(self) -> int:
        if self.before.material <= ENDGAME_MATERIAL:
            return 2
        return 0 if self.ply < OPENING_PLIES else 1


class Error(NamedTuple):
    """What a move cost."""

    game: int
    phase: int
    lost: float  # points, by the curve for 1,800
    kind: int  # of a blunder, else -1


class Judge:
    """Says of moves in positions of games what they cost."""

    def __init__(self, scores: ScoreFile):
        self._scores = scores
        self._player = Player(hash_mb=1)
        self._lists = MoveLists()

    def of_person(self, spot: Spot) -> Error:
        found = self._error(spot, spot.game.moves[spot.ply], spot.after)
        assert found is not None
        return found

    def of_level(self, level: Level, spots: Sequence[Spot], seed: int) -> list[Error]:
        """Of one move in each position, unless it leaves the game decided. The same seed gives the
        same moves."""
        player = LevelPlayer(level, Random(seed))
        errors = [self._chosen(spot, player) for spot in spots]
        return [error for error in errors if error is not None]

    def _chosen(self, spot: Spot, player: LevelPlayer) -> Error | None:
        player.start(START)
        for text in spot.game.moves[: spot.ply]:
            player.push(parse_move(player.position, self._lists, text))
        move, _ = player.choose(None)
        text = move_text(move, chess960=False)
        if text == spot.game.moves[spot.ply]:
            return self.of_person(spot)
        return self._error(spot, text, self._scores.score_after(spot.game, spot.ply, text))

    def _error(self, spot: Spot, move: str, after: Scored) -> Error | None:
        before = expected_points(shown_cp(spot.before))
        left = expected_points(-shown_cp(after))
        if is_decided(before, left):
            return None
        lost = 0.0 if move == spot.before.best else max(0.0, before - left)
        kind = self._kind(spot, move, after) if lost >= BLUNDER else -1
        return Error(spot.game.number, spot.phase, lost, kind)

    def _kind(self, spot: Spot, move: str, after: Scored) -> int:
        if after.score >= MATE_IN_RANGE:
            return 0
        if spot.before.score >= MATE_IN_RANGE:
            return 1
        if self._wins_at_once([*spot.game.moves[: spot.ply], move], after.best):
            return 2
        return 3 if self._wins_at_once(spot.game.moves[: spot.ply], spot.before.best) else 4

    def _wins_at_once(self, moves: Sequence[str], last: str) -> bool:
        player = self._player
        player.start(START)
        for text in moves:
            player.push(parse_move(player.position, self._lists, text))
        move = parse_move(player.position, self._lists, last)
        return bool(move & CAPTURE) and bool(see_at_least(player.position, move, WON_AT_ONCE))


def spots(games: Sequence[PeopleGame], scores: ScoreFile) -> list[list[Spot]]:
    """Those of the games with all positions, by band."""
    found: list[list[Spot]] = [[] for _ in EDGES[:-1]]
    for game, is_whole, plies in plan(games):
        if is_whole:
            kept = scores.score(game, plies)
            for move in counted(game, kept):
                spot = Spot(game, move.ply, kept[move.ply], kept[move.ply + 1])
                found[band(spot.rating)].append(spot)
    return found


class Profile(NamedTuple):
    """Means over moves, each with half of its 95 % interval."""

    moves: int
    lost: tuple[float, float]  # points
    marks: list[tuple[float, float]]  # percent: inaccuracies, mistakes, blunders
    kinds: list[float]  # of 100 blunders


def profile(errors: Sequence[Error]) -> Profile:
    lost = np.array([error.lost for error in errors])
    games = np.unique([error.game for error in errors], return_inverse=True)[1]
    edges = (INACCURACY, MISTAKE, BLUNDER, 101.0)
    kinds = [error.kind for error in errors if error.kind >= 0]
    return Profile(
        len(lost),
        _mean(lost, games),
        [_mean(100.0 * ((lost >= low) & (lost < high)), games) for low, high in pairwise(edges)],
        [100 * kinds.count(kind) / max(1, len(kinds)) for kind in range(len(KINDS))],
    )


def _mean(values: np.ndarray[Any, Any], games: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Moves of one game are not independent: the interval comes from the games."""
    if not len(values):
        return math.nan, math.nan
    mean, count = float(values.mean()), int(games.max()) + 1
    off = np.bincount(games, values - mean)
    spread = float((off**2).sum()) * count / max(1, count - 1)
    return mean, SURELY * spread**0.5 / len(values)


def row_of(there: Sequence[Spot]) -> Level:
    """The row of LEVELS nearest to the ratings of a band's people."""
    mean = sum(spot.rating for spot in there) / len(there)
    return min(LEVELS, key=lambda level: abs(level.elo - mean))


def fitted(level: Level, judge: Judge, there: Sequence[Spot]) -> Level:
    """The level with the temperature and the haste that give it people's share of small errors and
    of blunders. Uses games with even numbers; each round changes less than the one before."""
    ours = [spot for spot in there if spot.game.number % 2 == 0]
    if not ours:
        raise ValueError(f"level {level.elo:.0f}: there are no games of people to fit it to")
    inaccuracies, mistakes, blunders = (
        share for share, _ in profile([judge.of_person(spot) for spot in ours]).marks
    )
    for number in range(1, ROUNDS + 1):
        sample = Random(number).sample(ours, min(FITTED, len(ours)))
        found = [share for share, _ in profile(judge.of_level(level, sample, number)).marks]
        factor = (inaccuracies + mistakes) / max(1.0, found[0] + found[1])
        more_haste = (blunders - found[2]) / 100 / HASTY_BLUNDERS
        level = level._replace(
            temperature_cp=level.temperature_cp * factor ** (1 / number),
            haste=max(0.0, level.haste + more_haste / number),
        )
    return level


def error_tables(judge: Judge, by_band: Sequence[Sequence[Spot]]) -> str:
    """People and the row of their band, the latter in games that the fit did not use."""
    sums = [
        "| Rating | | Games | Moves | Points lost | ?! | ? | ?? |",
        "|---|---|---|---|---|---|---|---|",
    ]
    phases = [
        f"| Rating | | {' | '.join(f'{name} | ??' for name in PHASES)} |",
        "|---|---|---|---|---|---|---|---|",
    ]
    kinds = [f"| Rating | | {' | '.join(KINDS)} |", "|---|---|---|---|---|---|---|"]
    for index, there in enumerate(by_band):
        if not there:
            continue
        level = row_of(there)
        held = [spot for spot in there if spot.game.number % 2]
        sample = Random(0).sample(held, min(CHECKED, len(held)))
        name = band_name(EDGES[index], EDGES[index + 1])
        for who, errors in (
            (f"{name} | people", [judge.of_person(spot) for spot in there]),
            (f" | level {level.elo:.0f}", judge.of_level(level, sample, 0)),
        ):
            whole = profile(errors)
            games = len({error.game for error in errors})
            marks = " | ".join(_percent(share) for share in whole.marks)
            sums.append(f"| {who} | {games} | {whole.moves} | {_plain(whole.lost)} | {marks} |")
            parts = [
                profile([error for error in errors if error.phase == phase])
                for phase in range(len(PHASES))
            ]
            cells = [f"{_plain(part.lost)} | {_percent(part.marks[2])}" for part in parts]
            phases.append(f"| {who} | {' | '.join(cells)} |")
            kinds.append(f"| {who} | {' | '.join(f'{share:.0f} %' for share in whole.kinds)} |")
    return "\n".join([*sums, "", *phases, "", "Of 100 blunders:", "", *kinds])


def _plain(value: tuple[float, float]) -> str:
    return "" if math.isnan(value[0]) else f"{value[0]:.1f} ± {value[1]:.1f}"


def _percent(value: tuple[float, float]) -> str:
    return f"{_plain(value)} %".removeprefix(" %")
