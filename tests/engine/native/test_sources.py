"""What the hash of the compiled kernels covers."""

from __future__ import annotations

import pytest

from engine.kernels import PLAY, ROOTS
from engine.native import sources


def test_imports_are_found_by_reading() -> None:
    text = """
from __future__ import annotations

import numpy as np
import engine.search.tt, engine.eval.classical.pawns  # two
from engine.board.constants import (
    KNIGHT,  # a comment (with brackets)
    PAWN,
)
from engine.board import attacks, constants
if True:
    from engine.native.bits import bit
"""
    assert set(sources.imported_modules(text)) >= {
        "numpy",
        "engine.search.tt",
        "engine.eval.classical.pawns",
        "engine.board.constants",
        "engine.board",
        "engine.board.attacks",
        "engine.native.bits",
    }


def test_kernels_and_their_imports_are_covered() -> None:
    covered = sources.kernel_sources(PLAY)
    assert {*ROOTS, "engine.board.constants", "engine.board.position"} <= set(covered)
    tool = set(sources.kernel_sources("tablebases.cityhash"))
    assert tool == {"tablebases.cityhash", "tablebases.tables"}  # the second holds its structs


def test_plain_python_is_not_covered() -> None:
    """Else an edit there would compile everything anew."""
    covered = sources.kernel_sources(PLAY)
    plain = {"engine.api", "engine.bench", "engine.play.search", "engine.settings"}
    plain |= {
        "engine.play.timeman",
        "engine.limits",
        "engine.tb.root",
        "engine.eval.classical.weights",
        "engine.search.iterations",
        "engine.board.fen",
    }
    assert not plain & set(covered)
    assert not [name for name in covered if name.startswith(("uci", "tuning", "openings"))]


def test_other_peoples_modules_are_not_covered() -> None:
    """Installed, the packages of others lie beside ours."""
    assert sources.source_file("numpy") is None
    assert sources.source_file("engine.board.no_such_module") is None


def test_line_ends_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def build_id_of(content: bytes) -> str:
        monkeypatch.setattr(sources, "kernel_sources", lambda name: {"engine.some": content})
        return str(sources.build_id.__wrapped__("play"))

    assert build_id_of(b"a = 1\nb = 2\n") == build_id_of(b"a = 1\r\nb = 2\r\n")
    assert build_id_of(b"a = 1\nb = 2\n") != build_id_of(b"a = 1\nb = 3\n")
