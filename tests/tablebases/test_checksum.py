"""tablebases.checksum: against the tables, and against Pike and Alakuijala's own code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablebases.checksum import _hash_of_hashes, checksum_fits
from tablebases.cityhash import Digest, fill_crc_table
from tablebases.layout import CHECKSUM_BYTES
from tablebases.material import FormatError

# Bytes hashed: of 32 each block. What CityHashCrc128 of CityHash 1.0 (city-c.c) makes of them.
KNOWN = {
    32: "087ffe3207d4a1379dc89d763c6a34e9",
    128: "e48b1105181c47eb6c4f74c437da79d6",
    160: "f967f449d8421c94baac521f1d09437d",
    224: "87e7e8d93d164e99c047067de9168586",
    288: "f3b8ea9aec76cda2501db6bec4401cd9",
    896: "cfa6193ce1b779982b3f48ff2fdcc5f8",
    928: "d71da2186331deba0975f79a8bcaa3b7",
}


@pytest.mark.parametrize("length", KNOWN)
def test_the_hash_of_the_hashes_of_blocks(length: int) -> None:
    """Of 1 to 29 blocks of 16 MiB: all the ways in which their hashes are put together."""
    together = bytes((131 * i + 17 * (i >> 3) + 7) % 256 for i in range(length))
    digest = Digest()
    fill_crc_table(digest)
    blocks = [together[i : i + 32] for i in range(0, length, 32)]
    high, low = KNOWN[length][:16], KNOWN[length][16:]
    expected = bytes.fromhex(high)[::-1] + bytes.fromhex(low)[::-1]
    assert _hash_of_hashes(digest, blocks) == expected


@pytest.mark.parametrize("length", [-1, 0, 1, 63, 65])
def test_files_of_other_lengths_cannot_have_one(tmp_path: Path, length: int) -> None:
    path = tmp_path / "KQvK.rtbw"
    path.write_bytes(bytes(length + CHECKSUM_BYTES))
    with pytest.raises(FormatError, match="cannot have"):
        checksum_fits(path)
