"""The memory of sampling: positions that quiescence evaluates are written to it."""

from __future__ import annotations

from engine.board.packed import PackedPosition, pack
from engine.board.position import Position
from engine.board.random import Random, random_below
from engine.native.bits import popcount
from engine.native.jit import entry, kernel
from engine.native.memory import Struct, inline, int64, pointer_to_array

FEWEST_MEN = 4
WINDOW = 60  # centipawns
OTHERS = 20


class Sampler(Struct):
    one_in = int64  # of so many leaves of a search one is written; 0: none
    random = inline(Random)
    positions = pointer_to_array(PackedPosition)
    count = int64  # of positions written
    room = int64


@entry
def maybe_sample(pos: Position, sampler: Sampler, distance: int) -> None:
    """Write one in `sampler.one_in` of the positions, at random.

    `distance`: of the static evaluation from alpha. Within WINDOW a small error of the evaluation
    changes what the search does; of the positions farther away only one in OTHERS counts.
    """
    if distance >= WINDOW and random_below(sampler.random, OTHERS) != 0:
        return
    if random_below(sampler.random, sampler.one_in) == 0:
        sample(pos, sampler)


@kernel
def sample(pos: Position, sampler: Sampler) -> None:
    """Write a position, if it has enough men and there is room."""
    if sampler.count < sampler.room and popcount(pos.occupied) >= FEWEST_MEN:
        pack(pos, sampler.positions[sampler.count])
        sampler.count += 1
