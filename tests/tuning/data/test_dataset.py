"""Files of positions and games: what is written is read, what is damaged is named."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.board.fen import START
from tuning.adjudication import WIN
from tuning.data.dataset import NO_SCORE, RECORD, Dataset, load, load_all, open_positions
from tuning.data.games import GameFile, GameRecord, read_games, read_settings

SETTINGS = {"soft_nodes": 100, "seed": 1}


def dataset(count: int = 5, sources: tuple[str, ...] = ("one", "two")) -> Dataset:
    records = np.zeros(count, RECORD)
    records["occupied"] = np.arange(count)
    records["score"] = np.arange(count) - 2
    records["source"] = np.arange(count) % len(sources)
    records["starts_game"][::2] = 1
    return Dataset(records, list(sources), {"files": ["x"]})


def game(number: int) -> GameRecord:
    return GameRecord(START, [796, 3364, number], [10, -5, NO_SCORE + 1], WIN)


def test_positions_come_back(tmp_path: Path) -> None:
    path, written = tmp_path / "a.positions", dataset()
    written.save(path)
    found = load(path)
    assert np.array_equal(found.records, written.records)
    assert found.sources == ["one", "two"] and found.notes == {"files": ["x"]}
    assert found.game_numbers().tolist() == [0, 0, 1, 1, 2]
    assert path.stat().st_size % 32 == 0


def test_several_files_are_one_set_with_one_list_of_sources(tmp_path: Path) -> None:
    paths = [tmp_path / "a.positions", tmp_path / "b.positions"]
    dataset().save(paths[0])
    dataset(3, ("two", "three")).save(paths[1])
    found = load_all(paths)
    assert found.sources == ["one", "two", "three"]
    assert found.records["source"].tolist() == [0, 1, 0, 1, 0, 1, 2, 1]
    assert found.game_numbers().tolist() == [0, 0, 1, 1, 2, 3, 3, 4]


def test_as_many_sources_as_the_format_has_room_for(tmp_path: Path) -> None:
    names = [str(number) for number in range(257)]
    paths = [tmp_path / "a.positions", tmp_path / "b.positions"]
    dataset(130, tuple(names[:130])).save(paths[0])
    dataset(126, tuple(names[130:256])).save(paths[1])
    found = load_all(paths)
    assert [found.sources[number] for number in found.records["source"]] == names[:256]
    dataset(127, tuple(names[130:])).save(paths[1])
    with pytest.raises(ValueError, match="more than 256 sources"):
        load_all(paths)


def test_a_part_keeps_its_games_apart() -> None:
    whole = dataset(6)
    whole.records["starts_game"] = [1, 0, 1, 0, 1, 0]
    part = whole.only(np.array([True, True, False, True, False, False]))
    assert part.game_numbers().tolist() == [0, 0, 1]


@pytest.mark.parametrize("missing", [1, 32, 100])
def test_a_cut_off_file_says_where(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "a.positions"
    dataset().save(path)
    data = path.read_bytes()[:-missing]
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"a\.positions: cut off at byte {len(data)}"):
        load(path)


def test_damage_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.positions"
    dataset().save(path)
    data = bytearray(path.read_bytes())
    data[-7] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        load(path)


@pytest.mark.parametrize("text", [b"", b"WADJPOS1", b"x" * 200, b"WADJPOS1" + bytes(60)])
def test_other_files_are_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.positions"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"a\.positions: "):
        load(path)


DEEP = b"[" * 100_000  # more than the reader of JSON can nest


def test_a_header_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    positions, played = tmp_path / "a.positions", tmp_path / "a.games"
    header = struct.pack("<IIQQ", 32 + len(DEEP), 32, 0, 0)
    positions.write_bytes(b"WADJPOS1" + header + DEEP)
    played.write_bytes(b"WADJGAM1" + struct.pack("<I", len(DEEP)) + DEEP)
    for read in (load, open_positions):
        with pytest.raises(ValueError, match=r"a\.positions: byte 32: a broken header"):
            read(positions)
    with pytest.raises(ValueError, match=r"a\.games: byte 12: a broken header"):
        list(read_games(played))


def test_an_empty_set(tmp_path: Path) -> None:
    path = tmp_path / "a.positions"
    dataset(0).save(path)
    with pytest.raises(ValueError, match="no positions"):
        load_all([path])


def test_games_come_back(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    with GameFile(path, SETTINGS) as file:
        for number in (2, 0):
            file.add(number, game(number))
    assert list(read_games(path)) == [game(2), game(0)]
    assert read_settings(path) == SETTINGS
    with GameFile(path, SETTINGS) as file:
        assert file.numbers == {0, 2} and file.cut_off_bytes == 0
        file.add(1, game(1))
    assert list(read_games(path)) == [game(2), game(0), game(1)]


def test_a_game_that_a_kill_left_half_written_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    with GameFile(path, SETTINGS) as file:
        file.add(0, game(0))
        whole = path.stat().st_size
        file.add(1, game(1))
    path.write_bytes(path.read_bytes()[:-3])
    games = read_games(path)
    assert next(games) == game(0)
    with pytest.raises(ValueError, match=rf"a\.games: byte {whole}: "):
        next(games)
    with GameFile(path, SETTINGS) as file:
        assert file.numbers == {0} and file.cut_off_bytes > 0
        file.add(1, game(1))
    assert list(read_games(path)) == [game(0), game(1)]


@pytest.mark.parametrize("place", [0, 3, 4, 20])  # of the length, the checksum, the game
def test_games_behind_a_damaged_one_are_not_cut_off(tmp_path: Path, place: int) -> None:
    path = tmp_path / "a.games"
    with GameFile(path, SETTINGS) as file:
        file.add(0, game(0))
        damaged = path.stat().st_size
        for number in range(1, 20):
            file.add(number, game(number))
    data = bytearray(path.read_bytes())
    data[damaged + place] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"a\.games: byte {damaged}: a damaged game"):
        GameFile(path, SETTINGS)
    assert path.read_bytes() == data


def test_a_damaged_last_game_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    with GameFile(path, SETTINGS) as file:
        for number in range(3):
            file.add(number, game(number))
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with GameFile(path, SETTINGS) as file:
        assert file.numbers == {0, 1}


class FullDisk:
    """Takes half of what is written."""

    def __init__(self, file: Any):
        self.file = file

    def write(self, data: bytes) -> int:
        return int(self.file.write(data[: len(data) // 2]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_full_disk_keeps_what_was_finished(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    with GameFile(path, SETTINGS) as file:
        file.add(0, game(0))
        file._file = FullDisk(file._file)  # type: ignore[assignment]
        with pytest.raises(OSError, match="full"):
            file.add(1, game(1))
    assert list(read_games(path)) == [game(0)]


def test_games_of_other_settings_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    GameFile(path, SETTINGS).close()
    with pytest.raises(ValueError, match="another seed"):
        GameFile(path, {**SETTINGS, "seed": 2})
    path.write_bytes(b"nonsense, but long enough")
    with pytest.raises(ValueError, match="not a file of games"):
        GameFile(path, SETTINGS)
