"""tablebases.material: names of tables and what leads to what."""

from __future__ import annotations

import pytest

from tablebases.folders import reachable
from tablebases.index import signature as signature_of_men
from tablebases.material import (
    KIND_OF,
    FormatError,
    canonical,
    dependencies,
    is_symmetric,
    is_table_name,
    materials,
    sides,
    signature,
    successors,
)
from tablebases.tables import Men


@pytest.mark.parametrize("men, count", [(3, 5), (4, 30), (5, 110), (6, 365), (7, 1001)])
def test_there_are_as_many_tables_as_everybody_counts(men: int, count: int) -> None:
    names = materials(men)
    assert len(names) == len(set(names)) == count
    assert all(is_table_name(name) and len(name) == men + 1 for name in names)


def test_the_stronger_side_comes_first() -> None:
    assert canonical("KR", "KQ") == "KQvKR"
    assert canonical("K", "KPN") == "KNPvK"
    assert canonical("KQ", "KPP") == "KPPvKQ"  # more men
    assert sides("KBNvKR") == ("KBN", "KR")
    assert is_symmetric("KRvKR") and not is_symmetric("KQvKR")


@pytest.mark.parametrize(
    "name",
    ["KvK", "KRvKQ", "KQRvKv", "KQ", "", "KPNvK", "KKvK", "QvK", "KQvKr", "K" + "Q" * 6 + "vK"],
)
def test_other_names_are_refused(name: str) -> None:
    assert not is_table_name(name)
    with pytest.raises(FormatError, match="not the name of a table"):
        sides(name)


def test_captures_and_promotions_lead_to_other_tables() -> None:
    assert successors("KQvK") == set()
    assert successors("KPvK") == {"KQvK", "KRvK", "KBvK", "KNvK"}
    assert successors("KQvKR") == {"KQvK", "KRvK"}
    assert "KQvKQ" in dependencies("KPvKP") and "KPvKP" not in dependencies("KPvKP")


def test_what_a_position_can_lead_to() -> None:
    assert reachable("KQvKR", "KRR", "KPQ")  # a capture on each side, and a colour exchange
    assert reachable("KQvK", "K", "KPP")
    assert not reachable("KQvKR", "KRR", "KR")
    assert not reachable("KQQvK", "KP", "KQ")
    for name in ("KPvKP", "KPPvK", "KQvKR", "KNPvK"):
        for other in materials(3) + materials(4):
            expected = other == name or other in dependencies(name)
            assert reachable(other, *sides(name)) == expected, (name, other)


def test_kernels_and_names_have_the_same_signature() -> None:
    men, seen = Men(), set()
    for name in materials(5):
        men.pieces[...] = 0
        square = 0
        for colour, side in enumerate(sides(name)):
            for letter in side:
                men.pieces[colour, KIND_OF[letter]] |= 1 << square
                square += 1
        assert signature_of_men(men) == signature(*sides(name))
        seen |= {signature(*sides(name)), signature(*reversed(sides(name)))}
    assert len(seen) == 2 * 110  # no material of five men is symmetric
