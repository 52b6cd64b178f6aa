"""Pairs, codes and blocks."""

from __future__ import annotations

import numpy as np
import pytest

from engine.native.memory import Array
from tablebases.generator.arrange import ANY_DTZ, ANY_UP_TO, ANY_WDL
from tablebases.generator.compress import (
    LONGEST_CODE,
    Paired,
    Workspace,
    code_lengths,
    estimate,
    pair_up,
)
from tablebases.generator.pairing import MAX_LENGTH, fill_dtz, fill_wdl


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
