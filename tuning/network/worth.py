"""What each piece is worth to a network: how much its score falls without it.

A network trained on games alone hardly learns it, because in games material is mostly even. Its
loss does not show it, and it loses nearly every game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tuning.data.fens import packed
from tuning.fitting.model import Array
from tuning.fitting.targets import WEIGHTED_SUM_CP
from tuning.network.model import Model

KINDS = ("pawn", "knight", "bishop", "rook", "queen")
LEAST_QUEEN = 400  # centipawns; expected scores hardly tell a rook less from a queen less

# Level middlegames from master games, where both sides have pieces of all kinds.
MIDDLEGAMES = (
    "r2qk2r/ppp2ppp/2n2n2/2p5/2B1PBb1/3P1N2/PPP3PP/R2QK2R b KQkq -",
    "2b2rk1/4ppbp/p1q3p1/1rN1P3/1p3Bn1/1N6/PPPQ2PP/1K1RR3 w - -",
    "r1b2rk1/1pq2ppp/p1n1pn2/2b5/2B5/2N1PN2/PP1BQPPP/2R2RK1 b - -",
    "r4rk1/pp1nqppp/2ppb3/4p3/4P3/1P1P1N1P/P1P2PP1/R1BQ1RK1 w - -",
    "2br1rk1/ppq2ppp/2p5/PnNB4/3P4/Q4NP1/1P3P1P/3RR1K1 w - -",
    "r2q1rk1/p2pb1pp/b1p1p1n1/5p2/3PP3/2N1BN2/PP3PPP/R2QR1K1 w - -",
    "5rk1/1q2bppp/2b1p3/p2n4/1pBP1B2/1P2PN1P/4QPP1/5RK1 w - -",
    "r4rk1/1p1nqppb/4pn1p/p1b5/4P3/PP3N1P/1B1N1PP1/R2QRBK1 b - -",
    "r3k2r/pbqp1pp1/1pn1pb1p/8/3P4/2PB1N2/PP1NQPPP/R4K1R b kq -",
    "r3rbk1/pp1b1pp1/2pp1n1p/4q3/3NP3/1BN1R2P/PPPQ1PP1/R5K1 b - -",
    "r1bqr1k1/pp1n1ppp/2pb1p2/8/3P3N/1B6/PPP2PPP/R1BQ1RK1 b - -",
    "r1b2rk1/p1qpbppp/1p2p1n1/8/2PBP3/2N3P1/PP2BP1P/2RQ1RK1 b - -",
    "r1b1r1k1/ppqp2pp/2n1pp2/2P5/3N1Q2/2P3P1/P3PPBP/R4RK1 w - -",
    "1qrr2k1/pb3ppp/1p2pn2/2n5/2PN4/P1Q1P3/4BPPP/B1RR2K1 w - -",
    "2rqk2r/4bppp/p1bppn2/1p4P1/4P3/2N1BP2/PPPQ3P/2KR1B1R b k -",
    "r2q1rk1/pb2bppp/1p6/2np4/4nB2/2N2NP1/PP2PPBP/2RQ1RK1 w - -",
    "r2qr1k1/ppp2pp1/3b1nnp/3P1b2/3N4/2N3BP/PP2BPP1/R2Q1RK1 b - -",
    "r2q1rk1/p2nppbp/1pbp2p1/8/1PP1P3/2N1BP2/P2QB1PP/R4RK1 w - -",
)


def worth_of(model: Model, centipawns: int = WEIGHTED_SUM_CP) -> Array:
    """float64[5]: the mean fall of the owner's score, in centipawns, by kind.

    Every piece of every middlegame is removed once; it is always the same side's turn.
    """
    rows, kinds, before, signs = _without_one()
    whole = model.logits(rows_of(MIDDLEGAMES)).astype(np.float64)
    falls = signs * (whole[before] - model.logits(rows)) * centipawns
    return np.array([falls[kinds == kind].mean() for kind in range(len(KINDS))])


def refusal(worth: Array) -> str:
    """Why a network with these values must not play; empty if it may."""
    values = dict(zip(KINDS, worth.tolist(), strict=True))
    in_words = ", ".join(f"{kind} {cp:.0f}" for kind, cp in values.items())
    minor = values["knight"], values["bishop"]
    if not values["pawn"] < min(minor) <= max(minor) < values["rook"] < values["queen"]:
        return f"it does not order the pieces: {in_words} cp"
    if values["queen"] < LEAST_QUEEN:
        return f"to it a queen is worth less than {LEAST_QUEEN} cp: {in_words}"
    return ""


def rows_of(fens: Sequence[str]) -> Array:
    """int64[N, 4]: records of positions. ValueError for other text."""
    records, done = packed([fen.encode() for fen in fens])
    if done < len(fens):
        raise ValueError(f"not a position: {fens[done]}")
    return records.view(np.int64).reshape(-1, 4)


def _without_one() -> tuple[Array, Array, Array, Array]:
    """(positions less a piece, its kind, number of the middlegame, +1 if it was the mover's)"""
    texts, kinds, before, signs = [], [], [], []
    for number, fen in enumerate(MIDDLEGAMES):
        board, rest = fen.split(" ", 1)
        mover_is_white = rest[0] == "w"
        for place, letter in enumerate(board):
            kind = "pnbrq".find(letter.lower())
            if kind < 0:
                continue
            texts.append(f"{_emptied(board, place)} {rest}")
            kinds.append(kind)
            before.append(number)
            signs.append(1.0 if letter.isupper() == mover_is_white else -1.0)
    return rows_of(texts), np.array(kinds), np.array(before), np.array(signs)


def _emptied(board: str, place: int) -> str:
    """A FEN's board without the piece at `place` of its text: two digits may follow each other."""
    return f"{board[:place]}1{board[place + 1 :]}"
