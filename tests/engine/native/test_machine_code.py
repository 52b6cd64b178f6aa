"""What the object of a game asks of the system: auditwheel cannot judge it, as it is no library."""

from __future__ import annotations

import struct

import pytest

from engine.native import jit, objects, processor, registry
from tests.other_machine import compile_for

pytestmark = pytest.mark.jit_only

# LLVM may turn loops into calls of these; the C library of every system has them.
EVERYWHERE = {"memset", "memcpy", "memmove"}
SYMBOL_TABLE = 2  # a type of section
UNDEFINED = 0  # the section of a symbol that is defined elsewhere
AARCH64 = 183  # a type of machine


def undefined_symbols(elf: bytes) -> set[str]:
    """The names that a 64-bit little-endian ELF object leaves to others (elf(5))."""
    (sections_at,) = struct.unpack_from("<Q", elf, 0x28)
    entry_size, count = struct.unpack_from("<HH", elf, 0x3A)
    headers = range(sections_at, sections_at + entry_size * count, entry_size)
    sections = [struct.unpack_from("<IIQQQQII", elf, at) for at in headers]
    found = set()
    for section in sections:
        if section[1] != SYMBOL_TABLE:
            continue
        start, size, names = section[4], section[5], sections[section[6]][4]
        for at in range(start, start + size, 24):
            name, _info, _other, where = struct.unpack_from("<IBBH", elf, at)
            if where == UNDEFINED:
                found.add(elf[names + name : elf.index(b"\0", names + name)].decode())
    return found - {""}


def test_it_needs_nothing_that_a_system_may_lack() -> None:
    jit.library()
    found = objects.find_object("play", processor.triple(), processor.usable_levels()[0])
    assert found is not None
    _, machine_code = found
    if not machine_code.startswith(b"\x7fELF"):
        pytest.skip("an object of macOS")
    assert undefined_symbols(machine_code) <= EVERYWHERE


def fibonacci(n: int) -> int:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def test_kernels_compile_for_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    before = processor.triple()
    entries = {registry.symbol(fibonacci): jit.Entry(fibonacci)}
    monkeypatch.setattr(registry, "ENTRIES", entries)
    machine_code = compile_for("aarch64-unknown-linux-gnu", [fibonacci])
    (machine,) = struct.unpack_from("<H", machine_code, 0x12)
    assert machine_code.startswith(b"\x7fELF") and machine == AARCH64
    assert undefined_symbols(machine_code) <= EVERYWHERE
    assert processor.triple() == before
