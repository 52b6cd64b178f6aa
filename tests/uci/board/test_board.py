"""`wadjet board` as a person uses it: a real program, a real browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from tests.uci.analysis.browser import CAN_DRIVE, Browser
from tests.uci.analysis.test_page import UPPER_LEFT_LABEL, board_shown
from tests.uci.gui import ROOT, Run
from uci.game import files, newcomer

pytestmark = [
    pytest.mark.jit_only,  # real searches
    pytest.mark.skipif(not CAN_DRIVE, reason="no Chromium here"),
]

PATIENCE_S = 60
STATE = "[here.address, here.legal, sheet.line.length, play.words, byId('talk').textContent]"


class Board:
    """A program and the tab that shows it."""

    def __init__(self, browser: Browser, home: Path, *arguments: str) -> None:
        self.browser = browser
        self.process = subprocess.Popen(
            [sys.executable, "-m", "uci", "board", "--no-browser", "--seconds", "0.1", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=ROOT,
            env={**os.environ, "XDG_STATE_HOME": str(home)},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().removeprefix("Your board: ").strip()
        self.visit()

    def visit(self) -> None:
        self.browser.open(self.address)
        self.until("here.legal")

    def until(self, condition: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not self.browser.run(f"document.readyState === 'complete' && Boolean({condition})"):
            assert time.monotonic() < end, (condition, self.browser.run(STATE))
            time.sleep(0.02)

    def answered(self, plies: int) -> None:
        """The engine has moved, and the tab shows it."""
        self.until(f"sheet.line.length === {plies} && here === end() && here.legal")
        assert self.browser.errors == []

    @property
    def line(self) -> list[str]:
        return list(self.browser.run("sheet.line.map(move => move.uci)"))

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


Start = Callable[..., Board]


@pytest.fixture
def start(chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    boards: list[Board] = []

    def start(*arguments: str) -> Board:
        boards.append(Board(chromium, tmp_path, *arguments))
        return boards[-1]

    yield start
    for board in boards:
        board.kill()


def kept() -> list[str]:
    return [move.uci() for move in files.read(files.kept_path()).board.move_stack]


def test_moves_by_mouse_touch_keys_and_text(start: Start) -> None:
    board = start()
    browser = board.browser
    assert browser.run("document.title").startswith("You - Wadjet")
    browser.drag("e2", "e5")  # not possible: the piece goes back
    assert board_shown(browser) == chess.STARTING_BOARD_FEN
    browser.drag("e2", "e4")
    board.answered(2)
    browser.tap("g1")
    assert browser.run("document.querySelectorAll('.target').length") >= 2
    browser.tap("f3")
    board.answered(4)
    browser.touch("b1")
    browser.touch("a3")
    board.answered(6)
    browser.run("cursor = 'h2'; board.focus()")
    for key in ("Enter", "ArrowUp", "Enter"):
        browser.press(key)
    board.answered(8)
    browser.run("byId('typed').value = 'Ke8'; byId('type').requestSubmit()")
    board.until("byId('talk').textContent")
    assert "is not possible" in browser.text("#talk")
    browser.run("byId('typed').value = 'Rg1'; byId('type').requestSubmit()")
    board.answered(10)
    assert board.line[:9:2] == ["e2e4", "g1f3", "b1a3", "h2h3", "h1g1"]
    assert kept() == board.line
    asked = {url.split("/")[2] for url in browser.requests if url.startswith("http")}
    assert asked == {board.address.split("/")[2]}
    assert not browser.run("byId('newcomer').open")  # a game that has begun has its level
    board.visit()
    assert not browser.run("byId('newcomer').open")


def test_black_sits_below_and_a_pawn_chooses_what_it_becomes(start: Start) -> None:
    board = start("--black", "--fen", "4k3/8/8/8/8/8/p6P/7K w - - 0 1", "--level", "500")
    browser = board.browser
    board.until("sheet.line.length === 1 && here === end() && here.legal")
    assert browser.run(UPPER_LEFT_LABEL) == "1" and browser.text("#below b") == "You"
    browser.drag("a2", "a1")
    board.until("!byId('choice').hidden")
    names = browser.run("[...byId('choice').children].map(one => one.textContent)")
    assert names == ["queen", "rook", "bishop", "knight"]
    browser.click("#choice button:nth-child(4)")
    board.answered(3)
    assert board.line[1] == "a2a1n"


def test_a_newcomer_is_asked_once(start: Start) -> None:
    board = start()
    browser = board.browser
    assert browser.run("byId('newcomer').open") and "level 1000" in browser.text("#state")
    browser.run("document.querySelector('#newcomer input').value = '99999'")
    browser.click("#newcomer form:nth-of-type(2) button")
    board.until("byId('talk').textContent.includes('Answer with a number')")
    answer, level = newcomer.ANSWERS[1]
    assert browser.text("#newcomer p:nth-of-type(2)") == answer
    browser.click("#newcomer p:nth-of-type(2) button")
    board.until(f"play.level === {level} && !byId('newcomer').open")
    assert f"level {level}" in browser.text("#state")
    assert browser.run("byId('begin').level.value") == str(level)
    assert newcomer.remembered() == str(level)
    board.kill()
    again = start()
    assert not browser.run("byId('newcomer').open")
    assert f"level {level}" in browser.text("#state")
    again.kill()


def test_who_names_a_level_is_not_asked(start: Start) -> None:
    board = start("--level", "1200")
    assert not board.browser.run("byId('newcomer').open")
    board.kill()
    assert "level 1200" in start().browser.text("#state")


def test_what_was_looked_at_survives_a_killed_program(start: Start) -> None:
    board = start()
    browser = board.browser
    browser.run("byId('paste').open = true; byId('load').text.value = '1. e4 e5 2. Nf3 *'; "
                "byId('load').requestSubmit()")  # fmt: skip
    board.until("!play.played && sheet.line.length === 3 && here.legal")
    browser.click('#moves a[href="#1"]')
    board.until("here === sheet.line[0] && here.legal")
    browser.drag("c7", "c5")
    board.until("here.uci === 'c7c5' && here.legal")
    board.kill()
    again = start()
    assert again.line == ["e2e4", "e7e5", "g1f3"]
    assert browser.run("sheet.line[1].asides[0][0].san") == "c5"


def test_a_reload_and_a_killed_program_lose_nothing(start: Start) -> None:
    board = start("--level", "1500", "--clock", "5+3")
    browser = board.browser
    browser.drag("d2", "d4")
    board.answered(2)
    browser.click("#live")
    board.until("here.live")
    line = board.line
    board.visit()  # while it searches
    assert board.line == line and browser.run("byId('live').checked")
    board.until("here.live")
    assert "5:0" in browser.text("#below") or "4:5" in browser.text("#below")
    board.kill()
    board.until("byId('talk').textContent.includes('start wadjet board again')")
    again = start()
    assert again.line == line and "level 1500" in browser.text("#state")
    assert browser.run("play.clocks.length") == 2


def test_two_tabs_show_one_game(start: Start) -> None:
    board = start()
    with Browser() as other:
        second = Board.__new__(Board)
        second.browser, second.address = other, board.address
        second.visit()
        board.browser.drag("e2", "e4")
        board.answered(2)
        second.answered(2)
        assert second.line == board.line
        other.drag("g1", "f3")
        second.answered(4)
        board.answered(4)
        assert second.line == board.line


def test_more_tabs_than_a_browser_has_connections(start: Start) -> None:
    board = start()
    board.browser.run(
        "void (others = Array.from({length: 6}, () => { const other = new EventSource('events'); "
        "other.onmessage = ({data}) => data.includes('\"away\"') && other.close(); "
        "return other; }))"
    )
    board.until("byId('talk').textContent.startsWith('Other tabs show this board.')")
    board.browser.drag("e2", "e4")
    board.until("goal")  # the program has taken the move
    assert kept()[0] == "e2e4"
    board.visit()
    board.answered(2)


def test_lines_play_on_the_board_and_pieces_try_others(start: Start) -> None:
    board = start()
    browser = board.browser
    browser.drag("e2", "e4")
    board.answered(2)
    browser.click('#moves a[href="#1"]')
    board.until("here === sheet.line[0] && here.legal")
    browser.run("(c => { c.value = 2; c.dispatchEvent(new Event('change')); })(byId('count'))")
    browser.click("#live")
    board.until("here.live && here.live.lines.length === 2 && here.live.lines[1].moves.length > 2")
    assert browser.text("#score") and browser.text("#terms")
    browser.run("document.querySelector('#lines .line:nth-child(2) a:nth-of-type(2)').click()")
    board.until("here.parent.parent === sheet.line[0] && here.legal")
    browser.press("ArrowLeft")
    browser.press("ArrowLeft")
    browser.click("#live")
    board.until("here === sheet.line[0] && !play.live")
    legal = browser.run("Object.entries(here.legal).flatMap(([from, to]) => "
                        "Object.keys(to).map(square => [from, square]))")  # fmt: skip
    tried = next(move for move in legal if "".join(move) != board.line[1])
    browser.drag(*tried)
    board.until("!here.isMain && here.legal")
    assert browser.run("here.uci") == "".join(tried) and len(board.line) == 2
    assert browser.run("document.querySelector('#moves .aside a').textContent") == browser.run(
        "here.san"
    )


def test_too_long_a_text_is_named(start: Start) -> None:
    board = start()
    board.browser.run("byId('load').text.value = 'e4 '.repeat(3e6); byId('load').requestSubmit()")
    assert "wadjet board FILE" in board.browser.text("#talk")


def test_a_pasted_game_is_explained(start: Start) -> None:
    board = start()
    browser = board.browser
    game = json.dumps('[White "Anna"]\n[Black "Bert"]\n\n1. f3 e5 2. g4 Qh4# 0-1')
    browser.run(f"byId('paste').open = true; byId('load').text.value = {game}; "
                "byId('load').requestSubmit()")  # fmt: skip
    board.until("document.title.startsWith('Anna - Bert') && here.legal")
    browser.click("[data-act=analyse]")
    board.until("sheet.sides && sheet.line[2].kind === 'blunder'")
    browser.click('#moves a[href="#3"]')
    assert "It allows mate in 1: 2...Qh4#." in browser.text("#said")
    browser.click('button[data-do="pgn"]')
    assert "$4" in browser.run("sheet.pgn")


def test_a_new_game_from_a_form(start: Start) -> None:
    board = start()
    browser = board.browser
    browser.run("(form => { form.side.value = 'black'; form.level.value = '800'; "
                "form.clock.value = '3+2'; form.start.value = 'chess960'; "
                "form.requestSubmit(); })(byId('begin'))")  # fmt: skip
    board.until("play.person === 1 && sheet.line.length === 1 && here === end() && here.legal")
    assert browser.run(UPPER_LEFT_LABEL) == "1" and "level 800" in browser.text("#state")
    assert browser.text("#below span").startswith(("3:0", "2:5"))


@pytest.mark.parametrize("arguments, status, complaint", [
    (["--level", "high"], 2, "Levels go from"),
    (["--fen", "rubbish"], 2, "FEN"),
    (["--port", "x"], 2, "from 0 to 65535"),
    (["no such file.pgn"], 1, "No such file"),
    (["--clock", "5:00"], 2, "for example 5+3"),
])  # fmt: skip
def test_a_wrong_command_line(
    wadjet: Run, arguments: list[str], status: int, complaint: str
) -> None:
    found, said, errors = wadjet("board", "--no-browser", *arguments)
    assert (found, said) == (status, "") and complaint in errors and "Traceback" not in errors
