"""The transposition table."""

from __future__ import annotations

import random

import pytest

from engine.native.bits import signed
from engine.native.structs import StructArray
from engine.scores import MATE, NO_SCORE, TABLEBASE_WIN
from engine.search.tt import (
    EXACT,
    LOWER,
    UPPER,
    Cluster,
    TranspositionTable,
    bound_of,
    clear,
    entry_bound,
    entry_depth,
    entry_generation,
    entry_move,
    entry_score,
    entry_static_eval,
    entry_was_pv,
    probe,
    store,
    tablebase_bound,
    used_per_mille,
)


@pytest.fixture
def table() -> TranspositionTable:
    table = TranspositionTable()
    table.clusters = StructArray(Cluster, 1000)
    table.cluster_count = 1000
    return table


@pytest.mark.parametrize(
    "score, bound", [(9, UPPER), (10, UPPER), (11, EXACT), (19, EXACT), (20, LOWER), (21, LOWER)]
)
def test_how_a_result_bounds_the_value(score: int, bound: int) -> None:
    assert bound_of(score, 10, 20) == bound


@pytest.mark.parametrize(
    "score, bound",
    [
        (TABLEBASE_WIN - 5, LOWER),
        (5 - TABLEBASE_WIN, UPPER),
        *((score, EXACT) for score in (MATE - 5, 5 - MATE, -1, 0, 1)),
    ],
)
def test_what_tablebases_win_may_be_a_mate(score: int, bound: int) -> None:
    assert tablebase_bound(score) == bound


def random_key(rng: random.Random) -> int:
    return signed(rng.getrandbits(64))


def test_what_is_stored_is_found(table: TranspositionTable) -> None:
    rng = random.Random(1)
    for _ in range(300):
        key, move = random_key(rng), rng.randrange(1 << 16)
        score, static_eval = rng.randint(-30000, 30000), rng.choice([NO_SCORE, -5000, 0, 31000])
        depth, bound, was_pv = (
            rng.randrange(128),
            rng.choice([UPPER, LOWER, EXACT]),
            rng.random() < 0.5,
        )
        table.generation = rng.randrange(32)
        store(table, key, 3, move, score, static_eval, depth, bound, was_pv)
        data = int(probe(table, key))
        assert entry_move(data) == move
        assert entry_score(data, 3) == score
        assert entry_static_eval(data) == static_eval
        assert (entry_depth(data), entry_bound(data)) == (depth, bound)
        assert entry_was_pv(data) == was_pv
        assert entry_generation(data) == table.generation


def test_unknown_positions_are_not_found(table: TranspositionTable) -> None:
    rng = random.Random(2)
    for _ in range(2000):
        store(table, random_key(rng), 0, 1, 0, 0, 1, EXACT, False)
    assert not any(probe(table, random_key(rng)) for _ in range(2000))


def test_mates_count_from_the_position(table: TranspositionTable) -> None:
    # Found at ply 4: mate three plies later. Met again at ply 10.
    store(table, 77, 4, 1, MATE - 7, 0, 5, EXACT, False)
    assert entry_score(int(probe(table, 77)), 10) == MATE - 13
    store(table, 78, 4, 1, -(MATE - 7), 0, 5, EXACT, False)
    assert entry_score(int(probe(table, 78)), 10) == -(MATE - 13)


def test_a_fail_low_keeps_the_known_move(table: TranspositionTable) -> None:
    store(table, 5, 0, 1234, 10, 0, 6, LOWER, False)
    store(table, 5, 0, 0, -10, 0, 7, UPPER, False)
    data = int(probe(table, 5))
    assert entry_move(data) == 1234 and entry_bound(data) == UPPER


def test_old_and_shallow_entries_make_room_first(table: TranspositionTable) -> None:
    # Keys with equal upper halves share a cluster.
    keys = [(7 << 32) + number for number in range(5)]
    table.generation = 1
    for key, depth in zip(keys, (9, 3, 9, 9), strict=False):
        store(table, key, 0, 1, 0, 0, depth, EXACT, False)
    store(table, keys[4], 0, 1, 0, 0, 5, EXACT, False)
    assert [bool(probe(table, key)) for key in keys] == [True, False, True, True, True]
    table.generation = 4
    store(table, keys[0], 0, 1, 0, 0, 1, EXACT, False)  # the same position, of this search
    store(table, keys[1], 0, 1, 0, 0, 1, EXACT, False)
    assert probe(table, keys[0]) and probe(table, keys[1])


def test_the_age_of_an_entry_goes_on_where_generations_begin_again(
    table: TranspositionTable,
) -> None:
    keys = [(7 << 32) + number for number in range(5)]
    for key, generation in zip(keys, (31, 30, 0, 31), strict=False):
        table.generation = generation
        store(table, key, 0, 1, 0, 0, 20, EXACT, False)
    table.generation = 0
    store(table, keys[4], 0, 1, 0, 0, 1, EXACT, False)
    assert [bool(probe(table, key)) for key in keys] == [True, False, True, True, True]


def test_a_much_deeper_result_of_this_search_is_kept(table: TranspositionTable) -> None:
    for depth, bound, kept in ((5, UPPER, True), (6, LOWER, False), (1, EXACT, False)):
        store(table, 5, 0, 1234, 10, 0, 10, EXACT, False)
        store(table, 5, 0, 0, -10, 0, depth, bound, False)
        assert (entry_depth(int(probe(table, 5))) == 10) == kept
        table.generation += 1
    store(table, 5, 0, 0, -10, 0, 20, EXACT, False)
    table.generation += 1
    store(table, 5, 0, 0, -10, 0, 1, UPPER, False)  # of the next search
    assert entry_depth(int(probe(table, 5))) == 1


def test_a_torn_entry_is_no_positions(table: TranspositionTable) -> None:
    store(table, 99, 0, 1, 0, 0, 5, EXACT, False)
    for index in range(1000):
        for entry in table.clusters[index].entries:
            if entry.data:
                entry.data = int(entry.data) ^ 1  # as if another thread had written half of it
    assert probe(table, 99) == 0


def test_clearing_and_filling(table: TranspositionTable) -> None:
    rng = random.Random(3)
    assert used_per_mille(table) == 0
    for _ in range(40000):
        store(table, random_key(rng), 0, 1, 0, 0, 5, EXACT, False)
    assert used_per_mille(table) == 1000
    clear(table, 0, 125)  # half of those that count
    assert used_per_mille(table) == 500
    table.generation = 1  # entries of earlier searches do not count
    assert used_per_mille(table) == 0
    clear(table, 0, 1000)
    table.generation = 0
    assert used_per_mille(table) == 0
