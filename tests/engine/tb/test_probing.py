"""engine.tb against python-chess's prober, and the choice of moves by tables."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.board.draws import insufficient_material
from engine.board.makemove import make, unmake
from engine.board.notation import legal_moves, move_text
from engine.board.position import Position
from engine.native.jit import INTERPRETED
from engine.search.shared import Shared
from engine.tb.access import pieces_of
from engine.tb.probing import probe_wdl
from engine.tb.ranking import FIFTY_MOVES, RankedMove, best_line, rank_moves
from tablebases.commands.sampling import check_sample, new_sample
from tablebases.decoding import NO_TABLE
from tablebases.folders import BUILT_IN
from tablebases.material import men
from tests.reference.tablebases import Bench


def slow_table(fen: str, wdl: int, dtz: int) -> Any:
    """Parameters with a table that takes long to open as plain Python."""
    return pytest.param(fen, wdl, dtz, marks=pytest.mark.jit_only)


@pytest.fixture(scope="module")
def bench(tablebases: Path, shared: Shared) -> Bench:
    five_men = tablebases.with_name("syzygy-5")
    return Bench([tablebases, five_men] if five_men.is_dir() else [tablebases], shared.tables)


@pytest.fixture
def rank(bench: Bench) -> Callable[..., list[RankedMove]]:
    def ranking(fen: str, fifty_moves: bool = True) -> list[RankedMove]:
        bench.set_up(fen)
        moves = legal_moves(bench.position, bench.lists)
        found = rank_moves(bench.prober, bench.position, bench.lists, moves, fifty_moves)
        assert found is not None
        return found

    return ranking


@pytest.mark.jit_only
@pytest.mark.usefixtures("data")  # there are 35 of our own, without five men
def test_every_table_is_read(bench: Bench) -> None:
    assert bench.prepare(*bench.ours.found.wdl) == []
    assert len(bench.ours.found.wdl) == 37 and len(bench.ours.found.dtz) == 36
    assert bench.ours.missing_dtz() == ["KBNvKN"]


@pytest.mark.jit_only
def test_every_built_in_table_is_read(shared: Shared) -> None:
    bench = Bench([BUILT_IN], shared.tables)
    assert bench.prepare(*bench.ours.found.wdl) == []
    assert len(bench.ours.found.wdl) == len(bench.ours.found.dtz) == 35
    assert bench.ours.missing_dtz() == []


@pytest.mark.parametrize(
    "fen, wdl, dtz",
    [
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", 2, None),  # the opposition does not matter
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", -2, None),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", 0, 0),  # here it does
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", -2, None),
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", 0, 0),  # a rook pawn
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 2, 1),  # mate in one
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -2, -2),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, 0),  # stalemate
        ("8/8/8/8/4k3/8/8/KNN5 w - - 0 1", 0, 0),
        ("1K6/P7/8/8/8/8/2k5/8 w - - 0 1", 2, None),
        ("8/8/8/2K5/8/2k5/1Q6/8 b - - 0 1", 0, 0),  # takes the queen
        slow_table("k7/8/8/P7/8/4B3/8/4K3 w - - 0 1", 0, 0),  # the wrong bishop
        slow_table("8/8/8/8/8/1k6/2p5/K2Q4 b - - 0 1", 2, 1),  # takes the queen with mate
    ],
)
def test_values_from_the_textbooks(bench: Bench, fen: str, wdl: int, dtz: int | None) -> None:
    bench.set_up(fen)
    found = bench.probe()
    assert found == bench.their_probe()
    assert found[0] == wdl and dtz in (None, found[1])


@pytest.mark.jit_only
def test_positions_with_known_values(bench: Bench, data: Path) -> None:
    lines = (data / "endgames" / "syzygy_vectors.epd").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 1000
    for line in lines:
        fen, _, operations = line.partition(" wdl ")
        wdl, _, rest = operations.partition("; dtz ")
        bench.set_up(fen)
        assert bench.probe() == (int(wdl), int(rest.split(";")[0])), line


@pytest.mark.jit_only
def test_one_position_that_everybody_knows(bench: Bench) -> None:
    bench.set_up("8/8/8/8/B7/N7/K2k4/8 b - - 0 1")
    assert bench.probe() == (-2, -59)


@pytest.mark.jit_only
def test_random_positions_of_all_materials(bench: Bench) -> None:
    """A sample; tests/benchmarks/tablebases.py compares millions."""
    different = [
        line for name in bench.ours.found.wdl for line in bench.compare(name, seed=7, count=20)
    ]
    assert different == []


@pytest.mark.jit_only  # the table takes long to open as plain Python
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/2Pp4/8/8/k1K5 b - c3 0 1",
        "8/8/8/1k6/2pP4/8/8/3K4 b - d3 0 1",
    ],
)
def test_en_passant(bench: Bench, fen: str) -> None:
    bench.set_up(fen)
    assert bench.probe() == bench.their_probe()


def test_tables_do_not_contradict_themselves(bench: Bench) -> None:
    names = ("KPvK",) if INTERPRETED else ("KPvKP", "KQvKR", "KBNvK", "KRvKP")
    count = 2 if INTERPRETED else 100
    assert bench.prepare(*names) == []
    for name in names:
        sample = new_sample(name, 3)
        arguments = (sample, bench.prober, bench.position, bench.lists)
        assert check_sample(*arguments, count, True) == 0
        assert sum(sample.results) == count and sample.incomplete == 0


def test_what_a_sample_lacks_is_counted(bench: Bench) -> None:
    sample = new_sample("KRBvKNN", 3)  # no table of six men
    arguments = (sample, bench.prober, bench.position, bench.lists)
    assert check_sample(*arguments, 4, True) == 0
    assert sample.incomplete == 4 and sum(sample.results) == 0


def test_what_is_missing_is_said(bench: Bench) -> None:
    bench.set_up("8/8/8/8/8/2k5/1R6/KBN3nn w - - 0 1")  # no table of six men
    assert probe_wdl(bench.prober, bench.position, bench.lists, 0) == NO_TABLE
    arguments = (bench.prober, bench.position, bench.lists)
    assert rank_moves(*arguments, legal_moves(bench.position, bench.lists)) is None


# --- Moves ----------------------------------------------------------------------------------------


def test_moves_are_ranked_as_their_values_say(bench: Bench, rank: Callable[..., object]) -> None:
    ranked = rank("4k3/8/8/8/8/1Q6/8/K3n3 w - - 0 1")
    assert isinstance(ranked, list)
    assert [entry.rank for entry in ranked] == sorted((e.rank for e in ranked), reverse=True)
    board = chess.Board("4k3/8/8/8/8/1Q6/8/K3n3 w - - 0 1")
    assert len(ranked) == board.legal_moves.count()
    for entry in ranked:
        board.push_uci(move_text(entry.move, chess960=False))
        assert entry.wdl == -bench.theirs.probe_wdl(board)
        board.pop()
    assert ranked[0].dtz == bench.theirs.probe_dtz(board)


@pytest.mark.jit_only
def test_the_fifty_move_rule_counts(rank: Callable[..., list[RankedMove]]) -> None:
    """Mate with bishop and knight takes longer than the clock leaves."""
    fen = "8/8/8/8/8/2k5/8/KBN5 w - - {} 1"
    fresh, late = rank(fen.format(0)), rank(fen.format(60))
    assert fresh[0].wdl == 2 and fresh[0].rank > FIFTY_MOVES
    assert late[0].wdl == 1 and 0 < late[0].rank < FIFTY_MOVES
    assert [entry.move for entry in late[:3]] == [entry.move for entry in fresh[:3]]
    assert rank(fen.format(60), fifty_moves=False)[0].rank > FIFTY_MOVES


def test_a_capture_on_the_last_ply_wins(rank: Callable[..., list[RankedMove]]) -> None:
    ranked = rank("7k/8/8/3n4/8/8/3Q4/K7 w - - 99 90")
    assert move_text(ranked[0].move, chess960=False) == "d2d5"
    assert ranked[0].wdl == 2 and ranked[1].wdl < 2


def test_without_dtz_results_rank(tablebases: Path, shared: Shared, tmp_path: Path) -> None:
    shutil.copy(tablebases / "KQvK.rtbw", tmp_path)
    bench = Bench([tmp_path], shared.tables)
    bench.set_up("8/8/8/8/3k4/8/8/KQ6 w - - 0 1")
    moves = legal_moves(bench.position, bench.lists)
    ranked = rank_moves(bench.prober, bench.position, bench.lists, moves)
    assert ranked is not None and all(entry.dtz is None for entry in ranked)
    assert ranked[0].wdl == 2 and ranked[0].rank > FIFTY_MOVES


@pytest.mark.jit_only
@pytest.mark.parametrize("name", ["KBNvK", "KQvKR", "KRvKN", "KPvKP", "KRvKB", "KQvKP"])
def test_wins_are_brought_home(bench: Bench, name: str) -> None:
    """Best play by the tables for both sides ends, within the fifty-move rule, with mate."""
    sample, played = new_sample(name, 11), 0
    assert bench.prepare(name) == []
    pos, arguments = bench.position, (bench.prober, bench.position, bench.lists)
    while played < 2:
        check_sample(sample, *arguments, 1, False)
        if abs(probe_wdl(*arguments, 0)) != 2:
            continue
        played += 1
        winner = pos.side if probe_wdl(*arguments, 0) > 0 else pos.side ^ 1
        ranked = rank_moves(*arguments, legal_moves(pos, bench.lists))
        if not ranked:
            continue  # mate already
        line = best_line(*arguments, ranked[0].move)
        for move in line:
            make(pos, move)
            assert pos.snapshots[pos.ply].halfmove_clock <= 100
        assert is_mate(bench, pos) and pos.side == winner ^ 1, (name, line)
        for _ in line:
            unmake(pos)


def is_mate(bench: Bench, pos: Position) -> bool:
    return not legal_moves(pos, bench.lists) and bool(pos.snapshots[pos.ply].checkers)


@pytest.mark.jit_only
def test_insufficient_material_is_drawn_in_the_tables_too(bench: Bench) -> None:
    for name in (name for name in bench.ours.found.wdl if men(name) == 3):
        sample = new_sample(name, 5)
        assert bench.prepare(name) == []
        for _ in range(50):
            check_sample(sample, bench.prober, bench.position, bench.lists, 1, False)
            if insufficient_material(bench.position):
                assert bench.probe() == (0, 0)


def test_pieces_of_a_position(position: Callable[[str], Position]) -> None:
    pos = position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR w KQkq - 0 1")
    assert pieces_of(pos) == ("KQRRBBNNPPPPPPP", "KQRRBBNNPPPPPPPP")
