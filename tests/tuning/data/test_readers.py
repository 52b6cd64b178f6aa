"""Positions from PGN, EPD, CSV and our games, and the filters after them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import START, set_fen
from engine.board.move import CAPTURE
from tuning.__main__ import main
from tuning.adjudication import WIN
from tuning.data.dataset import LARGEST_SCORE, NO_RESULT, NO_SCORE, RECORD, load
from tuning.data.filters import Wanted, chosen
from tuning.data.games import GameFile, GameRecord
from tuning.data.packed import PackedPosition, pack
from tuning.data.readers import NOISY, QUIET, UNKNOWN, Batch, read, whole
from tuning.data.writers import fens, positions_as_epd

PGN = """[Event "x"]
[Result "1-0"]

1. e4 {+0.30/12 0.1s} d5 {-0.25/10} 2. exd5 {+M5/20} Qxd5 {[%eval 1.5]} 3. Nc3 1-0

[Event "broken"]
[Result "0-1"]

1. e4 Ke5 0-1

[Event "short"]
[Result "*"]

1. d4 *
"""
CSV = f"""#fen;cp_white;result_white;ply;depth;engine
{START};25;0.5;45;25;LCZero
{START.replace(" w ", " b ")};-31;1.0;46;25;Komodo
"""


def everything(path: Path) -> tuple[Batch, list[str]]:
    sources: list[str] = []
    _, batch = whole(list(read(path, sources)), sources)
    return batch, sources


def test_pgn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(PGN, encoding="utf-8")
    batch, _ = everything(path)
    scores = batch.records["score"].tolist()
    assert scores == [30, 25, LARGEST_SCORE, 150, NO_SCORE, NO_SCORE, NO_SCORE]
    assert batch.records["result"].tolist() == [2, 2, 2, 2, 2, 0, NO_RESULT]
    assert batch.records["starts_game"].tolist() == [1, 0, 0, 0, 0, 1, 1]
    assert batch.quiet.tolist() == [QUIET, QUIET, NOISY, NOISY, QUIET, QUIET, QUIET]
    assert batch.plies.tolist() == [0, 1, 2, 3, 4, 0, 0]
    said = capsys.readouterr().err
    assert said == f"{path}:9: game 2: move 1, Ke5, is illegal: read up to there\n"


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.xz"
    path.write_bytes(lzma.compress(CSV.encode()))
    batch, sources = everything(path)
    assert sources == ["LCZero", "Komodo"]
    assert batch.records["score"].tolist() == [25, -31]
    assert batch.records["result"].tolist() == [1, 2]
    assert batch.records["side"].tolist() == [0, 1]
    assert batch.plies.tolist() == [45, 46] and set(batch.quiet.tolist()) == {UNKNOWN}


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.epd", content)
    return packed.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "xz": lzma.compress,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zip": zipped,
}


@pytest.mark.parametrize("packing", PACKERS)
def test_packed_epd(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"a.epd.{packing}"
    path.write_bytes(PACKERS[packing](f"{START} ce 20;\n{START} ce 30;\n".encode()))
    batch, _ = everything(path)
    assert batch.records["score"].tolist() == [20, 30]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("damage", ["cut off", "flipped", "nonsense"])
def test_damaged_packed_files_are_named(tmp_path: Path, packing: str, damage: str) -> None:
    rows = [f"{START};{number % 977};0.5" for number in range(4000)]
    packed = bytearray(PACKERS[packing]("\n".join(["fen;cp_white;result_white", *rows]).encode()))
    if damage == "cut off":
        del packed[len(packed) // 2 :]
    elif damage == "flipped":
        for place in range(len(packed) // 3, len(packed) // 3 + 9):
            packed[place] ^= 255
    else:
        packed[10:] = b"\xff" * 50
    path = tmp_path / f"a.csv.{packing}"
    path.write_bytes(packed)
    with pytest.raises(ValueError, match=rf"a\.csv\.{packing}:"):
        everything(path)


@pytest.mark.jit_only  # sets up tables
def test_epd_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "a.epd"
    lines = [
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - ce -30; c9 "1-0";',
        "4k3/8/8/8/8/8/4P3/4K3 w - - ce 170;",
        "4k3/8/8/8/8/8/4P3/4K3 w - -",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    sources: list[str] = []
    dataset, _ = whole(list(read(path, sources)), sources)
    assert dataset.records["score"].tolist() == [30, 170, NO_SCORE]
    assert list(positions_as_epd(dataset.records)) == lines


@pytest.mark.jit_only  # sets up tables
def test_our_games(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    moves = [12 | 28 << 6 | 1 << 12, 51 | 35 << 6 | 1 << 12, 28 | 35 << 6 | CAPTURE]
    with GameFile(path, {}) as file:
        file.add(0, GameRecord(START, moves, [20, 30, 40], WIN))
    batch, sources = everything(path)
    assert sources == ["Wadjet"] and batch.quiet.tolist() == [QUIET, QUIET, NOISY]
    assert batch.records["score"].tolist() == [20, 30, 40]
    dataset, _ = whole([batch], sources)
    board = chess.Board()
    for fen, move in zip(fens(dataset.records), ("e2e4", "d7d5", "e4d5"), strict=True):
        assert fen.split()[:2] == board.fen().split()[:2]
        board.push_uci(move)


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("a.csv", CSV.replace("-31", "nan"), r"a\.csv:3: nan is not a score"),
        ("a.csv", CSV.replace("0.5", "0.7"), r"a\.csv:2: 0\.7 is not a result"),
        ("a.csv", CSV.replace(";LCZero", ""), r"a\.csv:2: 5 columns instead of 6"),
        ("a.csv", CSV.replace("RNBQKBNR b", "RNBQQBNR b"), r"a\.csv:3: not a position"),
        ("a.csv", START + "\n", r"a\.csv:1: .*name the columns"),
        ("a.epd", f"{START}\n8/8 w - -\n", r"a\.epd:2: "),
        ("a.epd", f"{START} ce nan;\n", r"a\.epd:1: nan"),
        ("a.txt", "x", r"a\.txt: the name must end in"),
        ("a.games", "x", r"a\.games: not a file of games"),
        ("a.games.xz", "x", r"a\.games\.xz: cannot read compressed games"),
        ("a.csv.xz", "x", r"a\.csv\.xz: "),
        ("a.csv.gz", "x", r"a\.csv\.gz: Not a gzipped file"),
        ("a.csv.zip", "x", r"a\.csv\.zip: File is not a zip file"),
    ],
)
def test_broken_files_are_named_with_the_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        everything(path)


@pytest.mark.jit_only
def test_filters_count_what_they_remove(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines = ["fen;cp_white;result_white;ply"]
    fens_and_labels = [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 30, 20),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 30, 20),  # again
        ("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1", 9000, 20),  # decided
        ("rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1", 30, 2),  # early
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", 0, 90),  # in check
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", 0, 90),  # a queen to be won
        ("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", 100, 90),
    ]
    lines += [f"{fen};{score};0.5;{ply}" for fen, score, ply in fens_and_labels]
    path.write_text("\n".join(lines), encoding="utf-8")
    batch, _ = everything(path)
    records, removed = chosen(batch, Wanted())
    assert removed == {
        "without result and score": 0,
        "outside the plies": 1,
        "decided by their score": 1,
        "duplicates": 1,
        "with a capture or promotion played": 0,
        "in check": 1,
        "with an exchange to win": 1,
    }
    assert records["score"].tolist() == [30, 100]
    assert records["starts_game"].tolist() == [1, 0]


@pytest.mark.jit_only  # sets up tables
def test_a_duplicate_counts_only_once_it_is_quiet() -> None:
    """One position, left with a capture, then twice with a quiet move."""
    pos, packed = new_position(new_attack_tables()), PackedPosition()
    set_fen(pos, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    pack(pos, packed)
    records = np.frombuffer(packed._memory.tobytes() * 3, np.uint8).copy().view(RECORD)
    records["score"] = [10, 20, 30]
    batch = Batch(records, np.array([NOISY, QUIET, QUIET]), np.full(3, 30))
    kept, removed = chosen(batch, Wanted())
    assert kept["score"].tolist() == [20]
    assert removed["with a capture or promotion played"] == removed["duplicates"] == 1
    assert sum(removed.values()) == 2


def test_a_game_gives_no_more_than_wanted() -> None:
    sources: list[str] = []
    _, batch = whole([], sources)
    records = np.zeros(100, batch.records.dtype)
    records["occupied"] = np.arange(100)
    records["starts_game"][[0, 90]] = 1
    batch = Batch(records, np.full(100, QUIET), np.full(100, 30))
    wanted = Wanted(quiet=False, most_a_game=7)
    kept, removed = chosen(batch, wanted)
    assert removed["beyond the number wanted of a game"] == 86
    assert np.cumsum(kept["starts_game"]).tolist() == [1] * 7 + [2] * 7
    again, _ = chosen(batch, wanted)
    assert np.array_equal(kept, again)


@pytest.mark.jit_only  # sets up tables
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "a.positions"
    source.write_text(CSV, encoding="utf-8")
    assert main(["import", str(source), "-o", str(target), "--noisy"]) == 0
    assert "2 kept" in capsys.readouterr().out
    assert len(load(target)) == 2 and load(target).sources == ["LCZero", "Komodo"]
    target.unlink()
    assert main(["import", str(source), "-o", str(target), "--least-ply", "300"]) == 1
    assert "no position is left" in capsys.readouterr().err
    assert not target.exists()


def test_what_is_left_out_of_games_is_said_and_the_rest_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "a.pgn", tmp_path / "a.positions"
    words = ["import", str(source), "-o", str(target), "--least-ply", "0", "--noisy"]
    source.write_text(PGN.replace("Ke5", "c5"), encoding="utf-8")
    assert main(words) == 0
    assert "a.pgn" not in capsys.readouterr().err
    whole = len(load(target))
    source.write_text(PGN.replace("1. e4 Ke5", "1. e4 c5\n2. Ke7"), encoding="utf-8")
    assert main(words) == 1
    reason = "game 2: move 2, Ke7, is illegal: read up to there"
    assert f"{source}:10: {reason}\n" in capsys.readouterr().err
    assert len(load(target)) == whole
