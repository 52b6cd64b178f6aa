"""What the terminal can show, and the board on it."""

from __future__ import annotations

import io
import os
import re
from typing import TextIO

import chess
import pytest

from uci.terminal.screen import Abilities, Screen, abilities_of, board_lines

ESCAPE = re.compile(r"\033\[[0-9;]*m")


class Stream(io.TextIOWrapper):
    def __init__(self, encoding: str, terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.skipif(os.name == "nt", reason="consoles of Windows have no TERM")
@pytest.mark.parametrize(
    "stream, environment, unicode, colours, overwrites",
    [
        (Stream("utf-8"), {"TERM": "xterm-256color"}, True, 256, True),
        (Stream("utf-8"), {"TERM": "xterm", "COLORTERM": "truecolor"}, True, 256, True),
        (Stream("utf-8"), {"TERM": "linux"}, True, 16, True),
        (Stream("utf-8"), {"TERM": "xterm-256color", "NO_COLOR": "1"}, True, 0, True),
        (Stream("utf-8"), {"TERM": "dumb"}, True, 0, False),
        (Stream("utf-8"), {}, True, 0, True),
        (Stream("utf-8", terminal=False), {"TERM": "xterm"}, True, 0, False),
        (Stream("ascii"), {"TERM": "vt100"}, False, 16, True),
        (Stream("latin-1"), {"TERM": "xterm"}, False, 16, True),
    ],
)
def test_abilities(
    stream: TextIO, environment: dict[str, str], unicode: bool, colours: int, overwrites: bool
) -> None:
    assert abilities_of(stream, environment) == Abilities(unicode, colours, overwrites)


def test_the_old_console_of_windows_has_no_chess_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert abilities_of(Stream("utf-8"), {}) == Abilities(False, 16, True)
    assert abilities_of(Stream("utf-8"), {"WT_SESSION": "1"}) == Abilities(True, 256, True)


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("colours", [0, 16, 256])
@pytest.mark.parametrize("from_white", [True, False])
def test_boards_have_27_columns(unicode: bool, colours: int, from_white: bool) -> None:
    board = chess.Board()
    board.push_san("e4")
    lines = board_lines(board, from_white, Screen(io.StringIO(), Abilities(unicode, colours)))
    assert len(lines) == 9 and {len(ESCAPE.sub("", line)) for line in lines} == {27}
    assert "".join(lines).isascii() != unicode
    assert bool(ESCAPE.search("".join(lines))) == bool(colours)
    assert lines[0].startswith(" 8" if from_white else " 1")


def test_the_last_move_and_a_check_are_marked() -> None:
    board = chess.Board()
    for move in ("f3", "e5", "g4", "Qh4"):
        board.push_san(move)
    plain = board_lines(board, True, Screen(io.StringIO(), Abilities(False, 0)))
    assert plain[4].endswith("[q]") and "".join(plain).count("[") == 1
    painted = board_lines(board, True, Screen(io.StringIO(), Abilities(True, 16)))
    assert "\033[41;97;1m ♚ " in painted[7] and "\033[43;30m ♛ " in painted[4]


def test_text_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    screen = Screen(stream, Abilities(True, 16))
    screen.say("word " * 30, "1")
    screen.say("  " + "indented " * 10)
    screen.say_item("name", "meaning " * 10, 12)
    screen.say_item("a name that is longer", "meaning " * 10, 12)
    lines = [ESCAPE.sub("", line) for line in stream.getvalue().splitlines()]
    assert len(lines) > 10 and max(map(len, lines)) < 40
    assert all(line.startswith("  indented") for line in lines if "indented" in line)


def test_the_narrowest_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1")
    stream = io.StringIO()
    Screen(stream, Abilities(True, 0)).say("one two")
    assert stream.getvalue() == "one\ntwo\n"


def test_names_of_files_are_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    name = "wadjet-2026-11-22-with-a-very-long-name-to-copy.pgn"
    Screen(stream, Abilities(True, 0)).say(f"Saved as {name}. More follows here.")
    assert stream.getvalue().splitlines()[1] == f"{name}."


def test_a_terminal_that_only_prints_sees_no_passing_lines() -> None:
    stream = io.StringIO()
    screen = Screen(stream, Abilities(True, 0, overwrites=False))
    screen.pass_by("Wadjet thinks ...")
    screen.say("Done.")
    assert stream.getvalue() == "Done.\n"
