"""The memory of sampling: positions that a search evaluates are written to it."""

from __future__ import annotations

from engine.board.packed import PackedPosition, pack
from engine.board.position import Position
from engine.board.random import Random, random_below
from engine.native.bits import popcount
from engine.native.jit import kernel
from engine.native.memory import Struct, inline, int64, pointer_to_array

FEWEST_MEN = 4


class Sampler(Struct):
    one_in = int64  # of so many evaluated positions one is written; 0: none
    random = inline(Random)
    positions = pointer_to_array(PackedPosition)
    count = int64  # of positions written
    room = int64


@kernel
def maybe_sample(pos: Position, sampler: Sampler) -> None:
    """Write one in so many of the positions, at random."""
    if random_below(sampler.random, sampler.one_in) == 0:
        sample(pos, sampler)


@kernel
def sample(pos: Position, sampler: Sampler) -> None:
    """Write a position, if it has enough men and there is room."""
    if sampler.count < sampler.room and popcount(pos.occupied) >= FEWEST_MEN:
        pack(pos, sampler.positions[sampler.count])
        sampler.count += 1
