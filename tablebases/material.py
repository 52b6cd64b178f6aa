"""Plain Python: materials, such as KQvKR, and how tables are named after them.

A side is its letters in the order of LETTERS, the king first. A name is the two sides joined by
`v`, the stronger one first: the one with more pieces, or else with the more valuable ones. In a
table of that name this side is White.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import combinations_with_replacement

LETTERS = "KQRBNP"
KIND_OF = {letter: kind for kind, letter in enumerate("PNBRQK")}  # as in bitboards: pawn 0, king 5
MOST_MEN = 7  # the largest tables that anyone has computed
SIGNATURE_BITS = 3  # for the number of pieces of a colour and kind

_SIDE = re.compile(r"KQ*R*B*N*P*")


class FormatError(ValueError):
    """Why a file or a name is not valid, in words for the user."""


def sides(name: str) -> tuple[str, str]:
    """The stronger side and the weaker: KQvKR is KQ and KR. FormatError if it names no table."""
    stronger, _, weaker = name.partition("v")
    if not is_table_name(name):
        raise FormatError(f"{name!r} is not the name of a table, such as KQvKR")
    return stronger, weaker


@functools.cache
def is_table_name(name: str) -> bool:
    """Is this a material of 3 to MOST_MEN men with the stronger side first?"""
    white, _, black = name.partition("v")
    return bool(
        _SIDE.fullmatch(white)
        and _SIDE.fullmatch(black)
        and 3 <= len(white) + len(black) <= MOST_MEN
        and canonical(white, black) == name
    )


def canonical(one: str, other: str) -> str:
    """The name for two sides, given in any order, their letters in any order."""
    ordered = ["".join(sorted(side, key=LETTERS.index)) for side in (one, other)]
    ordered.sort(key=lambda side: (-len(side), [LETTERS.index(letter) for letter in side]))
    return "v".join(ordered)


def men(name: str) -> int:
    return len(name) - 1


def is_symmetric(name: str) -> bool:
    """Do both sides have the same pieces?"""
    stronger, _, weaker = name.partition("v")
    return stronger == weaker


def materials(count: int) -> list[str]:
    """The names of all tables with that many men, kings included."""
    names = set()
    for size in range(count - 1):
        for one in combinations_with_replacement(LETTERS[1:], size):
            for other in combinations_with_replacement(LETTERS[1:], count - 2 - size):
                names.add(canonical("K" + "".join(one), "K" + "".join(other)))
    return sorted(names)


def successors(name: str) -> set[str]:
    """The tables that one capture or promotion leads to; bare kings have none."""
    found = set()
    for us, them in (sides(name), sides(name)[::-1]):
        after_move = [us]
        if "P" in us:
            after_move += [us.replace("P", letter, 1) for letter in "QRBN"]
        after_capture = [them] + [them.replace(letter, "", 1) for letter in set(them[1:])]
        found |= {canonical(one, other) for one in after_move for other in after_capture}
    return found - {name, "KvK"}


def dependencies(name: str) -> set[str]:
    """All other tables that play from this material can lead to."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = successors(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def signature(white: str, black: str) -> int:
    """The signature that `index.signature` computes from bitboards with these pieces."""
    total = 0
    for colour, side in enumerate((white, black)):
        for letter in side[1:]:
            total += 1 << SIGNATURE_BITS * (5 * colour + KIND_OF[letter])
    return total


def counts(name: str) -> Iterator[tuple[int, int]]:
    """(piece code, how many) for each kind of piece, White's first; codes as in layout.py."""
    for colour, side in enumerate(sides(name)):
        for letter in LETTERS:
            if letter in side:
                yield KIND_OF[letter] + 1 + 8 * colour, side.count(letter)
