"""Damaged files: they are refused, or cost a wrong value, but never more.

With WADJET_KERNEL_CHECKS=1 a kernel that left the file would raise IndexError.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.position import MoveLists
from engine.tb.memory import Prober
from tablebases.commands.sampling import check_sample, new_sample
from tablebases.folders import Tablebase
from tablebases.material import FormatError, men, sides
from tablebases.reading import open_table

pytestmark = pytest.mark.jit_only  # thousands of probes

FILES = ("KQvK.rtbw", "KRvK.rtbz", "KPvK.rtbw", "KPvKP.rtbz", "KRvKN.rtbw", "KBvKP.rtbz")
HEADER = 200  # bytes that are damaged more often


def probe_everywhere(folders: list[Path], name: str) -> list[str]:
    """Probe random positions, with the damaged table first; returns what opening complained of."""
    tablebases = Tablebase(folders)
    problems = tablebases.prepare(*sides(name))
    prober = Prober()
    prober.tablebases = tablebases.memory
    prober.most_men = tablebases.most_men
    pos, lists = new_position(SHARED_TABLES), MoveLists()
    for seed in range(4):
        sample = new_sample(name, seed)
        check_sample(sample, prober, pos, lists, 30, True)  # whatever it says, it comes back
        assert sample.incomplete + sum(sample.results) > 0
    return problems


SHARED_TABLES = new_attack_tables()


@pytest.mark.parametrize("file", FILES)
def test_flipped_bits(tablebases: Path, tmp_path: Path, file: str) -> None:
    intact = (tablebases / file).read_bytes()
    dice = random.Random(file)
    refused = 0
    for _ in range(25):
        content = bytearray(intact)
        for _ in range(dice.choice((1, 1, 3))):
            last = min(HEADER, len(content)) if dice.random() < 0.7 else len(content)
            content[dice.randrange(last)] ^= 1 << dice.randrange(8)
        (tmp_path / file).write_bytes(content)
        refused += bool(probe_everywhere([tmp_path, tablebases], file[: men(file[:-5]) + 1]))
    assert refused > 0


@pytest.mark.parametrize("file", FILES)
def test_truncated_and_extended_files_are_refused(
    tablebases: Path, tmp_path: Path, file: str
) -> None:
    intact = (tablebases / file).read_bytes()
    lengths = {0, 1, 3, 4, 5, 15, 16, 80, len(intact) // 2, len(intact) - 64, len(intact) - 1}
    for length in sorted(lengths - {len(intact)}):
        (tmp_path / file).write_bytes(intact[:length])
        with pytest.raises(FormatError, match=str(tmp_path / file)):
            open_table(tmp_path / file)
    (tmp_path / file).write_bytes(intact + bytes(64))
    with pytest.raises(FormatError, match="too few or too many"):
        open_table(tmp_path / file)


def test_a_table_under_a_wrong_name_is_refused(tablebases: Path, tmp_path: Path) -> None:
    shutil.copy(tablebases / "KQvK.rtbw", tmp_path / "KRvK.rtbw")
    shutil.copy(tablebases / "KQvK.rtbw", tmp_path / "KQvK.rtbz")
    shutil.copy(tablebases / "KQvKR.rtbw", tmp_path / "KQvKP.rtbw")
    for name in ("KRvK.rtbw", "KQvK.rtbz", "KQvKP.rtbw"):
        with pytest.raises(FormatError, match=name):
            open_table(tmp_path / name)


def test_a_file_that_is_replaced_is_opened_again(tablebases: Path, tmp_path: Path) -> None:
    path = tmp_path / "KQvK.rtbw"
    shutil.copy(tablebases / "KQvK.rtbw", path)
    found = Tablebase([tmp_path])
    assert found.prepare("KQ", "K") == []
    slot = next(slot for slot in found.memory.slots if slot.has_wdl)
    damaged = tmp_path / "new"
    damaged.write_bytes(path.read_bytes()[:-64])
    damaged.replace(path)
    assert len(found.prepare("KQ", "K")) == 1
    assert not slot.has_wdl
    assert found.prepare("KQ", "K") == []  # said once
