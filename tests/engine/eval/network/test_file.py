"""The network file: what is written is read, and nothing else is."""

from __future__ import annotations

import hashlib
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from engine.eval.network.file import (
    HEADER,
    MAGIC,
    MOST_BYTES,
    SHAPE,
    VERSION,
    decode,
    encode,
    read_network,
    write_network,
)
from engine.eval.network.shape import BUCKETS, HIDDEN, NEURONS
from tests.engine.eval.network.networks import random_network


def sealed(content: bytes) -> bytes:
    """With a checksum that is right, so that other errors are found."""
    return content + hashlib.sha256(content).digest()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    network = random_network()
    path = tmp_path / "a network.nnue"
    write_network(path, network)
    found = read_network(path)
    for each in fields(network):
        before, after = getattr(network, each.name), getattr(found, each.name)
        assert np.array_equal(before, after), each.name
        assert type(before) is type(after)
    assert found.first_weights.dtype == np.int16
    assert encode(found) == path.read_bytes()
    assert os.listdir(tmp_path) == [path.name]


def header(version: int, shape: tuple[int, ...], notes: int = 2) -> bytes:
    return HEADER.pack(MAGIC, version, *shape, 255, 134, notes)


WRONG: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda good: b"", "empty"),
    "foreign": (lambda good: b"\x89PNG" + good[4:], "not a Wadjet network"),
    "cut in the magic": (lambda good: good[:5], "not a Wadjet network"),
    "cut in the header": (lambda good: good[:30], "cut short"),
    "cut in the weights": (lambda good: good[:100_000], "cut short"),
    "one byte missing": (lambda good: good[:-1], "cut short"),
    "one byte too many": (lambda good: good + b"\0", "too long"),
    "one bit wrong": (
        lambda good: good[:90_000] + bytes([good[90_000] ^ 1]) + good[90_001:],
        "checksum",
    ),
    "later version": (lambda good: header(VERSION + 1, SHAPE), f"version {VERSION + 1}"),
    "wider": (
        lambda good: header(VERSION, (*SHAPE[:2], 2 * HIDDEN, *SHAPE[3:])),
        f"-{2 * HIDDEN}x2-",
    ),
    "other inputs": (lambda good: header(VERSION, (40960, *SHAPE[1:])), r"40960\+"),
    "other neurons": (lambda good: header(VERSION, (*SHAPE[:3], 64, *SHAPE[4:])), "x2-64-"),
    "hostile shape": (lambda good: header(VERSION, (2**32 - 1,) * 6), "4294967295"),
    "hostile notes": (lambda good: header(VERSION, SHAPE, 2**32 - 1), "notes"),
}


@pytest.mark.parametrize("change, reason", WRONG.values(), ids=WRONG)
def test_files_that_are_not_networks_are_refused_with_the_reason(
    change: Callable[[bytes], bytes], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.nnue"
    path.write_bytes(change(encode(random_network())))
    with pytest.raises(ValueError, match=f"wrong.nnue: .*{reason}"):
        read_network(path)


def test_every_cut_is_noticed() -> None:
    good = encode(random_network())
    for size in (*range(200), *range(200, len(good), 49_999)):
        with pytest.raises(ValueError, match=r"cut short|empty|not a Wadjet network"):
            decode(good[:size])


def test_notes_must_be_a_json_object() -> None:
    good = encode(replace(random_network(), notes={"a": 1}))[:-32]
    start = HEADER.size
    for notes in (b"[1, 23]8"[: len('{"a": 1}')], b'{"a": 1)', b"\xff" * 8, b"[" * 8):
        with pytest.raises(ValueError, match="notes"):
            decode(sealed(good[:start] + notes + good[start + 8 :]))


@pytest.mark.parametrize(
    "place, value, reason",
    [(8, 127, "input scale"), (9, 0, "centipawns"), (9, 2**32 - 1, "centipawns")],
)
def test_scales_that_make_no_sense(place: int, value: int, reason: str) -> None:
    content = bytearray(encode(random_network())[:-32])
    struct.pack_into("<I", content, 8 + 4 * (place - 1), value)
    with pytest.raises(ValueError, match=reason):
        decode(sealed(bytes(content)))


def test_weights_that_would_overflow_are_neither_written_nor_read(tmp_path: Path) -> None:
    network = random_network()
    first = network.first_weights.copy()
    first[:32, 3] = 1024
    bias = np.full(BUCKETS, 2**31 - 1, np.int32)
    of_neurons = network.deep_weights.copy()
    of_neurons[2, 3, : 2**31 // (4096 * 32767) + 1] = -32768
    of_output = np.full_like(network.output_weights, 32767)
    for wrong, reason in (
        (replace(network, first_weights=first), "first layer"),
        (replace(network, first_bias=np.full(HIDDEN, -32768, np.int16)), "first layer"),
        (replace(network, output_weights=of_output), "of the output"),
        (replace(network, output_bias=bias), "of the output"),
        (replace(network, output_bias=bias.astype(np.int64)), "int64"),
        (replace(network, neuron_weights=network.neuron_weights.astype(np.int16)), "int16"),
        (replace(network, deep_weights=of_neurons), "of the deep neurons"),
        (replace(network, first_weights=first[:, :-1]), "first_weights"),
        (replace(network, first_bias=network.first_bias[:-1]), "accumulators"),
    ):
        with pytest.raises(ValueError, match=reason):
            write_network(tmp_path / "wrong.nnue", wrong)
    assert not list(tmp_path.iterdir())


def test_weights_of_both_signs_may_be_larger_than_those_of_one() -> None:
    """What is added up lies between the sums of one sign."""
    network = random_network()
    network.deep_bias[:] = 0
    limit = (2**31 - 1) // 4096 // (2 * NEURONS)
    ones = np.ones_like(network.deep_weights)
    signs = ones.copy()
    signs[:, :, ::2] = -1
    decode(encode(replace(network, deep_weights=limit * ones)))
    decode(encode(replace(network, deep_weights=2 * limit * signs)))
    for wrong in ((limit + 1) * ones, -(limit + 2) * ones):  # -2**31 itself fits
        with pytest.raises(ValueError, match="deep neurons can overflow"):
            encode(replace(network, deep_weights=wrong))


def test_what_is_not_a_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.nnue", tmp_path / ("x" * 5000), "a\0b"):
        with pytest.raises(ValueError):  # noqa: PT011 - the reason is the system's
            read_network(path)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no named pipes there")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        read_network(tmp_path / "pipe")


def test_a_file_that_is_far_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.nnue"
    with path.open("wb") as file:
        file.write(MAGIC)
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ValueError, match="larger than"):
        read_network(path)


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.nnue"
    write_network(path, random_network())
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_network(path, random_network(8))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]
