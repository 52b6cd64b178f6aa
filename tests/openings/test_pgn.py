"""Reading games of PGN: what is wrong with one is in its errors."""

from __future__ import annotations

import io
import logging

import pytest

from openings.pgn import decoded, problem_of, read_game

# python-chess raises an exception for this one: found by reading it with the brackets unbalanced.
UNBALANCED = "1. e4 Ke5 ) 1... e5 2. Nf3 *"


def problem(text: str) -> str:
    game = read_game(io.StringIO(text))
    assert game is not None
    return problem_of(game)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("1. e4 e5 2. Nf3 *", ""),
        (UNBALANCED, "a variation is opened or closed where none is"),
        ("1. e4 e5 2. Ke3 *", "illegal san: 'Ke3'"),
        ('[Variant "Atomic"]\n\n1. e4 *', "atomic is not chess"),
        ("1. e4 -- 2. d4 *", "a side passes"),
    ],
)
def test_what_is_wrong_with_a_game_is_said(text: str, reason: str) -> None:
    assert problem(text).startswith(reason) and bool(problem(text)) == bool(reason)


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        problem("1. e4 e5 2. Ke3 *")
    assert not caplog.records


def test_the_next_game_is_read_after_a_broken_one() -> None:
    source = io.StringIO('1. e4 Ke5 ) 1... e5 2. Nf3 *\n\n[White "Next"]\n\n1. d4 *\n')
    games = list(iter(lambda: read_game(source), None))
    assert games[-1].headers["White"] == "Next" and not problem_of(games[-1])


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfCaf\xc3\xa9", b"Caf\xe9"])
def test_files_are_utf_8_or_latin_1(data: bytes) -> None:
    assert decoded(data) == "Café"
