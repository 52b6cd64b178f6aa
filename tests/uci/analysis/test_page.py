"""The page, in a real browser and without one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tests.uci.analysis.browser import CAN_DRIVE, Browser
from tests.uci.analysis.made import GAME, made_review
from uci.analysis.page import page
from uci.analysis.pgn import annotate

needs_browser = pytest.mark.skipif(not CAN_DRIVE, reason="no Chromium here")
UPPER_LEFT_LABEL = (
    "[...document.querySelectorAll('#board .coordinate')].find(text => "
    "Number(text.getAttribute('x')) < 50 && Number(text.getAttribute('y')) < 50).textContent"
)
SECOND = GAME.replace("Anna", "Clara")


def written_page(*games: str) -> str:
    reviews = [made_review(game) for game in games]
    for reviewed in reviews:
        annotate(reviewed)
    return page("club <evening>", reviews, "Wadjet", "200 ms")


class TestText:
    def test_it_needs_no_network_and_no_other_file(self) -> None:
        html = written_page(GAME)
        assert "default-src 'none'" in html
        assert not re.search(r"""(src|href)=["'](?!#)""", html)
        assert "http" not in html.replace("http-equiv", "")

    def test_texts_of_the_game_cannot_become_markup(self) -> None:
        html = written_page(GAME)
        assert "<title>club &lt;evening&gt;</title>" in html
        assert "<b>" not in html.replace('<b id="score">', "")
        assert html.count("</script>") == 2
        data = re.search(r'id="data">(.*)</script>', html)
        assert data and len(json.loads(data[1])["games"][0]) == 15


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def browser(chromium: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The page of two games at its beginning; afterwards its script must not have failed."""
    path = tmp_path / "games.html"
    path.write_text(written_page(GAME, SECOND), encoding="utf-8")
    chromium.open(path)
    yield chromium
    assert chromium.errors == []


def board_shown(browser: Browser) -> str:
    """The pieces as the first field of a FEN, from what is drawn at the squares."""
    board = chess.Board(None)
    pieces = browser.run(
        "[...document.querySelectorAll('#board use')].map(use => "
        "[Number(use.dataset.square), use.getAttribute('href')])"
    )
    for square, name in pieces:
        colour, kind = name.removeprefix("#").split("-")
        board.set_piece_at(
            square, chess.Piece(chess.PIECE_NAMES.index(kind), chess.COLORS[colour == "black"])
        )
    return board.board_fen()


def boards(game: str = GAME) -> list[str]:
    played = made_review(game).game
    return [played.board().board_fen(), *(node.board().board_fen() for node in played.mainline())]


def corner_of(browser: Browser, square: int) -> tuple[float, float]:
    """Where the piece on a square is on the screen, from the board's upper left corner."""
    x, y = browser.run(
        f"(() => {{ const box = selector => document.querySelector(selector)"
        f".getBoundingClientRect(), piece = box('#board use[data-square=\"{square}\"]'), "
        f"board = box('#board'); return [piece.left - board.left, piece.top - board.top]; }})()"
    )
    return float(x), float(y)


def choose(browser: Browser, game: int) -> None:
    """From the list of games; from 0."""
    browser.run(f"(s => {{ s.selectedIndex = {game}; s.dispatchEvent(new Event('change')); }})"
                "(document.querySelector('select'))")  # fmt: skip


@needs_browser
class TestInABrowser:
    def test_it_shows_the_first_position_and_asks_the_network_for_nothing(
        self, browser: Browser
    ) -> None:
        assert board_shown(browser) == chess.STARTING_BOARD_FEN
        assert browser.requests and {url.partition(":")[0] for url in browser.requests} == {"file"}

    def test_arrow_keys_step_through_the_whole_game(self, browser: Browser) -> None:
        shown = [board_shown(browser)]
        for _ in range(14):
            browser.press("ArrowRight")
            shown.append(board_shown(browser))
        assert shown == boards()
        browser.press("ArrowRight")  # beyond the end
        assert board_shown(browser) == shown[-1]
        for expected in reversed(shown[:-1]):
            browser.press("ArrowLeft")
            assert board_shown(browser) == expected
        browser.press("End")
        assert board_shown(browser) == shown[-1]
        browser.press("Home")
        assert board_shown(browser) == shown[0]

    def test_the_marked_moves_one_after_the_other(self, browser: Browser) -> None:
        links = "[...document.querySelectorAll('article:not([hidden]) .moves a[class]')]"
        marked = browser.run(f"{links}.map(link => Number(link.dataset.ply))")
        assert len(marked) >= 2
        for number, ply in enumerate([*marked, marked[-1]]):
            if number % 2:
                browser.press("m")
            else:
                browser.click('button[data-go="marked"]')
            assert board_shown(browser) == boards()[ply]

    def test_who_played_black_against_the_engine_sits_below(
        self, chromium: Browser, tmp_path: Path
    ) -> None:
        path = tmp_path / "lost.html"
        path.write_text(
            written_page(GAME.replace("Anna <b>", "Wadjet 1.0"), GAME), encoding="utf-8"
        )
        chromium.open(path)
        assert chromium.run(UPPER_LEFT_LABEL) == "1"
        choose(chromium, 1)
        assert chromium.run(UPPER_LEFT_LABEL) == "8"

    def test_buttons_do_the_same(self, browser: Browser) -> None:
        all_boards = boards()
        for button, ply in (("next", 1), ("next", 2), ("back", 1), ("last", 14), ("first", 0)):
            browser.click(f'button[data-go="{button}"]')
            assert board_shown(browser) == all_boards[ply], button

    def test_a_click_on_a_move_shows_it(self, browser: Browser) -> None:
        browser.click('article:not([hidden]) a[data-ply="9"]')
        assert board_shown(browser) == boards()[9]
        assert browser.text("article:not([hidden]) a.here") == "Nxf7??"
        assert "5. Nxf7?? (blunder)" in browser.text("#best")

    def test_a_click_on_the_graph_shows_that_moment(self, browser: Browser) -> None:
        browser.click("article:not([hidden]) .graph", across=0.5)
        assert board_shown(browser) == boards()[7]

    def test_the_board_turns(self, browser: Browser) -> None:
        x, y = corner_of(browser, chess.A1)
        assert x < 100 < y
        assert browser.run(UPPER_LEFT_LABEL) == "8"
        browser.click("#flip")
        turned_x, turned_y = corner_of(browser, chess.A1)
        assert turned_x > 300 > 100 > turned_y
        assert board_shown(browser) == chess.STARTING_BOARD_FEN
        assert browser.run(UPPER_LEFT_LABEL) == "1"
        browser.press("f")
        assert corner_of(browser, chess.A1) == (x, y)
        browser.press("f")
        assert corner_of(browser, chess.A1) == (turned_x, turned_y)

    def test_the_arrow_is_the_best_move_on_both_sides_of_the_board(self, browser: Browser) -> None:
        ends = "['x1', 'y1', 'x2', 'y2'].map(e => Number(document.querySelector('.arrow')" \
               ".getAttribute(e)))"  # fmt: skip
        assert browser.run(ends) == [450, 650, 450, 450]  # e2 to e4
        browser.press("f")
        assert browser.run(ends) == [350, 150, 350, 350]
        browser.press("End")
        assert browser.run("document.querySelector('.arrow')") is None
        assert "Checkmate" in browser.text("#standing")

    def test_the_bar_shows_the_points_that_the_words_name(self, browser: Browser) -> None:
        height = "parseFloat(document.getElementById('white').style.height)"
        assert browser.run(height) == pytest.approx(52, abs=0.2)
        for _ in range(9):
            browser.press("ArrowRight")
        assert browser.run(height) == pytest.approx(10, abs=0.2)
        standing, points = (
            r"Black is .*\(-\d\.\d\d\)\. ",
            r"White scores 10 of 100 points from here\.",
        )
        said = rf"{standing}Among players of about 1800, {points}"
        assert re.fullmatch(said, browser.text("#standing"))
        browser.press("End")
        assert browser.run(height) == 0
        assert browser.text("#standing") == "Checkmate: Black has won."
        assert browser.text("#words") == browser.text("#sums") == ""

    def test_what_the_score_is_made_of(self, browser: Browser) -> None:
        assert "White has more space" in browser.text("#words")
        assert browser.text("#terms tr:nth-child(2)") == "Space+0.30+0.10+0.20"
        assert browser.text("#sums") == "Sum of the terms: +0.20. The network's own score: +0.30."
        assert browser.run("document.querySelectorAll('.worth').length") == 0
        browser.click("#worth")
        worths = browser.run("[...document.querySelectorAll('.worth')].map(t => t.textContent)")
        assert worths == ["+3.50", "+0.00"]

    def test_another_game_of_the_file(self, browser: Browser) -> None:
        browser.press("End")
        choose(browser, 1)
        assert board_shown(browser) == chess.STARTING_BOARD_FEN
        assert "Clara <b>" in browser.text("article:not([hidden]) h2")
        browser.press("ArrowRight")
        assert board_shown(browser) == boards()[1]

    def test_comments_and_variations_are_on_the_page(self, browser: Browser) -> None:
        shown = browser.text("article:not([hidden]) .moves")
        for text in ("before all", "the knight", "(3... Bc5 { main } 4. c3", "</script>"):
            assert text in shown
        assert "%clk" not in shown
