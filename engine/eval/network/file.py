"""The network file: reading it, with nothing taken on trust, and writing it.

All numbers are little-endian; arrays follow each other without gaps, last index fastest:

    bytes   what
    8       b"WADJETNN"
    4 * 10  uint32: version, inputs, attacked inputs, hidden, neurons, deep neurons, buckets,
            input scale, centipawns, size of the notes
    notes   UTF-8 JSON, an object: where the network comes from
            int16[inputs, hidden]       first layer, in 1/input scale
            int16[hidden]               its bias, in the same unit
            int8[attacked inputs, hidden]   first layer, of attacked pieces, in the same unit
            int8[buckets, hidden]       of products to the output, own first, 1/PRODUCT_WEIGHT_SCALE
            int8[buckets, neurons, hidden]  of products to neurons, in the same unit
            int32[buckets, neurons]     bias of neurons, in 1/DOT_SCALE
            int16[buckets, deep neurons, 2 * neurons]  of neurons, then squares, in 1/WEIGHT_SCALE
            int32[buckets, deep neurons]  bias of deep neurons, in 1/TOTAL_SCALE
            int16[buckets, deep neurons]  output weights, in 1/WEIGHT_SCALE
            int32[buckets]              bias of the output, in 1/TOTAL_SCALE
    32      SHA-256 of everything before it

The scales in capitals are in shape.py. The output times `centipawns` is the score in centipawns, so
1.0 is one unit of the logit.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from engine.eval.network.shape import (
    ATTACKED_INPUTS,
    BUCKETS,
    DEEP_NEURONS,
    HIDDEN,
    INPUT_SCALE,
    INPUTS,
    MOST_MEN,
    NEURON_SCALE,
    NEURONS,
)
from engine.files import written_whole

MAGIC = b"WADJETNN"
VERSION = 4
SHAPE = (INPUTS, ATTACKED_INPUTS, HIDDEN, NEURONS, DEEP_NEURONS, BUCKETS)
HEADER = struct.Struct("<8s10I")
DIGEST_BYTES = 32
MOST_BYTES = 64 << 20  # a larger file is no network
MOST_NOTES = 1 << 20

LARGEST_CENTIPAWNS = 10_000

Array = np.ndarray[Any, np.dtype[Any]]

ARRAYS: dict[str, tuple[str, tuple[int, ...]]] = {  # type and shape, in the order of the file
    "first_weights": ("<i2", (INPUTS, HIDDEN)),
    "first_bias": ("<i2", (HIDDEN,)),
    "attacked_weights": ("|i1", (ATTACKED_INPUTS, HIDDEN)),
    "direct_weights": ("|i1", (BUCKETS, HIDDEN)),
    "neuron_weights": ("|i1", (BUCKETS, NEURONS, HIDDEN)),
    "neuron_bias": ("<i4", (BUCKETS, NEURONS)),
    "deep_weights": ("<i2", (BUCKETS, DEEP_NEURONS, 2 * NEURONS)),
    "deep_bias": ("<i4", (BUCKETS, DEEP_NEURONS)),
    "output_weights": ("<i2", (BUCKETS, DEEP_NEURONS)),
    "output_bias": ("<i4", (BUCKETS,)),
}


@dataclass(frozen=True)
class Network:
    """A network of integers, as in a file."""

    first_weights: Array  # int16[inputs, hidden]
    first_bias: Array  # int16[hidden]
    attacked_weights: Array  # int8[attacked inputs, hidden]
    direct_weights: Array  # int8[buckets, hidden]
    neuron_weights: Array  # int8[buckets, neurons, hidden]
    neuron_bias: Array  # int32[buckets, neurons]
    deep_weights: Array  # int16[buckets, deep neurons, 2 * neurons]: neurons, then their squares
    deep_bias: Array  # int32[buckets, deep neurons]
    output_weights: Array  # int16[buckets, deep neurons]
    output_bias: Array  # int32[buckets]
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
        "accumulators": (network.hidden, HIDDEN),
        "output buckets": (network.buckets, BUCKETS),
    }
    for what, (found, needed) in ours.items():
        if found != needed:
            raise ValueError(f"it has {found} {what}; this engine needs {needed}")
    for name, (dtype, shape) in ARRAYS.items():
        array = getattr(network, name)
        if array.dtype.newbyteorder("=") != np.dtype(dtype) or array.shape != shape:
            found_array = f"{array.dtype}{list(array.shape)}"
            raise ValueError(f"{name} is {found_array}, not {np.dtype(dtype)}{list(shape)}")
    if network.input_scale != INPUT_SCALE:
        raise ValueError(f"its input scale is {network.input_scale}, not {INPUT_SCALE}")
    if not 1 <= network.centipawns <= LARGEST_CENTIPAWNS:
        raise ValueError(
            f"the centipawns of a unit are {network.centipawns}, not 1 to {LARGEST_CENTIPAWNS}"
        )
    _check_sums(network)


def _check_sums(network: Network) -> None:
    """Nothing may overflow: int16 in the first layer, int32 in those after it."""
    # As if all men were attacked, with the largest of these weights.
    attacked = network.attacked_weights
    highest_bias = network.first_bias + MOST_MEN * np.maximum(
        attacked.max(axis=0).astype(np.int64), 0
    )
    lowest_bias = network.first_bias + MOST_MEN * np.minimum(
        attacked.min(axis=0).astype(np.int64), 0
    )
    # As if all men had the largest weight: nearly all networks pass, and it takes no sorting.
    weights = network.first_weights
    highest = highest_bias + MOST_MEN * np.maximum(weights.max(axis=0).astype(np.int64), 0)
    lowest = lowest_bias + MOST_MEN * np.minimum(weights.min(axis=0).astype(np.int64), 0)
    if highest.max() >= 1 << 15 or lowest.min() < -(1 << 15):
        largest = np.sort(weights.astype(np.int64), axis=0)
        highest = highest_bias + np.maximum(largest[-MOST_MEN:], 0).sum(axis=0)
        lowest = lowest_bias + np.minimum(largest[:MOST_MEN], 0).sum(axis=0)
    if highest.max() >= 1 << 15 or lowest.min() < -(1 << 15):
        raise ValueError("accumulators can overflow: the weights of its first layer are too large")
    # Weights of products are int8, and cannot add up to so much. Neurons are not negative, so any
    # part of a sum lies between those of one sign.
    for what, all_weights, all_bias in (
        ("deep neurons", network.deep_weights, network.deep_bias),
        ("output", network.output_weights, network.output_bias),
    ):
        all_weights, all_bias = all_weights.astype(np.int64), all_bias.astype(np.int64)
        highest = np.maximum(all_bias, 0) + NEURON_SCALE * np.maximum(all_weights, 0).sum(axis=-1)
        lowest = np.minimum(all_bias, 0) + NEURON_SCALE * np.minimum(all_weights, 0).sum(axis=-1)
        if highest.max() >= 1 << 31 or lowest.min() < -(1 << 31):
            raise ValueError(f"sums of the {what} can overflow: the weights are too large")


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
    _, version, *shape, input_scale, centipawns, notes_size = HEADER.unpack_from(content)
    if version != VERSION:
        raise ValueError(f"format version {version}; this engine reads version {VERSION}")
    # Shape before size, so that someone with a wider network reads about the width.
    if tuple(shape) != SHAPE:
        form = "{}+{}-{}x2-{}-{}-{}".format
        raise ValueError(f"its shape is {form(*shape)}; this engine needs {form(*SHAPE)}")
    if notes_size > MOST_NOTES:
        raise ValueError("damaged: impossible size of its notes")
    arrays_size = sum(np.dtype(dtype).itemsize * prod(shape) for dtype, shape in ARRAYS.values())
    expected = HEADER.size + notes_size + arrays_size + DIGEST_BYTES
    if len(content) != expected:
        how = "cut short" if len(content) < expected else "too long"
        raise ValueError(f"{how}: {len(content)} bytes instead of {expected}")
    if hashlib.sha256(memoryview(content)[:-DIGEST_BYTES]).digest() != content[-DIGEST_BYTES:]:
        raise ValueError("damaged: its checksum is wrong")

    place = HEADER.size + notes_size
    arrays: dict[str, Array] = {}
    for name, (dtype, array_shape) in ARRAYS.items():
        array = np.frombuffer(content, dtype, prod(array_shape), place).reshape(array_shape)
        arrays[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
        place += array.nbytes
    network = Network(
        **arrays,
        centipawns=centipawns,
        input_scale=input_scale,
        notes=_notes(content[HEADER.size : HEADER.size + notes_size]),
    )
    check_network(network)
    return network


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
        MAGIC, VERSION, *SHAPE, network.input_scale, network.centipawns, len(notes)
    )
    body = b"".join(
        np.ascontiguousarray(getattr(network, name), dtype).tobytes()
        for name, (dtype, _) in ARRAYS.items()
    )
    content = header + notes + body
    return content + hashlib.sha256(content).digest()


def write_network(path: str | os.PathLike[str], network: Network) -> None:
    """Replace `path` by the network, as a whole. ValueError if the engine could not compute it."""
    content = encode(network)
    with written_whole(Path(path)) as file:
        file.write(content)
