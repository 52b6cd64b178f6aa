"""tablebases.folders: which tables there are, and what opening them costs."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from tablebases.decoding import find_slot
from tablebases.folders import BUILT_IN, Tablebase, find_tables, split_path
from tablebases.material import materials, signature


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()
    return folder


@pytest.mark.skipif(os.name == "nt", reason="a colon belongs to the names of drives")
def test_folders_are_separated_by_semicolon_or_colon() -> None:
    assert split_path("/a;/b c:/d") == [Path("/a"), Path("/b c"), Path("/d")]
    assert split_path(" ; ") == split_path("") == []


def test_tables_of_several_folders(tmp_path: Path) -> None:
    one = fill(tmp_path / "one", "KQvK.rtbw", "KQvK.rtbz", "readme.txt", "KQvK.rtbw.bak")
    two = fill(tmp_path / "two", "KQvK.rtbw", "KQvKR.rtbw")
    tables = Tablebase([one, two])
    assert tables.found.wdl == {"KQvK": one / "KQvK.rtbw", "KQvKR": two / "KQvKR.rtbw"}
    assert tables.most_men == 4
    assert tables.missing_dtz() == ["KQvKR"]
    assert tables.summary() == ("2 WDL and 1 DTZ tables, up to 4 men, 1 WDL tables without DTZ")


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    folder = fill(tmp_path / "folder", "KRvKQ.rtbw", "KQQQQQQvK.rtbz")
    missing = tmp_path / "missing"
    found = find_tables([folder, missing])
    assert not found.wdl and not found.dtz
    assert len(found.problems) == 3
    assert f"{folder / 'KRvKQ.rtbw'}: KRvKQ is not the name of a table" in found.problems
    assert any(problem.startswith(f"{missing}: ") for problem in found.problems)


def test_the_base_serves_what_is_missing_or_damaged(tmp_path: Path) -> None:
    tables = Tablebase([fill(tmp_path / "folder", "KQvK.rtbw")], BUILT_IN)
    assert tables.most_men == 4
    assert tables.found.wdl["KQvK"] == tmp_path / "folder" / "KQvK.rtbw"
    (problem,) = tables.prepare("KQ", "K")
    assert problem.startswith(str(tmp_path / "folder" / "KQvK.rtbw"))
    assert tables.found.wdl["KQvK"] == BUILT_IN / "KQvK.rtbw"
    slot = tables.memory.slots[find_slot(tables.memory, signature("KQ", "K"))]
    assert slot.has_wdl and slot.has_dtz
    assert tables.prepare("KQ", "K") == []


def test_a_named_pipe_is_no_table(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no named pipes there")
    os.mkfifo(tmp_path / "KQvK.rtbw")
    (problem,) = Tablebase([tmp_path]).prepare("KQ", "K")
    assert problem == f"{tmp_path / 'KQvK.rtbw'}: it is not a file"


def test_an_empty_file_is_said_and_left_out(tmp_path: Path) -> None:
    tables = Tablebase([fill(tmp_path / "folder", "KQvK.rtbw", "KRvK.rtbw")])
    (problem,) = tables.prepare("KQ", "K")  # and not the one that is not needed
    assert problem == f"{tmp_path / 'folder' / 'KQvK.rtbw'}: it cannot have 0 bytes"
    assert tables.prepare("KQ", "K") == []


def test_no_more_is_opened_than_there_is_time_for() -> None:
    tables = Tablebase([BUILT_IN])
    asked = []

    def enough() -> bool:
        asked.append(1)
        return len(asked) > 3

    assert tables.prepare("KQR", "K", enough) == []
    assert len(tables._open) == 2 + 3
    assert tables.prepare("KQR", "K") == []
    assert len(tables._open) > 5


def test_without_any_time_the_ending_on_the_board_is_opened() -> None:
    """Won endings were drawn by the fifty-move rule, because in bullet games no file was."""
    tables = Tablebase([BUILT_IN])
    for white, black in (("KQ", "KR"), ("KR", "KQ")):
        assert tables.prepare(white, black, lambda: True) == []
        assert {"KQvKR.rtbw", "KQvKR.rtbz"} <= {path.name for path in tables._open}
    # Then one more with each move, until all are open.
    for opened in (3, 4, 5, 6, 6):
        assert len(tables._open) == opened
        assert tables.prepare("KQ", "KR", lambda: True) == []


def test_between_games_the_smallest_are_opened_and_damage_is_left_for_later(
    tmp_path: Path,
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    for name in ("KQvK", "KRvK", "KBvK", "KNvK", "KRvKN"):
        for path in BUILT_IN.glob(f"{name}.*"):
            shutil.copy(path, base)
    tables = Tablebase([fill(tmp_path / "folder", "KQvK.rtbw")], base)
    tables.open_ahead(lambda: len(tables._open) == 4)
    assert {len(path.stem) for path in tables._open} == {len("KQvK")}
    tables.open_ahead(lambda: False)
    assert len(tables._open) == len(tables.found.wdl) + len(tables.found.dtz) - 1
    assert len(tables.prepare("KQ", "K")) == 1


def test_nothing_is_opened_long_before_it_is_needed(tmp_path: Path) -> None:
    tables = Tablebase([fill(tmp_path / "folder", "KQvK.rtbw")])
    assert tables.prepare("KQRRBBNNPPPPPPPP", "KQRRBBNNPPPPPPPP") == []


@pytest.mark.jit_only
def test_many_materials_leave_nothing_behind() -> None:
    """A process grew by 4 MB in 5,000 games: it remembered which tables each material needs."""
    tables = Tablebase([BUILT_IN])
    tables.prepare("KQRBNPP", "KQRBNPP")
    assert len(tables._open) == len(tables.found.wdl) + len(tables.found.dtz)
    tracemalloc.start()
    try:
        for pawns in range(8):
            for pieces in ("Q", "R", "B", "N", "QR", "RB", "BN", "QBN", "RRB", "BBN"):
                assert tables.prepare("K" + pieces + "P" * pawns, "KP") == []
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept_bytes < 100_000


def test_a_folder_of_290_files_is_listed_at_once(tmp_path: Path) -> None:
    names = [
        name + suffix
        for men in (3, 4, 5)
        for name in materials(men)
        for suffix in (".rtbw", ".rtbz")
    ]
    folder = fill(tmp_path / "folder", *names)
    times = []
    for _ in range(3):
        started = time.thread_time()
        assert len(Tablebase([folder]).found.dtz) == 145
        times.append(time.thread_time() - started)
    assert len(names) == 290 and min(times) < 0.05


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_open_table_takes_memory_only_for_what_was_looked_at() -> None:
    tables = Tablebase([BUILT_IN])
    assert tables.prepare("KBN", "K") == []
    path = tables.found.dtz["KBNvK"]
    maps = Path("/proc/self/smaps").read_text(encoding="utf-8")
    resident = re.search(rf"{re.escape(str(path))}\n(?:\w+:.*\n)*?Rss: +(\d+) kB", maps)
    assert resident is not None
    assert 0 < int(resident[1]) * 1024 < path.stat().st_size / 4
