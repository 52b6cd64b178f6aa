"""Plain Python: the checksum at the end of a table.

CityHashCrc256 (see cityhash.py) of each 16 MiB of the file, and CityHashCrc128 of all of these
together, which is CityHash128 of up to 900 bytes and half of CityHashCrc256 of more.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import numpy as np

from engine.native.bits import signed
from engine.native.structs import StructArray
from tablebases.cityhash import K0, SHORTEST, Digest, fill_crc_table, hash_block, hash_pair
from tablebases.layout import CHECKSUM_BYTES, DATA_ALIGNMENT
from tablebases.material import FormatError
from tablebases.tables import Long

CHUNK = 1 << 24
MOST_CHUNKS = 900 // 32  # whose hashes are short enough for CityHash128

_K0 = K0 % (1 << 64)
_K1, _K3 = 0xB492B66FBE98F273, 0xC949D7C7509E6557
_MASK = (1 << 64) - 1


def checksum(blocks: Iterable[bytes]) -> bytes:
    """Of content that comes in blocks of CHUNK bytes, the last of them shorter or not: in all a
    positive multiple of 64 bytes."""
    digest = Digest()
    fill_crc_table(digest)
    return _hash_of_hashes(digest, [_crc_256(digest, block) for block in blocks])


def checksum_fits(path: Path) -> bool:
    """Raises FormatError if the file cannot have a checksum, and OSError."""
    length = path.stat().st_size - CHECKSUM_BYTES
    if length <= 0 or length % DATA_ALIGNMENT:
        raise FormatError(f"{path}: it cannot have {length + CHECKSUM_BYTES} bytes")
    with path.open("rb") as file:
        starts = range(0, length, CHUNK)
        found = checksum(file.read(min(CHUNK, length - start)) for start in starts)
        return found == file.read()


def _hash_of_hashes(digest: Digest, hashes: list[bytes]) -> bytes:
    together = b"".join(hashes)
    if len(hashes) > MOST_CHUNKS:
        return _crc_256(digest, together)[16:]
    longs = struct.unpack(f"<{len(together) // 8}Q", together)
    hash_128 = _murmur if len(longs) < 18 else _city_128
    return struct.pack("<2Q", *hash_128(longs[2:], longs[0] ^ _K3, longs[1]))


def _crc_256(digest: Digest, content: bytes) -> bytes:
    block = np.frombuffer(content, np.uint8)
    seed = 0
    if len(block) < SHORTEST:
        seed = ~len(block) & 0xFFFFFFFF
        block = np.concatenate([block, np.zeros(SHORTEST - len(block), np.uint8)])
    digest.longs = StructArray(Long, len(block) // 8, block)
    hash_block(digest, 0, len(block) // 8, seed)
    return digest.result.tobytes()


# --- CityHash128 of 32 bytes and more, without the first 16, which are the seeds ------------------


def _pair(one: int, other: int) -> int:
    return int(hash_pair(_word(one), _word(other))) & _MASK


def _word(value: int) -> int:
    """As NumPy's int64, whose arithmetic wraps in interpreted kernels too."""
    return cast(int, np.int64(signed(value & _MASK)))


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _rotate(value: int, bits: int) -> int:
    value &= _MASK
    return (value >> bits | value << 64 - bits) & _MASK


def _murmur(longs: tuple[int, ...], a: int, b: int) -> tuple[int, int]:
    count = 8 * len(longs)
    if count <= 16:
        a = _mix(a * _K1) * _K1 & _MASK
        of_longs = _pair(longs[0], _rotate(longs[1] + count, count)) ^ longs[1]
        c = b * _K1 + of_longs & _MASK
        d = _mix(a + longs[0])
    else:
        c = _pair(longs[-1] + _K1, a)
        d = _pair(b + count, c + longs[-2])
        a = a + d & _MASK
        for one, other in zip(longs[:-2:2], longs[1:-1:2], strict=True):
            a = (a ^ _mix(one * _K1) * _K1) * _K1 & _MASK
            b ^= a
            c = (c ^ _mix(other * _K1) * _K1) * _K1 & _MASK
            d ^= c
    a, b = _pair(a, c), _pair(d, b)
    return a ^ b, _pair(b, a)


def _city_128(longs: tuple[int, ...], x: int, y: int) -> tuple[int, int]:
    """Of 128 bytes and more."""
    z = 8 * len(longs) * _K1
    first = _rotate(y ^ _K1, 49) * _K1 + longs[0]
    v = first, _rotate(first, 42) * _K1 + longs[1]
    w = _rotate(y + z, 35) * _K1 + x, _rotate(x + longs[11], 53) * _K1
    whole = len(longs) // 16 * 16
    for at in range(0, whole, 8):
        x = _rotate(x + y + v[0] + longs[at + 1], 37) * _K1 ^ w[1] & _MASK
        y = _rotate(y + v[1] + longs[at + 6], 42) * _K1 + v[0] + longs[at + 5]
        z = _rotate(z + w[0], 33) * _K1
        v = _weak(longs[at : at + 4], v[1] * _K1, x + w[0])
        w = _weak(longs[at + 4 : at + 8], z + w[1], y + longs[at + 2])
        z, x = x, z
    x += _rotate(v[0] + z, 49) * _K0
    z += _rotate(w[0], 37) * _K0
    for at in range(len(longs) - 4, whole - 4, -4):  # the rest, from its end on
        y = _rotate(x + y, 42) * _K0 + v[1]
        w = w[0] + longs[at + 2], w[1]
        x = x * _K0 + w[0]
        z += w[1] + longs[at]
        w = w[0], w[1] + v[0]
        v = _weak(longs[at : at + 4], v[0] + z, v[1])
    x, y = _pair(x, v[0]), _pair(y + z, w[0])
    return (_pair(x + v[1], w[1]) + y) & _MASK, _pair(x + w[1], y + v[1])


def _weak(longs: tuple[int, ...], a: int, b: int) -> tuple[int, int]:
    """WeakHashLen32WithSeeds"""
    before = a = a + longs[0]
    b = _rotate(a + b + longs[3], 21)
    a += longs[1] + longs[2]
    return a + longs[3] & _MASK, b + _rotate(a, 44) + before & _MASK
