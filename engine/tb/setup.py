"""Plain Python: the material of positions and of samples."""

from __future__ import annotations

from engine.board.position import Position
from engine.native.bits import popcount
from engine.tb.memory import Sample
from tablebases.material import KIND_OF, LETTERS, sides


def pieces_of(pos: Position) -> tuple[str, str]:
    """White's and Black's pieces, such as KQP and KR."""
    white, black = (
        "".join(letter * int(popcount(kinds[KIND_OF[letter]])) for letter in LETTERS)
        for kinds in pos.pieces
    )
    return white, black


def new_sample(name: str, seed: int) -> Sample:
    """For random positions of a material; each seed from 0 on gives different ones."""
    sample = Sample()
    sample.random.state = seed * 0x9E3779B97F4A7C1 % (1 << 62) + 0x2545F4914F6CDD1D
    men = [(letter, colour) for colour, side in enumerate(sides(name)) for letter in side]
    sample.men = len(men)
    for index, (letter, colour) in enumerate(men):
        sample.kinds[index] = KIND_OF[letter]
        sample.colours[index] = colour
    return sample
