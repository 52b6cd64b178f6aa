"""Plain Python: the checksum at the end of a table.

CityHashCrc256 (see cityhash.py) of each 16 MiB of the file, and CityHash128 of all of these
together. For more than 64 MiB other branches of CityHash128 would be needed, of which no table at
hand has made sure: such files are not checked.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from engine.native.memory import StructArray
from tablebases.cityhash import SHORTEST, Digest, Long, fill_crc_table, hash_block, hash_pair
from tablebases.layout import CHECKSUM_BYTES, DATA_ALIGNMENT
from tablebases.material import FormatError

CHUNK = 1 << 24
LONGEST = 4 * CHUNK

_K1, _K3 = 0xB492B66FBE98F273, 0xC949D7C7509E6557
_MASK = (1 << 64) - 1


def checksum(content: bytes, length: int) -> bytes:
    """Of the first `length` bytes, a positive multiple of 64 up to LONGEST."""
    digest = Digest()
    fill_crc_table(digest)
    longs = np.frombuffer(content, np.uint8, length)
    hashes = b"".join(
        _crc_256(digest, longs[start : start + CHUNK]) for start in range(0, length, CHUNK)
    )
    return struct.pack("<2Q", *_city_128(hashes))


def checksum_fits(path: Path) -> bool | None:
    """None if the file is longer than LONGEST. Raises FormatError if it cannot have a checksum,
    and OSError."""
    length = path.stat().st_size - CHECKSUM_BYTES
    if length <= 0 or length % DATA_ALIGNMENT:
        raise FormatError(f"{path}: it cannot have {length + CHECKSUM_BYTES} bytes")
    if length > LONGEST:
        return None
    content = path.read_bytes()
    return checksum(content, length) == content[length:]


def _crc_256(digest: Digest, block: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> bytes:
    seed = 0
    if len(block) < SHORTEST:
        seed = ~len(block) & 0xFFFFFFFF
        block = np.concatenate([block, np.zeros(SHORTEST - len(block), np.uint8)])
    digest.longs = StructArray(Long, len(block) // 8, block)
    hash_block(digest, 0, len(block) // 8, seed)
    return digest.result.tobytes()


# --- CityHash128 of 32 to 128 bytes ---------------------------------------------------------------


def _city_128(data: bytes) -> tuple[int, int]:
    longs = struct.unpack(f"<{len(data) // 8}Q", data)
    return _murmur(longs[2:], longs[0] ^ _K3, longs[1])


def _pair(one: int, other: int) -> int:
    return int(hash_pair(_signed(one), _signed(other))) & _MASK


def _signed(value: int) -> int:
    value &= _MASK
    return value - (1 << 64) if value >> 63 else value


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
