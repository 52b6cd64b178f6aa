"""The network file: reading it, with nothing taken on trust, and writing it.

All numbers are little-endian; arrays follow each other without gaps, last index fastest:

    bytes   what
    8       b"WADJETNN"
    4 * 8   uint32: version, inputs, hidden, buckets, input scale, output scale, centipawns, notes
    notes   UTF-8 JSON, an object: where the network comes from
            int16[inputs, hidden]       first layer, in 1/input scale
            int16[hidden]               its bias, in the same unit
            int16[buckets, 2 * hidden]  output weights, own half first, in 1/output scale
            int32[buckets]              output bias, in 1/(input scale * output scale)
    32      SHA-256 of everything before it

The output times `centipawns` is the score in centipawns, so 1.0 is one unit of the logit.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.eval.network.shape import BUCKETS, HIDDEN, INPUT_SCALE, INPUTS, MOST_MEN
from engine.files import written_whole

MAGIC = b"WADJETNN"
VERSION = 2
HEADER = struct.Struct("<8s8I")
DIGEST_BYTES = 32
MOST_BYTES = 64 << 20  # a larger file is no network
MOST_NOTES = 1 << 20

LARGEST_OUTPUT_WEIGHT = 128  # so that a clipped sum times a weight fits into int16
LARGEST_OUTPUT_SCALE = 1 << 12
LARGEST_OUTPUT_BIAS = 1 << 24
LARGEST_CENTIPAWNS = 10_000

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Network:
    """A network of whole numbers, as in a file."""

    first_weights: Array  # int16[inputs, hidden]
    first_bias: Array  # int16[hidden]
    output_weights: Array  # int16[buckets, 2 * hidden]: the side to move's half first
    output_bias: Array  # int32[buckets]
    output_scale: int  # 1.0 of an output weight; the larger, the finer, as long as weights fit
    centipawns: int  # for an output of 1.0
    input_scale: int = INPUT_SCALE
    notes: dict[str, Any] = field(default_factory=dict)  # the run it comes from; JSON

    @property
    def hidden(self) -> int:
        return len(self.first_bias)

    @property
    def buckets(self) -> int:
        return len(self.output_bias)


def check_network(network: Network) -> None:
    """ValueError with the reason if the engine cannot compute this network."""
    ours = {
        "inputs": (len(network.first_weights), INPUTS),
        "hidden sums": (network.hidden, HIDDEN),
        "output buckets": (network.buckets, BUCKETS),
    }
    for what, (found, needed) in ours.items():
        if found != needed:
            raise ValueError(f"it has {found} {what}; this engine needs {needed}")
    arrays = {
        "first_weights": (network.first_weights, "int16", (INPUTS, HIDDEN)),
        "first_bias": (network.first_bias, "int16", (HIDDEN,)),
        "output_weights": (network.output_weights, "int16", (BUCKETS, 2 * HIDDEN)),
        "output_bias": (network.output_bias, "int32", (BUCKETS,)),
    }
    for name, (array, dtype, shape) in arrays.items():
        if array.dtype.newbyteorder("=") != np.dtype(dtype) or array.shape != shape:
            found_array = f"{array.dtype}{list(array.shape)}"
            raise ValueError(f"{name} is {found_array}, not {dtype}{list(shape)}")
    if network.input_scale != INPUT_SCALE:
        raise ValueError(f"its input scale is {network.input_scale}, not {INPUT_SCALE}")
    _check_range("the output scale", network.output_scale, 1, LARGEST_OUTPUT_SCALE)
    _check_range("the centipawns of a unit", network.centipawns, 1, LARGEST_CENTIPAWNS)
    _check_sums(network)


def _check_range(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"{what} is {value}, not {least} to {most}")


def _check_sums(network: Network) -> None:
    """Nothing may overflow: int16 in the first layer and in the products of the second, int32 in
    the sum of a half."""
    weights, bias = network.first_weights, network.first_bias.astype(np.int64)
    # As if all men had the largest weight: nearly all networks pass, and it takes no sorting.
    highest = bias + MOST_MEN * np.maximum(weights.max(axis=0).astype(np.int64), 0)
    lowest = bias + MOST_MEN * np.minimum(weights.min(axis=0).astype(np.int64), 0)
    if highest.max() >= 1 << 15 or lowest.min() < -(1 << 15):
        largest = np.sort(weights.astype(np.int64), axis=0)
        highest = bias + np.maximum(largest[-MOST_MEN:], 0).sum(axis=0)
        lowest = bias + np.minimum(largest[:MOST_MEN], 0).sum(axis=0)
    if highest.max() >= 1 << 15 or lowest.min() < -(1 << 15):
        raise ValueError("sums of the first layer can overflow: its weights are too large")
    output = network.output_weights.astype(np.int64).reshape(BUCKETS, 2, HIDDEN)
    largest_weight = np.abs(output).max()
    if largest_weight > LARGEST_OUTPUT_WEIGHT:
        raise ValueError(f"an output weight is {largest_weight}, above {LARGEST_OUTPUT_WEIGHT}")
    # Squares are not negative, so any part of a sum lies between those of one sign.
    one_sign = np.maximum(output, 0).sum(axis=2), np.maximum(-output, 0).sum(axis=2)
    if np.maximum(*one_sign).max() * INPUT_SCALE * INPUT_SCALE >= 1 << 31:
        raise ValueError("the output can overflow: its weights are too large")
    if np.abs(network.output_bias.astype(np.int64)).max() > LARGEST_OUTPUT_BIAS:
        raise ValueError(f"an output bias is above {LARGEST_OUTPUT_BIAS}")


# --- Reading -------------------------------------------------------------------------------------


def read_network(path: str | os.PathLike[str]) -> Network:
    """The network in a file. Raises ValueError, with the path and a reason, if it is missing,
    empty, cut short, damaged, far too large, or of another format, version or shape."""
    path = Path(path)
    try:
        return decode(_read(path))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # a NUL in the name also arrives here
        raise ValueError(f"{path}: {error}") from error


def _read(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe could last for ever
        raise ValueError("not a regular file")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES >> 20} MB: not a network")
    return content


def decode(content: bytes) -> Network:
    """The network in the bytes of a file. Raises ValueError with the reason if they are none."""
    if not content:
        raise ValueError("the file is empty")
    if not content.startswith(MAGIC):
        raise ValueError("not a Wadjet network")
    if len(content) < HEADER.size:
        raise ValueError("cut short: the header is incomplete")
    _, version, inputs, hidden, buckets, input_scale, output_scale, centipawns, notes_size = (
        HEADER.unpack_from(content)
    )
    if version != VERSION:
        raise ValueError(f"format version {version}; this engine reads version {VERSION}")
    # Shape before size, so that someone with a wider network reads about the width.
    if (inputs, hidden, buckets) != (INPUTS, HIDDEN, BUCKETS):
        found, ours = (inputs, hidden, buckets), (INPUTS, HIDDEN, BUCKETS)
        raise ValueError(
            "its shape is {}-{}x2-{}; this engine needs {}-{}x2-{}".format(*found, *ours)
        )
    if notes_size > MOST_NOTES:
        raise ValueError("damaged: impossible size of its notes")
    layout = _layout(inputs, hidden, buckets)
    arrays_size = sum(np.dtype(dtype).itemsize * int(np.prod(shape)) for dtype, shape in layout)
    expected = HEADER.size + notes_size + arrays_size + DIGEST_BYTES
    if len(content) != expected:
        how = "cut short" if len(content) < expected else "too long"
        raise ValueError(f"{how}: {len(content)} bytes instead of {expected}")
    if hashlib.sha256(content[:-DIGEST_BYTES]).digest() != content[-DIGEST_BYTES:]:
        raise ValueError("damaged: its checksum is wrong")

    place = HEADER.size + notes_size
    arrays: list[Array] = []
    for dtype, shape in layout:
        array = np.frombuffer(content, dtype, int(np.prod(shape)), place).reshape(shape)
        arrays.append(array.astype(array.dtype.newbyteorder("="), copy=False))
        place += array.nbytes
    first_weights, first_bias, output_weights, output_bias = arrays
    network = Network(
        first_weights=first_weights,
        first_bias=first_bias,
        output_weights=output_weights,
        output_bias=output_bias,
        output_scale=output_scale,
        centipawns=centipawns,
        input_scale=input_scale,
        notes=_notes(content[HEADER.size : HEADER.size + notes_size]),
    )
    check_network(network)
    return network


def _layout(inputs: int, hidden: int, buckets: int) -> list[tuple[str, tuple[int, ...]]]:
    """Type and shape of the arrays, in their order."""
    return [
        ("<i2", (inputs, hidden)),
        ("<i2", (hidden,)),
        ("<i2", (buckets, 2 * hidden)),
        ("<i4", (buckets,)),
    ]


def _notes(text: bytes) -> dict[str, Any]:
    try:
        notes = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("its notes are not JSON") from error
    if not isinstance(notes, dict):
        raise ValueError("its notes are not a JSON object")
    return notes


# --- Writing -------------------------------------------------------------------------------------


def encode(network: Network) -> bytes:
    """The bytes of a file. ValueError if the engine could not compute the network."""
    check_network(network)
    notes = json.dumps(network.notes, sort_keys=True).encode()
    if len(notes) > MOST_NOTES:
        raise ValueError(f"the notes are {len(notes)} bytes long, above {MOST_NOTES}")
    header = HEADER.pack(
        MAGIC,
        VERSION,
        INPUTS,
        network.hidden,
        network.buckets,
        network.input_scale,
        network.output_scale,
        network.centipawns,
        len(notes),
    )
    arrays = (
        network.first_weights,
        network.first_bias,
        network.output_weights,
        network.output_bias,
    )
    layout = _layout(INPUTS, network.hidden, network.buckets)
    body = b"".join(
        np.ascontiguousarray(array, dtype).tobytes()
        for array, (dtype, _) in zip(arrays, layout, strict=True)
    )
    content = header + notes + body
    return content + hashlib.sha256(content).digest()


def write_network(path: str | os.PathLike[str], network: Network) -> None:
    """Replace `path` by the network, as a whole. ValueError if the engine could not compute it."""
    content = encode(network)
    with written_whole(Path(path)) as file:
        file.write(content)
