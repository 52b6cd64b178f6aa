"""`sample` and `label --static`: several engines, stops in the middle, disks that fill."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.tuning.fake_engine import COMMAND
from tests.tuning.positions import random_positions
from tuning.__main__ import main
from tuning.data.dataset import RECORD, Dataset, PositionsWriter, open_positions
from tuning.network import labelling

TOO_LARGE = "File too large"  # what a limit on the size says; a full disk has other words


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small steps, so that a stop lies between two of them."""
    monkeypatch.setattr(labelling, "CHUNK", 20)
    monkeypatch.setattr(labelling, "COMMITTED", 2)
    monkeypatch.setattr("tuning.network.sampling.ROOM", 200)
    path = tmp_path / "source.positions"
    Dataset(random_positions(200, longest=60).view(RECORD).copy(), []).save(path)
    return path


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Files of this process cannot grow beyond `size` bytes: like a disk that fills."""
    if sys.platform == "win32":
        pytest.skip("no such limit there")
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def killed_at(commit: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process dies in this commit, after the records and before the header that counts them."""
    kept, count = PositionsWriter.commit, 0

    def dies(writer: PositionsWriter, notes: dict[str, object]) -> None:
        nonlocal count
        count += 1
        if count == commit:
            writer._file.flush()
            raise KeyboardInterrupt
        kept(writer, notes)

    with monkeypatch.context() as patch:
        patch.setattr(PositionsWriter, "commit", dies)
        yield


def label(source: Path, output: Path, *words: str) -> int:
    command = ["label", str(source), "-o", str(output), "--static"]
    return main([*command, "--engine", f"{COMMAND} --static 0.25", *words])


def sample(source: Path, output: Path, *words: str) -> int:
    command = ["sample", str(source), "-o", str(output), "--count", "900"]
    return main([*command, *words])


@pytest.mark.jit_only  # evaluates
def test_several_engines_label_like_one(source: Path, tmp_path: Path) -> None:
    one, three = tmp_path / "one.positions", tmp_path / "three.positions"
    assert label(source, one) == 0 and label(source, three, "--concurrency", "3") == 0
    assert len(open_positions(one)) > 40
    assert one.read_bytes() == three.read_bytes()


@pytest.mark.jit_only  # evaluates
@pytest.mark.parametrize("make, words", [(label, ("--concurrency", "2")), (sample, ())])
@pytest.mark.parametrize("commit", [2, 4])
def test_a_killed_run_ends_like_one_that_was_not(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    make: Callable[..., int],
    words: tuple[str, ...],
    commit: int,
) -> None:
    whole, output = tmp_path / "whole.positions", tmp_path / "output.positions"
    assert make(source, whole, *words) == 0
    with killed_at(commit, monkeypatch):
        assert make(source, output, *words) == 1
    part = output.with_name("output.positions.part")
    assert not output.exists() and part.exists() == (commit > 2)  # the first commit is empty
    if part.exists():
        before = part.read_bytes()
        other = ("--seed", "2") if make is sample else ("--option", "Hash=3")
        assert make(source, output, *other) == 1
        assert "was begun with other settings" in capsys.readouterr().err
        assert part.read_bytes()[:4096] == before[:4096]
    assert make(source, output, *words) == 0
    assert output.read_bytes() == whole.read_bytes() and not part.exists()


@pytest.mark.jit_only  # evaluates
@pytest.mark.parametrize("make", [label, sample])
def test_a_disk_that_fills_costs_nothing_written(
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    make: Callable[..., int],
) -> None:
    whole, output = tmp_path / "whole.positions", tmp_path / "output.positions"
    assert make(source, whole) == 0
    size = whole.stat().st_size
    capsys.readouterr()
    with file_size_limit(size - 1000):
        assert make(source, output) == 1
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.endswith(TOO_LARGE) and message.startswith("wadjet-tune")
    assert not output.exists()
    assert output.with_name("output.positions.part").stat().st_size > 4096  # it goes on from there
    assert make(source, output) == 0
    assert output.read_bytes() == whole.read_bytes()


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.positions"
    records = random_positions(5).view(RECORD)
    with PositionsWriter(path, []) as writer:
        with pytest.raises(OSError, match="another process"):
            PositionsWriter(path, [])
        writer.append(records)
        writer.finish({})
    assert np.array_equal(open_positions(path).records, records)
