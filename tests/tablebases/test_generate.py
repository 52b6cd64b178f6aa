"""Tables that are made here: `python -m tablebases generate`."""

from __future__ import annotations

import errno
import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest

from engine.native.structs import StructArray
from tablebases.__main__ import main
from tablebases.commands.generate import describe
from tablebases.generator.placements import ILLEGAL_OUTCOME
from tablebases.generator.plan import PROGRAM_BYTES, Plan, wrong_position
from tablebases.generator.solve import BARE_KINGS, Solution, index_count, slots, solve
from tablebases.layout import BLACK_TO_MOVE, LOSS_IN_PLIES, WIN_IN_PLIES
from tablebases.material import dependencies
from tablebases.reading import open_table
from tablebases.tables import Byte

pytestmark = pytest.mark.jit_only  # hundreds of thousands of positions

SMALL = ("KNvK", "KPvK", "KQvK")
DTZ_OF_WDL = {-2: -1, -1: -101, 0: 0, 1: 101, 2: 1}  # of a position whose zeroing move decides


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of SMALL and of all that KPvK promotes to."""
    folder = tmp_path_factory.mktemp("made")
    names = {*SMALL, *dependencies("KPvK")}
    assert main(["generate", *sorted(names), "--folder", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def made(folder: Path) -> Iterator[chess.syzygy.Tablebase]:
    with chess.syzygy.open_tablebase(str(folder)) as made:
        yield made


@pytest.fixture(scope="module")
def solved() -> dict[str, Solution]:
    solutions: dict[str, Solution] = {}
    outcomes: dict[str, StructArray[Byte]] = {}
    for name in (BARE_KINGS, "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"):
        solutions[name] = solve(name, outcomes)
        outcomes[name] = solutions[name].outcomes
    return solutions


def boards(name: str, count: int) -> Iterator[chess.Board]:
    """Random positions that a game could have, but for how it came there."""
    generator = random.Random(name)
    while count:
        board = chess.Board(None)
        squares = generator.sample(chess.SQUARES, len(name) - 1)
        for square, (kind, colour) in zip(squares, slots(name), strict=True):
            board.set_piece_at(square, chess.Piece(kind, colour == 0))
        board.turn = generator.random() < 0.5
        if not board.pawns & chess.BB_BACKRANKS and not board.was_into_check():
            count -= 1
            yield board


def value_by_moves(tables: chess.syzygy.Tablebase, board: chess.Board) -> tuple[int, int]:
    """WDL and DTZ as they follow from the positions after each move."""
    if board.is_checkmate():
        return -2, -1
    after: list[tuple[int, int]] = []
    for move in board.legal_moves:
        zeroes = board.is_zeroing(move)
        board.push(move)
        wdl = -tables.probe_wdl(board)
        dtz = -tables.probe_dtz(board)
        is_mate = board.is_checkmate()
        board.pop()
        if zeroes or is_mate:
            dtz = DTZ_OF_WDL[wdl]
        elif dtz:
            dtz += 1 if dtz > 0 else -1
        after.append((wdl, dtz))
    best = max((wdl for wdl, _ in after), default=0)
    return best, min((dtz for wdl, dtz in after if wdl == best), default=0)


@pytest.mark.parametrize("name", ["KNvK", "KPvK", "KQvK", "KRvK"])
def test_values_follow_from_those_after_the_moves(made: chess.syzygy.Tablebase, name: str) -> None:
    for board in boards(name, 12):
        wdl, dtz = value_by_moves(made, board)
        assert made.probe_wdl(board) == wdl, board.fen()
        # Stored in pairs of plies: one may be missing, here and after a move.
        assert abs(made.probe_dtz(board) - dtz) <= 1, board.fen()


def test_known_positions(made: chess.syzygy.Tablebase) -> None:
    for fen, wdl in {
        "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1": 0,
        "8/8/8/8/4k3/8/4P3/4K3 b - - 0 1": 0,
        "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1": 2,
        "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1": -2,
        "k7/8/K7/P7/8/8/8/8 w - - 0 1": 0,
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1": 0,  # stalemate
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1": -2,  # mate
        "8/8/8/8/8/2k5/1Q6/K7 b - - 0 1": -2,
        "8/8/8/8/8/K1k5/1Q6/8 b - - 0 1": -2,
        "8/8/8/2K5/8/2k5/1Q6/8 b - - 0 1": 0,  # takes the queen
    }.items():
        assert made.probe_wdl(chess.Board(fen)) == wdl, fen


@pytest.mark.parametrize("name", SMALL)
def test_equal_to_the_standard_tables(tablebases: Path, folder: Path, name: str) -> None:
    ours = chess.syzygy.open_tablebase(str(folder))
    theirs = chess.syzygy.open_tablebase(str(tablebases))
    with ours, theirs:
        for board in boards(name, 100):
            assert ours.probe_wdl(board) == theirs.probe_wdl(board), board.fen()
            assert ours.probe_dtz(board) == theirs.probe_dtz(board), board.fen()


@pytest.mark.parametrize("name", ["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"])
def test_standard_tables_fit_the_solution_everywhere(
    tablebases: Path, solved: dict[str, Solution], name: str
) -> None:
    for suffix in (".rtbw", ".rtbz"):
        assert wrong_position(solved[name], tablebases / (name + suffix)) is None


def test_a_wrong_table_is_noticed(folder: Path, solved: dict[str, Solution]) -> None:
    notes = solved["KQvK"].solver.counts.memory
    legal = (notes & ILLEGAL_OUTCOME == 0).nonzero()[0]
    plies = solved["KQvK"].solver.plies.memory.view("int16")
    mate = next(int(index) for index in legal if plies[index] == -1)
    notes[mate] ^= 2  # a draw
    try:
        assert "is wrong about position" in str(
            wrong_position(solved["KQvK"], folder / "KQvK.rtbw")
        )
    finally:
        notes[mate] ^= 2
    assert wrong_position(solved["KQvK"], folder / "KQvK.rtbw") is None

    win = next(int(index) for index in legal if plies[index] == 9)
    plies[win] = 11
    try:
        assert f"position {win} " in str(wrong_position(solved["KQvK"], folder / "KQvK.rtbz"))
    finally:
        plies[win] = 9
    assert wrong_position(solved["KQvK"], folder / "KQvK.rtbz") is None


def test_finished_tables_are_kept(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    damaged = tmp_path / "KNvK.rtbw"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    (tmp_path / "KQvK.rtbz").unlink()
    before = (tmp_path / "KPvK.rtbw").stat().st_mtime_ns
    assert main(["generate", *SMALL, "--folder", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "kept: KPvK\n" in printed
    assert ": KNvK KQvK\n" in printed
    assert (tmp_path / "KPvK.rtbw").stat().st_mtime_ns == before
    for path in folder.iterdir():  # made again, they are the same
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted(tmp_path / path.name for path in folder.iterdir())
    assert main(["generate", *SMALL, "--folder", str(tmp_path)]) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    leftover = tmp_path / ".unfinished"
    leftover.mkdir()
    (leftover / "KNvK.rtbw").write_bytes(b"half")
    assert main(["generate", "KNvK", "--folder", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["KNvK.rtbw", "KNvK.rtbz"]


def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = Path.write_bytes

    def write_bytes(path: Path, content: bytes) -> int:
        if path.suffix == ".rtbz":
            written(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return written(path, content)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    assert main(["generate", "KNvK", "--folder", str(tmp_path)]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_bad_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    for words, problem, status in (
        (["KvKQ", "--folder", str(tmp_path)], "'KvKQ' is not a material", 2),
        (["KQRBNvK", "--folder", str(tmp_path)], "of 3 to 5 men", 2),
        (["KQvK", "--folder", str(file)], "file", 1),
    ):
        assert main(["generate", *words]) == status
        assert problem in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [file]


def test_memory_and_time_are_told(tmp_path: Path) -> None:
    plan = Plan(tmp_path, ["KPvKP"])
    text = "\n".join(describe(plan))
    assert "to be made" in text
    assert "KQvKQ" in text  # must be solved, since both pawns may promote
    assert "MB of memory and" in text
    assert plan.memory() > 6 * index_count("KQvKQ")
    assert (
        plan.to_solve.index("KQvKQ") < plan.to_solve.index("KQvKP") < plan.to_solve.index("KPvKP")
    )
    assert plan.memory() > Plan(tmp_path, ["KQvK"]).memory() > PROGRAM_BYTES
    five_men = Plan(tmp_path, ["KRPvKR"])
    assert 4e9 < five_men.memory() < 16e9


@pytest.mark.parametrize("name", ["KPvK", "KQvK", "KRvK"])
def test_dtz_has_the_side_and_rounding_of_the_standard_tables(
    tablebases: Path, folder: Path, name: str
) -> None:
    """So that values that are computed from those of the other side are the same too."""
    choice = BLACK_TO_MOVE | WIN_IN_PLIES | LOSS_IN_PLIES
    ours, theirs = (
        [int(part.flags) & choice for part in open_table(place / f"{name}.rtbz").table.parts]
        for place in (folder, tablebases)
    )
    assert ours == theirs
