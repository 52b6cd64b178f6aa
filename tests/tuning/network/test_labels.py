"""Labels in bulk, from engines or from text; positions to label."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.tuning.fake_engine import COMMAND
from tests.tuning.network.sets import write_set
from tests.tuning.positions import random_positions
from tuning.__main__ import main
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Records, load
from tuning.data.filters import Classifier
from tuning.data.writers import fens
from tuning.network.labelling import Teacher, positions_and_fens
from tuning.network.sampling import DisplacedSampler, GameSampler, RandomOpenings, sampled
from tuning.network.worth import rows_of

QUIET = "r2q1rk1/p2nppbp/1pbp2p1/8/1PP1P3/2N1BP2/P2QB1PP/R4RK1 w - -"
PROMOTION = "8/P3k3/8/8/8/8/4K3/8 w - -"


def records_of(*fens: str) -> np.ndarray:
    return rows_of(list(fens)).view(RECORD).reshape(-1)


def test_static_evaluations_from_an_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = tmp_path / "a.fen", tmp_path / "a.positions"
    black_to_move = QUIET.replace(" w ", " b ")
    in_check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"
    source.write_text("\n".join([QUIET, in_check, black_to_move]) + "\n", encoding="utf-8")
    words = ["label", str(source), "-o", str(output), "--static", "--engine"]
    assert main([*words, f"{COMMAND} --static -1.25"]) == 0
    found = load(output)
    # White's view, for both sides to move.
    assert found.records["score"].tolist() == [-125, -125]
    assert found.records["side"].tolist() == [0, 1]
    assert found.records["result"].tolist() == [NO_RESULT] * 2
    assert found.sources[0].endswith(" static evaluation")
    assert "1 removed: in check" in capsys.readouterr().out

    assert main([*words, COMMAND]) == 1
    assert "exists already" in capsys.readouterr().err

    output.unlink()
    assert main([*words, f"{COMMAND} --static 26.00"]) == 0
    assert len(load(output)) == 0
    assert "2 removed: decided" in capsys.readouterr().out
    output.unlink()
    assert main([*words, COMMAND]) == 1
    assert "its `eval` scored 0 of 3 positions" in capsys.readouterr().err
    assert not output.exists()
    assert main([*words, f'"{sys.executable}" -c pass']) == 1
    assert "ended before it had answered" in capsys.readouterr().err
    assert main([*words, "'/no such/engine'"]) == 1
    assert "not a UCI engine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_an_engine_that_is_stopped_while_it_is_told_positions_leaves_no_file_open() -> None:
    with Teacher(COMMAND, {}) as teacher:
        teacher.ask([f"{QUIET} 0 1"] * 20_000)  # more than a pipe holds
        time.sleep(0.2)  # until it is being written
    del teacher
    gc.collect()  # of a file that is still open pytest makes an error


def test_the_label_of_several_engines_is_their_average(tmp_path: Path) -> None:
    source, output = tmp_path / "a.fen", tmp_path / "a.positions"
    in_check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"
    source.write_text("\n".join([QUIET, in_check, QUIET]) + "\n", encoding="utf-8")
    engines = [f"{COMMAND} --static {pawns}" for pawns in ("1.00", "0.50", "-0.30")]
    words = ["label", str(source), "-o", str(output)]
    words += [word for engine in engines for word in ("--engine", engine)]
    assert main([*words, "--static", "--concurrency", "2"]) == 0
    found = load(output)
    assert found.records["score"].tolist() == [40, 40]
    name = Path(sys.executable).name
    assert found.sources == [f"{name} and {name} and {name} static evaluation"]


def test_a_label_leaves_the_result_of_the_game(tmp_path: Path) -> None:
    games, own, output = (tmp_path / name for name in ("a.epd", "own.positions", "a.positions"))
    epd = " ".join(QUIET.split()[:4])
    results = ("1-0", "0-1", "1/2-1/2")
    games.write_text("".join(f'{epd} c9 "{result}";\n' for result in results), encoding="utf-8")
    reading = ["import", str(games), "-o", str(own), "--duplicates", "--least-ply", "0"]
    assert main(reading) == 0
    words = ["label", str(own), "-o", str(output), "--static"]
    assert main([*words, "--engine", f"{COMMAND} --static 0.50"]) == 0
    found = load(output).records
    assert found["result"].tolist() == [2, 0, 1]
    assert found["score"].tolist() == [50] * 3


@pytest.mark.parametrize(
    "words, reason",
    [
        ("", "one of the arguments --static --labels is required"),
        ("--engine x", "one of the arguments --static --labels is required"),
        ("--static --labels a.lab --source other", "not allowed with argument --static"),
        ("--static", "--static needs an --engine, and --labels none"),
        ("--labels a.lab --source other --engine x", "--static needs an --engine, and --labels"),
        ("--labels a.lab", "--labels needs --source"),
        ("--static --engine x --source other", "--labels needs --source"),
        ("--static --engine x --option Hash", "an option is NAME=VALUE"),
    ],
)
def test_words_that_say_no_source_of_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, reason: str
) -> None:
    source, output = tmp_path / "a.fen", tmp_path / "a.positions"
    source.write_text(f"{QUIET}\n", encoding="utf-8")
    with pytest.raises(SystemExit) as stop:  # argparse itself refuses some
        sys.exit(main(["label", str(source), "-o", str(output), *words.split()]))
    assert stop.value.code == 2
    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_labels_from_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A score a line, seen by the side to move; what follows it is left alone."""
    source, text, output = (tmp_path / name for name in ("a.fen", "a.lab", "a.positions"))
    source.write_text(
        "\n".join([QUIET, QUIET, QUIET.replace(" w ", " b ")]) + "\n", encoding="utf-8"
    )
    words = ["label", str(source), "-o", str(output), "--labels", str(text), "--source", "other"]
    text.write_text("12 a1c1\n-2600\n30\n", encoding="utf-8")
    assert main(words) == 0
    found = load(output)
    assert found.records["score"].tolist() == [12, -30] and found.sources == ["other"]
    output.unlink()
    for wrong, reason in (("12\n", "instead of"), ("12\n" * 4, "more lines"),
                          ("x\n" * 3, "lines 1 to 3"), ("1\n\n1\n", "lines 1 to 3")):  # fmt: skip
        text.write_text(wrong, encoding="utf-8")
        assert main(words) == 1
        assert reason in capsys.readouterr().err
        assert sorted(tmp_path.iterdir()) == [source, text]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuning.network.sampling.ROOM", 1 << 12)


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_displaced_positions_are_new() -> None:
    bases = random_positions(50).view(RECORD)
    records = DisplacedSampler(bases, seed=3).batch(5)
    assert len(records) > 3000
    occupied = np.isin(records["occupied"], bases["occupied"])
    assert occupied.mean() < 0.1
    assert len(np.unique(records.view("V32"))) == len(records)
    assert (records["score"] == NO_SCORE).all() and (records["result"] == NO_RESULT).all()
    boards = [chess.Board(fen) for fen in fens(records[:400])]
    assert all(board.is_valid() and not board.is_check() for board in boards)
    again = DisplacedSampler(bases, seed=3)
    assert not np.array_equal(records[:1000], again.batch(4)[:1000])
    assert np.array_equal(records, again.batch(5))  # whatever came before


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_bare_kings_cannot_be_displaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bases = tmp_path / "kings.fen"
    bases.write_text("4k3/8/8/8/8/8/8/4K3 w - - 0 1\n", encoding="utf-8")
    assert main(["sample", str(bases), "-o", str(tmp_path / "out.positions")]) == 1
    assert "no position with four men or more" in capsys.readouterr().err


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_games_are_sampled_without_any_base(tmp_path: Path) -> None:
    sampler = GameSampler(3, RandomOpenings())
    records = sampler.batch(5)
    assert len(records) > 2500
    assert (records["score"] == NO_SCORE).all() and (records["result"] == NO_RESULT).all()
    boards = [chess.Board(fen) for fen in fens(records[::40])]
    assert all(board.is_valid() and not board.is_check() for board in boards)
    men = [len(board.piece_map()) for board in boards]
    assert min(men) < 16 and max(men) > 28  # whole games
    pawns = {board.pawns for board in boards}
    assert len(pawns) > len(boards) / 2  # of many games
    assert np.array_equal(records, GameSampler(3, RandomOpenings()).batch(5))
    output = tmp_path / "out.positions"
    words = ["sample", "-o", str(output), "--count", "2000", "--seed", "3"]
    assert main(words) == 0
    assert len(load(output).records) == 2000


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_more_leaves_of_a_search_make_fewer_games() -> None:
    def structures(one_in: int) -> int:
        """Of pawns: the more games, the more of them."""
        records = GameSampler(3, RandomOpenings(), one_in=one_in).batch(5)
        return len({chess.Board(fen).pawns for fen in fens(records[::10])})

    assert structures(1) < 0.8 * structures(8)


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_a_share_of_the_unquiet_positions_is_kept() -> None:
    def unrest(share: float) -> tuple[int, int]:
        """Positions of the first batch, and those in which the mover wins something."""
        sampler = GameSampler(3, RandomOpenings())
        _, records = next(sampled(sampler, 0, 0, 1 << 14, share))
        everywhere = np.ones(len(records), np.bool_)
        return len(records), int(Classifier().unquiet(records, everywhere, everywhere)[1].sum())

    count, found = unrest(1.0)
    fewer, third = unrest(1 / 3)
    assert found > 250 and 0.28 < third / found < 0.39
    # All others are there. The hash table makes a quiescence score depend on those before it.
    assert abs((fewer - third) - (count - found)) < 0.01 * count
    assert unrest(0.0)[1] < 0.01 * found


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_a_share_does_not_depend_on_the_batches_before() -> None:
    def batches(first: int) -> Iterator[tuple[int, Records]]:
        sampler = GameSampler(3, RandomOpenings())
        return sampled(sampler, first, 0, 1 << 15, 1 / 3)

    _, (_, second) = islice(batches(0), 2)
    assert np.array_equal(second, next(batches(1))[1])


@pytest.mark.jit_only
@pytest.mark.usefixtures("small_batches")
def test_games_begin_in_a_book_if_there_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book, output = tmp_path / "book.epd", tmp_path / "out.positions"
    book.write_text("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - -\n", encoding="utf-8")
    words = ["sample", "-o", str(output), "--count", "2000"]
    assert main([*words, "--book", str(book), "--nodes", "20"]) == 0
    records = load(output).records
    men = np.array([int(occupied).bit_count() for occupied in records["occupied"].view("u8")])
    assert men.max() == 18
    assert (records["starts_game"] == 0).all()
    output.unlink()
    assert main([*words, str(book), "--nodes", "20"]) == 2
    assert "for games: give no files" in capsys.readouterr().err


def test_teachers_are_asked_without_the_halfmove_clock(tmp_path: Path) -> None:
    path = tmp_path / "a.positions"
    records = records_of(QUIET, PROMOTION)
    records["clock"] = 80
    write_set(path, records)
    ((kept, texts),) = positions_and_fens(path, 0)
    assert [text.split()[4] for text in texts] == ["0", "0"]
    assert kept["clock"].tolist() == [80, 80]
