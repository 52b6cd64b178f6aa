"""Plain Python: the evaluation in words and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.board.constants import WHITE
from engine.board.position import Position
from engine.eval.classical.explain import Share, shares, term_table
from engine.eval.classical.weighted_sum import weighted_sum
from engine.eval.evaluate import HIGHEST, Evaluator, evaluate
from engine.eval.known_endings import UNKNOWN, known_result
from engine.eval.network.explain import piece_table, piece_values
from engine.eval.network.output import network_score
from engine.eval.scaling import game_phase

if TYPE_CHECKING:
    from engine.board.ending import Ending

# From this many centipawns on, a side is ...
VERDICTS = ((500, "winning"), (250, "clearly better"), (100, "better"), (25, "slightly better"))
KNOWN = "neither, the result of this ending is known"
WORTH_A_WORD_CP = 8  # smaller shares are not mentioned


@dataclass(frozen=True)
class Explanation:
    """What the static evaluation of a position is made of, in centipawns from White's view."""

    score: int  # of the evaluation in use
    used: str  # which one that is
    weighted_sum: int
    shares: tuple[Share, ...]  # of the weighted sum
    network: int | None  # None: no network is loaded
    piece_values: dict[int, int]  # by square: what a piece is worth to the network; else empty
    in_check: bool  # the search does not evaluate such positions
    ending: Ending | None = None  # the game is over

    @classmethod
    def of_ending(cls, ending: Ending) -> Explanation:
        """Nothing counts any more but the result."""
        score = 0 if ending.winner is None else HIGHEST if ending.winner else -HIGHEST
        return cls(score, "neither, the game is over", 0, (), None, {}, False, ending)

    def scaled(self, factor: float) -> Explanation:
        """The same in other units: all scores times `factor`."""
        return replace(
            self,
            score=round(factor * self.score),
            weighted_sum=round(factor * self.weighted_sum),
            shares=tuple(
                share._replace(white=factor * share.white, black=factor * share.black)
                for share in self.shares
            ),
            network=None if self.network is None else round(factor * self.network),
            piece_values={at: round(factor * worth) for at, worth in self.piece_values.items()},
        )

    @property
    def words(self) -> list[str]:
        """A few sentences: who is better, and why according to the weighted sum."""
        if self.ending is not None:
            return [str(self.ending)]
        return [f"{verdict(self.score)} ({_pawns(self.score)}).", *self.reasons]

    @property
    def reasons(self) -> list[str]:
        """Of these sentences those that say why."""
        if self.used == KNOWN:
            return ["The result of this ending is known."]
        white = [share for share in self.shares if share.difference >= WORTH_A_WORD_CP]
        black = [share for share in self.shares if share.difference <= -WORTH_A_WORD_CP]
        sentences = [
            f"{side} has {_listed(theirs)}."
            for side, theirs in (("White", white), ("Black", black))
            if theirs
        ]
        if self.in_check:
            sentences.append("The king is in check, so this says little.")
        return sentences


def explanation(pos: Position, evaluator: Evaluator) -> Explanation:
    white_view = 1 if pos.side == WHITE else -1
    layers = evaluator.network.layers
    network = None
    if layers.centipawns:
        network = white_view * int(network_score(pos, evaluator.network))
    used = "network" if layers.in_use else "weighted sum"
    if int(known_result(pos, evaluator.kpk)) != UNKNOWN:
        used = KNOWN
    return Explanation(
        score=white_view * int(evaluate(pos, evaluator)),
        used=used,
        weighted_sum=int(weighted_sum(pos, evaluator.classical)),
        shares=shares(pos, evaluator.classical),
        network=network,
        piece_values=piece_values(pos, layers) if network is not None else {},
        in_check=bool(pos.snapshots[pos.ply].checkers),
    )


def explain(pos: Position, evaluator: Evaluator) -> str:
    """The terms of the weighted sum, the worth of each piece to the network, which of the two
    evaluates the position, and what follows in words."""
    here = explanation(pos, evaluator)
    rows = [*term_table(pos, evaluator.classical), ""]
    rows.append(f"Weighted sum: {_white_view(here.weighted_sum)}")
    if here.network is not None:
        rows += ["", *piece_table(pos, here.piece_values), ""]
        rows.append(f"Network: {_white_view(here.network)}")
    rows += ["", f"Evaluation used: {here.used}"]
    rows.append(f"Phase {int(game_phase(pos))} of 24 (24: middlegame, 0: endgame)")
    if here.in_check:
        rows.append("The side to move is in check: the search does not evaluate such positions.")
    rows.append(f"Final evaluation: {_white_view(here.score)}")
    return "\n".join([*rows, "", *here.words])


def verdict(centipawns: int) -> str:
    """Who is better, in words; `centipawns` from White's view."""
    side = "White" if centipawns > 0 else "Black"
    for least, words in VERDICTS:
        if abs(centipawns) >= least:
            return f"{side} is {words}"
    return "The position is about equal"


def _listed(favours: Iterable[Share]) -> str:
    """The largest first: `more space (0.21) and the move (0.18)`."""
    ordered = sorted(favours, key=lambda share: -abs(share.difference))
    parts = [f"{share.favour} ({abs(share.difference) / 100:.2f})" for share in ordered]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _pawns(centipawns: int) -> str:
    return f"{centipawns / 100:+.2f}"


def _white_view(centipawns: int) -> str:
    return f"{_pawns(centipawns)} (White's view)"
