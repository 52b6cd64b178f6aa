"""Headers whose numbers no table has: each is refused at its boundary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablebases.folders import BUILT_IN
from tablebases.layout import ONE_VALUE
from tablebases.material import FormatError
from tablebases.reading import LARGEST_BLOCK, open_table

# After the magic number and a byte of flags: the order of groups and four pieces.
FLAGS, BLOCK_BITS, SPAN_BITS = 10, 11, 12


def refusal(tmp_path: Path, place: int, value: int) -> str:
    """Why a table with this byte in the header of its first part is refused."""
    content = bytearray((BUILT_IN / "KRvKN.rtbw").read_bytes())
    assert not content[FLAGS] & ONE_VALUE
    content[place] = value
    path = tmp_path / "KRvKN.rtbw"
    path.write_bytes(content)
    with pytest.raises(FormatError) as refused:
        open_table(path)
    return str(refused.value)


@pytest.mark.parametrize("bits, expected", [(0, True), (1, False), (32, False), (33, True)])
def test_the_length_of_spans(tmp_path: Path, bits: int, expected: bool) -> None:
    assert (f"spans of 2^{bits}" in refusal(tmp_path, SPAN_BITS, bits)) == expected


@pytest.mark.parametrize("bits", [1, LARGEST_BLOCK + 1])
def test_the_length_of_blocks(tmp_path: Path, bits: int) -> None:
    assert f"blocks of 2^{bits} bytes" in refusal(tmp_path, BLOCK_BITS, bits)
