"""The hash of large blocks that the checksums of tables are made of: CityHashCrc256.

Geoff Pike and Jyrki Alakuijala, CityHash 1.0 (2011). Its CRC is Castagnoli's (CRC-32C).
"""

from __future__ import annotations

from engine.native.bits import shl, shr, signed
from engine.native.jit import entry, kernel
from engine.native.structs import Struct, int64, pointer_to_array
from tablebases.tables import Long

SHORTEST = 240  # bytes; shorter input is padded with zeros

K0 = signed(0xC3A5C85C97CB3127)
_PAIR_MULTIPLIER = signed(0x9DDFEA08EB382D69)
_CRC_POLYNOMIAL = 0x82F63B78


class Digest(Struct):
    """What is hashed and what came out, and room to work."""

    longs = pointer_to_array(Long)
    result = int64[4]
    crc_table = int64[256]
    state = int64[6]
    crcs = int64[5]


@entry
def fill_crc_table(digest: Digest) -> None:
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (_CRC_POLYNOMIAL if crc & 1 else 0)
        digest.crc_table[byte] = crc


@entry
def hash_block(digest: Digest, first: int, count: int, seed: int) -> None:
    """Hash `count` longs (at least 30) from number `first` on into `result`."""
    state = digest.state
    crcs = digest.crcs
    state[0] = digest.longs[first + 7].value + K0
    state[1] = digest.longs[first + 12].value + K0
    one = hash_pair(state[1], 8 * count)
    two = digest.longs[first + 15].value * K0 + 8 * count
    state[2] = one
    state[3] = two
    state[4] = digest.longs[first + 23].value + seed
    state[5] = one + two
    for i in range(5):
        crcs[i] = 0
    crcs[0] = seed

    # Rounds of five longs; in the first ones, six at a time, every other round is a weaker one.
    strong_from = count // 30 * 30
    done = 0
    while done + 5 <= count:
        hash_round(digest, first + done, done >= strong_from or done // 5 % 2 == 1)
        done += 5
    if done < count:
        hash_round(digest, first + count - 5, True)
    finish(digest, one, two)


@kernel
def hash_round(digest: Digest, first: int, strong: bool) -> None:
    """Mix five longs into the state."""
    state = digest.state
    multiplier = K0 if strong else 1
    twist = 0 if strong else 1
    before = state[0]
    state[0] = rotated(state[1], 41 ^ twist) * multiplier + digest.longs[first].value
    state[1] = rotated(state[2], 27 ^ twist) * multiplier + digest.longs[first + 1].value
    state[2] = rotated(state[3], 41 ^ twist) * multiplier + digest.longs[first + 2].value
    state[3] = rotated(state[4], 33 ^ twist) * multiplier + digest.longs[first + 3].value
    state[4] = rotated(state[5], 25 ^ twist) * multiplier + digest.longs[first + 4].value
    state[5] = before
    for i in range(5):
        digest.crcs[i] = crc_of(digest, digest.crcs[i], state[i])


@kernel
def finish(digest: Digest, one: int, two: int) -> None:
    a, b, c = digest.state[0], digest.state[1], digest.state[2]
    d, e, t = digest.state[3], digest.state[4], digest.state[5]
    f, g, h = digest.crcs[0], digest.crcs[1], digest.crcs[2]
    i, j = digest.crcs[3], digest.crcs[4]
    j += shl(i, 32)
    a = hash_pair(a, j)
    h += shl(g, 32)
    b += h
    c = hash_pair(c, f) + i
    d = hash_pair(d, e + one)
    j += e
    i += hash_pair(h, t)
    e = hash_pair(a, d) + j
    f = hash_pair(b, c) + a
    g = hash_pair(j, i) + c
    digest.result[0] = e + f + g + h
    a = mixed((a + g) * K0) * K0 + b
    digest.result[1] = two + a + digest.result[0]
    a = mixed(a * K0) * K0 + c
    digest.result[2] = a + digest.result[1]
    a = mixed((a + e) * K0) * K0
    digest.result[3] = a + digest.result[2]


@kernel
def crc_of(digest: Digest, crc: int, value: int) -> int:
    """Continue a CRC with the eight bytes of a long."""
    for _ in range(8):
        crc = (crc >> 8) ^ digest.crc_table[(crc ^ value) & 0xFF]
        value = shr(value, 8)
    return crc


@kernel
def rotated(value: int, bits: int) -> int:
    return shr(value, bits) | shl(value, 64 - bits)


@kernel
def mixed(value: int) -> int:
    return value ^ shr(value, 47)


@entry
def hash_pair(one: int, other: int) -> int:
    value = mixed((one ^ other) * _PAIR_MULTIPLIER)
    return mixed((other ^ value) * _PAIR_MULTIPLIER) * _PAIR_MULTIPLIER
