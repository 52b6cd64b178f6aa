"""Examples: mixed across files, each once an epoch, the same for a seed, and checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tuning.network.sets import labelled, write_set
from tuning.data.dataset import (
    NO_RESULT,
    NO_SCORE,
    RECORD,
    PositionsFile,
    PositionsWriter,
    Records,
    open_positions,
)
from tuning.network.examples import (
    BLOCK,
    LONGEST_BLOCK,
    Sets,
    blocks_of,
    material_counts,
    neighbours_together,
    scales_of,
    targets_of,
)
from tuning.network.gradients import NEIGHBOURS
from tuning.network.model import even_cuts


@pytest.fixture(scope="module")
def records() -> Records:
    return labelled(5000)


def opened(tmp_path: Path, *parts: Records) -> list[PositionsFile]:
    return [
        open_positions(write_set(tmp_path / f"{number}.positions", part))
        for number, part in enumerate(parts)
    ]


def test_an_epoch_has_every_position_once_and_mixes_the_files(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuning.network.examples.CHUNK", 2000)
    sets = Sets(opened(tmp_path, records[:3000], records[3000:]), k=0.01, held_out=0.2, seed=4)
    held_out = sets.validation(0.0)
    chunks = list(sets.epoch(1, 0, 0.0))
    assert len(chunks) > 1 and sum(map(len, chunks)) == sets.training_count
    rows = np.concatenate([held_out.rows, *(chunk.rows for chunk in chunks)])
    assert sorted(rows[:, 0].tolist()) == sorted(records["occupied"].tolist())
    again = list(sets.epoch(1, 1, 0.0))
    assert np.array_equal(again[0].rows, chunks[1].rows)
    assert not np.array_equal(next(sets.epoch(2, 0, 0.0)).rows, chunks[0].rows)


def test_neighbours_stay_together() -> None:
    order = neighbours_together(np.random.default_rng(1), 10 * NEIGHBOURS + 5)
    assert np.array_equal(np.sort(order), np.arange(len(order)))
    groups = order[: 10 * NEIGHBOURS].reshape(-1, NEIGHBOURS)
    assert (np.diff(groups, axis=1) == 1).all() and (groups[:, 0] % NEIGHBOURS == 0).all()
    assert (np.diff(groups[:, 0]) < 0).any()  # shuffled


def test_parts_are_cut_between_groups() -> None:
    assert even_cuts(100, 3, 16) == [0, 32, 64, 100]
    assert even_cuts(100, 1, 16) == [0, 100]
    assert even_cuts(9, 2, 1) == [0, 4, 9]


def test_blocks_end_where_games_begin(records: Records, tmp_path: Path) -> None:
    one_game = records.copy()
    one_game["starts_game"] = 0
    blocks = blocks_of(opened(tmp_path, records, one_game))
    assert sorted(set(blocks[:, 0].tolist())) == [0, 1]
    for file, first, end in blocks.tolist():
        assert 0 < end - first < LONGEST_BLOCK + BLOCK
        assert file == 1 or first == 0 or records["starts_game"][first]
    assert (blocks[1:, 1] == np.where(blocks[1:, 0] == blocks[:-1, 0], blocks[:-1, 2], 0)).all()


def test_targets_are_those_of_the_side_to_move() -> None:
    records = np.zeros(5, RECORD)
    records["score"] = (100, 100, NO_SCORE, 100, NO_SCORE)
    records["result"] = (2, 2, 2, NO_RESULT, NO_RESULT)
    records["side"] = (0, 1, 1, 1, 0)
    found = targets_of(records, np.full(5, 0.01), 0.25)
    scored = 1 / (1 + np.exp(-1.0))
    expected = [0.75 * scored + 0.25, 0.75 * (1 - scored), 0.0, 1 - scored, np.nan]
    assert found == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_counts_of_men(records: Records) -> None:
    counts = material_counts(records)
    assert (counts[:, :, 5] == 1).all() and counts.max() <= 8
    men = [int(word).bit_count() for word in records["occupied"].view(np.uint64)]
    assert counts.sum(axis=(1, 2)).tolist() == men


@pytest.mark.parametrize("what", ["scores", "results"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_swapped_view_is_noticed(records: Records, tmp_path: Path, what: str, side: int) -> None:
    swapped = records.copy()
    if what == "results":
        swapped["result"] = np.sign(swapped["score"]) + 1
        swapped["score"] = NO_SCORE
        column, flipped = "result", 2 - swapped["result"]
    else:
        column, flipped = "score", -swapped["score"]
    Sets(opened(tmp_path, swapped), k=0.01, held_out=0.2, seed=1)  # as it should be
    swapped[column] = np.where(swapped["side"] == side, flipped, swapped[column])
    name = ("White", "Black")[side]
    with pytest.raises(ValueError, match=f"the {what} with {name} to move seem to be of the wrong"):
        Sets(opened(tmp_path, swapped), k=0.01, held_out=0.2, seed=1)


def test_scales_follow_results_where_there_are_enough(records: Records, tmp_path: Path) -> None:
    random, played = np.random.default_rng(2), records.copy()
    played["result"] = 2 * (random.random(len(played)) < 1 / (1 + np.exp(-played["score"] / 200)))
    assert scales_of(opened(tmp_path, records), 0.01) == {"material": 0.01}
    assert scales_of(opened(tmp_path, played), 0.01)["material"] == pytest.approx(1 / 200, rel=0.1)


def test_empty_and_tiny_sets_are_refused(records: Records, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no positions"):
        Sets(opened(tmp_path, records[:0]), k=0.01, held_out=0.2, seed=1)
    with pytest.raises(ValueError, match="too few to hold some of them back"):
        Sets(opened(tmp_path, records[:500]), k=0.01, held_out=0.2, seed=1)


# --- Files ---------------------------------------------------------------------------------------


def test_damaged_files_are_refused(records: Records, tmp_path: Path) -> None:
    path = write_set(tmp_path / "a.positions", records)
    content = path.read_bytes()
    cases = {
        "not a file of positions": b"",
        "cut off at byte": content[:-40],
        "records of another format": content[:12] + b"\x40" + content[13:],
        "the positions are damaged": content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
        "a broken header": content[:32] + b"x" + content[33:],
    }
    for reason, damaged in cases.items():
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=reason):
            open_positions(path)


def test_a_writer_goes_on_from_its_last_commit(records: Records, tmp_path: Path) -> None:
    path = tmp_path / "grows.positions"
    with PositionsWriter(path, ["teacher"]) as writer:
        writer.append(records[:100])
        writer.commit({"next": 100})
        writer.append(records[100:150])  # forgotten, like all after a kill
    assert not path.exists()
    with pytest.raises(ValueError, match="scores of teacher"):
        PositionsWriter(path, ["other"])
    with PositionsWriter(path, ["teacher"]) as writer:
        assert writer.count == 100 and writer.notes == {"next": 100}
        writer.append(records[100:300])
        writer.finish({})
    assert np.array_equal(open_positions(path).records, records[:300])
    assert not writer.part.exists()
