"""The masks of the pawn terms, against their definitions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.eval.classical.loading import new_masks
from engine.eval.classical.pawns import islands
from engine.native.bits import bit

MASKS = new_masks()


def squares(wanted: Callable[[int, int], bool]) -> int:
    """The set of squares whose file and rank are wanted, as a kernel's signed number."""
    found = 0
    for square in range(64):
        if wanted(square & 7, square >> 3):
            found |= bit(square)
    return found


@pytest.mark.parametrize("colour", [0, 1])
def test_masks(colour: int) -> None:
    for square in range(64):
        file, rank = square & 7, square >> 3
        forward = 1 - 2 * colour

        def ahead(r: int, rank: int = rank, forward: int = forward) -> int:
            return (r - rank) * forward

        def beside(f: int, file: int = file) -> bool:
            return abs(f - file) == 1

        def near(f: int, file: int = file) -> bool:
            """On the three files around the king, which are also three at the edge."""
            return abs(f - min(max(file, 1), 6)) <= 1

        def own_camp(r: int, colour: int = colour) -> bool:
            return r <= 4 if colour == 0 else r >= 3

        def on_file(f: int, file: int = file) -> bool:
            return f == file

        def touches(f: int, file: int = file) -> bool:
            return abs(f - file) <= 1

        assert MASKS.adjacent_files[square] == squares(lambda f, r: beside(f))
        assert MASKS.front[colour, square] == squares(lambda f, r: on_file(f) and ahead(r) > 0)
        assert MASKS.passed[colour, square] == squares(lambda f, r: touches(f) and ahead(r) > 0)
        assert MASKS.behind[colour, square] == squares(lambda f, r: beside(f) and ahead(r) <= 0)
        assert MASKS.king_zone[colour, square] == squares(
            lambda f, r: touches(f) and -1 <= ahead(r) <= 2
        )
        assert MASKS.king_flank[colour, square] == squares(lambda f, r: near(f) and own_camp(r))
        assert MASKS.king_files[file] == squares(lambda f, r: near(f))


@pytest.mark.parametrize(
    "files, count", [("", 0), ("a", 1), ("h", 1), ("ab", 1), ("ac", 2), ("abdegh", 3), ("aceg", 4)]
)
def test_islands(files: str, count: int) -> None:
    for rank in (1, 6):
        pawns = sum(bit(8 * rank + "abcdefgh".index(file)) for file in files)
        assert islands(pawns) == count
