"""Pairs, codes and blocks."""

from __future__ import annotations

import numpy as np
import pytest

from engine.native.structs import Array, StructArray
from tablebases.generator.arrange import ANY_DTZ, ANY_UP_TO, ANY_WDL
from tablebases.generator.compress import (
    LONGEST_CODE,
    Paired,
    Workspace,
    code_lengths,
    estimate,
    pair_up,
)
from tablebases.generator.pairing import (
    MAX_LENGTH,
    MAX_POSITIONS,
    Packing,
    fill_blocks,
    fill_dtz,
    fill_wdl,
)
from tablebases.tables import Byte, Half, Word


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(4000)


def load(workspace: Workspace, values: Array) -> int:
    workspace.symbols[: len(values)] = values
    return len(values)


def expanded(paired: Paired, symbol: int) -> list[int]:
    if symbol < len(paired.leaves):
        return [paired.leaves[symbol]]
    left, right = paired.children[symbol - len(paired.leaves)]
    return expanded(paired, left) + expanded(paired, right)


def random_values(seed: int) -> Array:
    """Runs of some few values, and some noise."""
    generator = np.random.default_rng(seed)
    return np.repeat(generator.choice([0, 2, 3, 40], 800), generator.integers(1, 10, 800))[:4000]


@pytest.mark.parametrize("seed", range(3))
def test_pairs_expand_to_what_they_replace(workspace: Workspace, seed: int) -> None:
    values = random_values(seed)
    paired = pair_up(workspace, load(workspace, values))
    assert len(paired.symbols) < len(values) / 3
    assert [v for symbol in paired.symbols for v in expanded(paired, int(symbol))] == list(values)
    for symbol in range(paired.symbol_count):
        assert len(expanded(paired, symbol)) == paired.expansion[symbol] <= MAX_LENGTH


def test_long_runs(workspace: Workspace) -> None:
    paired = pair_up(workspace, load(workspace, np.full(3999, 4)))
    assert sum(len(expanded(paired, int(symbol))) for symbol in paired.symbols) == 3999
    assert paired.expansion.max() == MAX_LENGTH
    assert len(paired.symbols) < 30


def test_no_pairs_in_short_sequences(workspace: Workspace) -> None:
    paired = pair_up(workspace, load(workspace, np.array([3])))
    assert (paired.leaves, paired.children, list(paired.symbols)) == ([3], [], [0])


def test_code_lengths_are_optimal() -> None:
    lengths = code_lengths(np.array([8, 0, 4, 2, 1, 1]))
    assert list(lengths) == [1, 0, 2, 3, 4, 4]
    assert list(code_lengths(np.array([0, 7]))) == [0, 1]


def test_code_lengths_have_a_limit() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 45:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    lengths = code_lengths(np.array(fibonacci))
    assert lengths.max() <= LONGEST_CODE
    assert sum(2.0 ** -float(length) for length in lengths) == 1


def test_codes_are_packed_into_blocks() -> None:
    """Read bit by bit they are the symbols again; no code crosses from one block into the next."""
    words = {0: "0", 1: "10", 2: "110", 3: "1110000000111"}
    values_of = {0: 1, 1: 5, 2: 2, 3: MAX_LENGTH}
    symbols = np.random.default_rng(4).choice([0, 1, 2, 3], 200, p=[0.5, 0.3, 0.15, 0.05])
    packing, size = Packing(), 3
    for symbol, word in words.items():
        packing.code[symbol], packing.code_length[symbol] = int(word, 2), len(word)
        packing.expansion[symbol] = values_of[symbol]
    packing.sequence = StructArray(Half, len(symbols))
    packing.sequence.memory.view(np.int16)[:] = symbols
    packing.length, packing.block_bytes = len(symbols), size
    packing.blocks = StructArray(Word, len(symbols))
    packing.data = StructArray(Byte, 1)
    count = int(fill_blocks(packing))  # only counts
    assert packing.data[0].value == 0
    packing.data, packing.writes = StructArray(Byte, count * size), 1
    assert fill_blocks(packing) == count > 10

    read: list[int] = []
    for block in range(count):
        data = packing.data.memory[block * size : (block + 1) * size]
        bits = "".join(f"{byte & 255:08b}" for byte in data)
        left = int(packing.blocks[block].value)
        assert 0 < left <= MAX_POSITIONS
        while left > 0:
            symbol = next(s for s, word in words.items() if bits.startswith(word))
            bits = bits.removeprefix(words[symbol])
            left -= values_of[symbol]
            read.append(symbol)
        assert left == 0
    assert read == list(symbols)


def test_gaps_are_filled_with_neighbours(workspace: Workspace) -> None:
    most_2, most_3 = ANY_UP_TO + 2, ANY_UP_TO + 3
    length = load(workspace, np.array([most_3, 2, ANY_WDL, most_2, 4, most_3, ANY_WDL, 0]))
    fill_wdl(workspace.sequence, 0, length)
    assert list(workspace.symbols[:length]) == [2, 2, 2, 2, 4, 0, 0, 0]
    length = load(workspace, np.array([ANY_DTZ, 7, ANY_DTZ, ANY_DTZ, 1, ANY_DTZ]))
    fill_dtz(workspace.sequence, 0, length)
    assert list(workspace.symbols[:length]) == [7, 7, 7, 7, 1, 1]


def test_an_orderly_sequence_is_judged_shorter() -> None:
    orderly = np.repeat([1, 2, 3, 4], 500)
    assert estimate(orderly) < estimate(np.random.default_rng(1).permutation(orderly)) / 10
