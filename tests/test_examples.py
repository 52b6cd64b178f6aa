"""The examples of the documentation for Python do what they show."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import wadjet
from engine import api

pytestmark = pytest.mark.jit_only  # real searches

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python.md"
OPTIONS = doctest.ELLIPSIS


def test_of_the_page() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False, optionflags=OPTIONS)
    assert done.attempted > 20 and not done.failed


@pytest.mark.parametrize("module", [wadjet, api])
def test_of_docstrings(module: object) -> None:
    done = doctest.testmod(module, optionflags=OPTIONS)  # type: ignore[arg-type]
    assert done.attempted and not done.failed
