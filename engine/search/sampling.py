"""Searches from which samples are taken to learn from: of the given position, and of ones near it.

Games alone do not contain what a search sees, because their material is mostly even and nothing
hangs. Nearly half of the positions that a search evaluates are in the middle of an exchange.
"""

from __future__ import annotations

from engine.board.attacks import king_attacked
from engine.board.constants import BLACK, EMPTY, KING, NO_SQUARE, PAWN, WHITE
from engine.board.makemove import make, refresh
from engine.board.movegen import ALL, generate
from engine.board.packing import unpack
from engine.board.random import random_below
from engine.eval.evaluate import evaluate
from engine.native.bits import bit, popcount
from engine.native.jit import entry
from engine.scores import INFINITE
from engine.search.quiescence import quiescence
from engine.search.samples import FEWEST_MEN, sample
from engine.search.state import SearchThread

QUIET, IN_CHECK, EXCHANGE = 0, 1, 2  # EXCHANGE: quiescence finds something to win


@entry
def sample_here(thread: SearchThread) -> None:
    """Write the thread's position, unless the side to move is in check."""
    pos = thread.position
    if pos.snapshots[pos.ply].checkers == 0:
        sample(pos, thread.sampler)


@entry
def wander(thread: SearchThread, plies: int) -> None:
    """Make random legal moves, as long as there are any."""
    pos = thread.position
    for _ in range(plies):
        count = generate(pos, thread.lists, 0, 0, ALL)
        if count == 0:
            return
        make(pos, thread.lists.moves[0, random_below(thread.sampler.random, count)])


@entry
def remove_men(thread: SearchThread, how_many: int) -> bool:
    """Remove men except kings, pawns half as often. False if the rest is not legal.

    The position begins anew: without castling rights and history.
    """
    pos = thread.position
    if popcount(pos.occupied) < how_many + FEWEST_MEN:
        return False
    removed = 0
    while removed < how_many:
        square = random_below(thread.sampler.random, 64)
        kind = pos.board[square]
        if kind == EMPTY or kind == KING:
            continue
        if kind == PAWN and random_below(thread.sampler.random, 2) == 0:
            continue
        pos.board[square] = EMPTY
        pos.colours[WHITE] &= ~bit(square)
        pos.colours[BLACK] &= ~bit(square)
        removed += 1
    pos.ply = 0
    now = pos.snapshots[0]
    now.castling = 0
    now.en_passant = NO_SQUARE
    now.halfmove_clock = 0
    now.reversible_plies = 0
    now.move = 0
    now.moved = EMPTY
    now.captured = EMPTY
    refresh(pos)
    return not king_attacked(pos, pos.side ^ 1)


@entry
def classify(thread: SearchThread) -> None:
    """Write QUIET, IN_CHECK or EXCHANGE into the first label of every position of the sampler."""
    pos = thread.position
    for number in range(thread.sampler.count):
        packed = thread.sampler.positions[number]
        unpack(pos, packed)
        packed.labels[0] = QUIET
        if pos.snapshots[0].checkers:
            packed.labels[0] = IN_CHECK
        elif quiescence(thread, -INFINITE, INFINITE, 0) != evaluate(pos, thread.evaluator):
            packed.labels[0] = EXCHANGE
