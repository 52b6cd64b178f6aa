"""tuning.data.lines: games and positions from the kinds of files that exist."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from tuning.data.lines import OpeningLine, read_lines, read_positions

PGN = """\ufeff[Event "First"]
[WhiteElo "2500"]
[BlackElo "2400"]
[Result "1-0"]

1. e4 {a comment} e5 (1... c5 2. Nf3 (2. c3 d5) d6) 2. Nf3! $1 Nc6 3. Bb5 1-0

[Event "Set up"]
[FEN "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"]
[SetUp "1"]

1. Kd4 *

[Event "Broken"]
[Result "0-1"]

1. d4 d5 2. Ke5 Nf6 3. c4 0-1

[Event "No moves"]

*
"""


def sans(line: OpeningLine) -> str:
    board = chess.Board()
    words = []
    for move in line.moves:
        words.append(board.san_and_push(move))
    return " ".join(words)


def test_pgn(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(PGN, encoding="utf-8")
    first, set_up, broken, empty = read_lines(path, 60)
    assert sans(first) == "e4 e5 Nf3 Nc6 Bb5"
    assert (first.white_points(), first.left_out) == (1.0, [])
    assert set_up.moves == () and "start position" in set_up.left_out[0]
    assert sans(broken) == "d4 d5"
    assert broken.left_out == [
        f"{path}:17: game 3: move 2, Ke5, is illegal: read up to there",
    ]
    assert broken.white_points() == 0.0
    assert empty.moves == () and empty.white_points() is None
    assert [sans(line) for line in read_lines(path, 2)] == ["e4 e5", "", "d4 d5", ""]


def test_a_table(tmp_path: Path) -> None:
    path = tmp_path / "games.tsv"
    path.write_text(
        "#white\twelo\tbelo\tresult\tmoves(SAN[:cp][@depth])\n"
        "A\t2700\t2600\t1/2-1/2\te4 c5:30@12 Nf3:-5\n"
        "B\t?\t2600\t*\t1. d4 Nf6 2. c4\n"
        "C\t1\t2\t1-0\td4 Qd1\n"
        "too\tfew\n",
        encoding="utf-8",
    )
    first, second, wrong, short = read_lines(path, 60)
    assert sans(first) == "e4 c5 Nf3"
    assert first.white_points() == 0.5
    assert sans(second) == "d4 Nf6 c4"
    assert second.white_points() is None
    assert sans(wrong) == "d4"
    assert wrong.left_out[0].startswith(f"{path}:4: move 1, Qd1, ")
    assert short.left_out[0].endswith("5: 2 columns instead of 5")


@pytest.mark.parametrize("packing", ["zip", "gz", "xz", "bz2"])
def test_packed_files(tmp_path: Path, packing: str) -> None:
    path = tmp_path / f"games.pgn.{packing}"
    data = PGN.encode()
    if packing == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("games.pgn", data)
    else:
        packers: dict[str, Callable[[bytes], bytes]] = {
            "gz": gzip.compress,
            "xz": lzma.compress,
            "bz2": bz2.compress,
        }
        path.write_bytes(packers[packing](data))
    assert [len(line.moves) for line in read_lines(path, 60)] == [5, 0, 2, 0]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises((ValueError, OSError)):
        list(read_lines(path, 60))


def test_what_is_not_lines(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("1. e4", encoding="utf-8")
    with pytest.raises(ValueError, match=r"\.txt"):
        read_lines(tmp_path / "x.txt", 60)
    (tmp_path / "x.tsv").write_text("a\tb\n1\t2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: no column"):
        list(read_lines(tmp_path / "x.tsv", 60))
    with zipfile.ZipFile(tmp_path / "two.pgn.zip", "w") as archive:
        archive.writestr("a.pgn", PGN)
        archive.writestr("b.pgn", PGN)
    with pytest.raises(ValueError, match="one file, not 2"):
        list(read_lines(tmp_path / "two.pgn.zip", 60))


def test_positions(tmp_path: Path) -> None:
    path = tmp_path / "some.epd"
    path.write_text(
        'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id "x"; bm e4;\n\n'
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\n"
        "8/8/8/8 w - -\n",
        encoding="utf-8",
    )
    positions = read_positions(path)
    assert next(positions).board_fen() == chess.STARTING_BOARD_FEN
    assert next(positions).has_castling_rights(chess.WHITE)
    with pytest.raises(ValueError, match="line 4"):
        next(positions)


def test_real_files(data: Path) -> None:
    lines = read_lines(data / "openings" / "eco" / "e.tsv", 60)
    first = next(lines)
    assert (first.tags["eco"], first.left_out) == ("E00", ())
    game = next(read_lines(data / "games" / "tcec_games.tsv.xz", 6))
    assert sans(game) == "e4 b6 Nc3 Bb7 d4 e6"
