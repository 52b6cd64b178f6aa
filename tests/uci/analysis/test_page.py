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
from uci.analysis.games import page_of
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
    return page_of("club <evening>", reviews, "Wadjet, 200 ms")


class TestText:
    def test_it_needs_no_network_and_no_other_file(self) -> None:
        html = written_page(GAME)
        assert "default-src 'none'" in html and "unsafe" not in html
        assert not re.search(r"""(src|href)=["'](?!#|data:|\$)""", html)
        assert "http" not in html.replace("http-equiv", "")

    def test_names_from_right_to_left_do_not_turn_the_result(self) -> None:
        html = written_page(GAME.replace("Bert & Co", "\u05d3\u05d5\u05d3"))
        assert "<title>\u2068Anna &lt;b&gt; - \u05d3\u05d5\u05d3\u2069  0-1</title>" in html

    def test_texts_of_the_game_cannot_become_markup(self) -> None:
        html = written_page(GAME)
        assert "<title>Anna &lt;b&gt; - Bert &amp; Co  0-1</title>" in html
        assert "<title>club &lt;evening&gt;</title>" in written_page(GAME, SECOND)
        assert html.count("</script>") == 2
        data = re.search(r'id="data">(.*)</script>', html)
        assert data and len(json.loads(data[1])["games"][0]["line"]) == 14


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
        "[use.dataset.square, use.getAttribute('href')])"
    )
    for square, name in pieces:
        colour, kind = name.removeprefix("#").split("-")
        board.set_piece_at(
            chess.parse_square(square),
            chess.Piece(chess.PIECE_NAMES.index(kind), chess.COLORS[colour == "black"]),
        )
    return board.board_fen()


def boards(game: str = GAME) -> list[str]:
    played = made_review(game).game
    return [played.board().board_fen(), *(node.board().board_fen() for node in played.mainline())]


def corner_of(browser: Browser, square: str) -> tuple[float, float]:
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
        asked = {url.partition(":")[0] for url in browser.requests}
        assert browser.requests and asked <= {"file", "data"}

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
        marked = browser.run("sheet.line.filter(isMarked).map(m => Number(m.address))")
        assert marked == [7, 9]
        for number, ply in enumerate([*marked, marked[0]]):  # after the last one, the first
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
        assert chromium.text("#below b") == "Bert & Co"
        choose(chromium, 1)
        assert chromium.run(UPPER_LEFT_LABEL) == "8"
        assert chromium.text("#below b") == "Anna <b>"

    def test_buttons_do_the_same(self, browser: Browser) -> None:
        all_boards = boards()
        for button, ply in (("next", 1), ("next", 2), ("back", 1), ("last", 14), ("first", 0)):
            browser.click(f'button[data-go="{button}"]')
            assert board_shown(browser) == all_boards[ply], button

    def test_a_click_on_a_move_shows_it_and_why_it_is_bad(self, browser: Browser) -> None:
        browser.click('#moves a[href="#9"]')
        assert board_shown(browser) == boards()[9]
        assert browser.text("#moves a[aria-current]") == "Nxf7??"
        said = browser.text("#said")
        assert "5. Nxf7?? (blunder)" in said and "Better was bishop from c4 takes" in said

    def test_a_click_on_the_graph_shows_that_moment(self, browser: Browser) -> None:
        browser.click("#graph", across=0.5)
        assert board_shown(browser) == boards()[7]

    def test_the_board_turns(self, browser: Browser) -> None:
        x, y = corner_of(browser, "a1")
        assert x < 100 < y
        assert browser.run(UPPER_LEFT_LABEL) == "8"
        browser.click('button[data-do="flip"]')
        turned_x, turned_y = corner_of(browser, "a1")
        assert turned_x > 300 > 100 > turned_y
        assert board_shown(browser) == chess.STARTING_BOARD_FEN
        assert browser.run(UPPER_LEFT_LABEL) == "1"
        browser.press("f")
        assert corner_of(browser, "a1") == (x, y)
        browser.press("f")
        assert corner_of(browser, "a1") == (turned_x, turned_y)

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
        browser.click('#moves a[href="#9"]')
        assert browser.run(height) == pytest.approx(10, abs=0.2)
        standing, points = (
            r"Black is .*\(-\d\.\d\d\)\. ",
            r"White scores 10 of 100 points from here\.",
        )
        said = rf"{standing}Among players of about 1800, {points}"
        assert re.fullmatch(said, browser.text("#standing"))
        browser.press("End")
        assert browser.run(height) == 0
        assert browser.text("#standing") == "Checkmate. Black has won."
        assert browser.run("document.getElementById('why').hidden")

    def test_what_the_score_is_made_of(self, browser: Browser) -> None:
        assert "White has more space" in browser.text("#words")
        assert browser.text("#terms tr:nth-child(2)") == "Space+0.30+0.10+0.20"
        assert browser.text("#sums") == "Sum of the terms: +0.20. The network's own score: +0.30."
        assert browser.run("document.querySelectorAll('.worth').length") == 0
        browser.click("#worth")
        worths = browser.run("[...document.querySelectorAll('.worth')].map(t => t.textContent)")
        assert sorted(worths) == ["+0.00", "+3.50"]

    def test_another_game_of_the_file(self, browser: Browser) -> None:
        browser.press("End")
        choose(browser, 1)
        assert board_shown(browser) == chess.STARTING_BOARD_FEN
        assert "Clara <b>" in browser.text("#game h2")
        assert browser.run("document.title") == "Clara <b> - Bert & Co 0-1"
        browser.press("ArrowRight")
        assert board_shown(browser) == boards()[1]

    def test_comments_clocks_and_scores_stand_beside_the_moves(self, browser: Browser) -> None:
        shown = browser.text("#moves")
        for text in ("before all", "the knight", "</script>", "0-1"):
            assert text in shown
        assert re.search(r"Nf3\+0\.\d\d5:00book", shown)
        assert "%clk" not in shown
        browser.click('#moves a[href="#4"]')
        assert browser.text("#below") == "Anna <b> 5:00"

    def test_variations_within_variations_play_on_the_board(self, browser: Browser) -> None:
        assert "(3... Bc5 main 4. c3 (4. b4 Bxb4) 4... Nf6)" in browser.text("#moves")
        board = chess.Board()
        board.push_san("e4")
        for san in ("e5", "Nf3", "Nc6", "Bc4", "Bc5", "b4", "Bxb4"):
            board.push_san(san)
        browser.run("[...document.querySelectorAll('.aside a')].find("
                    "link => link.textContent === 'Bxb4').click()")  # fmt: skip
        assert board_shown(browser) == board.board_fen()
        browser.press("ArrowLeft")
        board.pop()
        assert board_shown(browser) == board.board_fen()
        browser.press("Home")
        assert board_shown(browser) == chess.STARTING_BOARD_FEN

    def test_the_best_line_plays_on_the_board(self, browser: Browser) -> None:
        browser.click('#moves a[href="#8"]')
        browser.click("#lines a")
        board = chess.Board(browser.run("sheet.known.get('8').fen"))
        board.push_uci("c4f7")
        assert board_shown(browser) == board.board_fen()
        browser.press("ArrowLeft")
        assert board_shown(browser) == boards()[8]

    def test_an_address_leads_to_a_move(self, chromium: Browser, tmp_path: Path) -> None:
        path = tmp_path / "games.html"
        path.write_text(written_page(GAME, SECOND), encoding="utf-8")
        chromium.open(path, "#12")
        assert board_shown(chromium) == boards()[12]
        chromium.run("void (location.hash = '#2:5-1-3')")
        chromium.run("new Promise(done => setTimeout(done, 300))")
        assert "Clara" in chromium.text("#game h2")
        assert chromium.run("here.san") == "Nf6"
        chromium.press("ArrowLeft")
        chromium.run("new Promise(done => setTimeout(done, 300))")
        assert chromium.run("location.hash") == "#2:5-1-2"
        for place in ("x", "3:1", "9999", "2:9999", "%", "5~9-9"):  # nowhere: nothing changes
            chromium.run(f"void (location.hash = '{place}')")
            chromium.run("new Promise(done => setTimeout(done, 20))")
            assert "Clara" in chromium.text("#game h2")
            assert chromium.run("hashOf(here)") == "#2:5-1-2"
        for place in ("#999", "#%", "#%zz"):
            chromium.open(path, place)
            assert board_shown(chromium) == chess.STARTING_BOARD_FEN
            chromium.press("End")
            assert board_shown(chromium) == boards()[-1]
        assert chromium.errors == []

    def test_find_the_better_move_asks_before_it_shows(self, browser: Browser) -> None:
        browser.click("#asking")
        browser.press("m")
        browser.press("m")
        assert board_shown(browser) == boards()[8]  # before 5. Nxf7
        assert "5. Nxf7?? (blunder) was played. What is better?" in browser.text("#quiz")
        assert browser.run("document.querySelector('.arrow')") is None
        assert browser.text("#lines") == ""
        assert "Bxf7" not in browser.run("byId('moves').innerText")
        browser.drag("e5", "f7")
        assert "was played" in browser.text("#talk")
        browser.drag("e5", "g6")
        assert "not the move that was found" in browser.text("#talk")
        browser.tap("c4")
        browser.tap("f7")
        assert browser.text("#talk") == "Yes, Bxf7+."
        assert "Bxf7+" in browser.text("#lines") and browser.text("#quiz") == ""
        browser.press("Home")
        browser.press("m")
        browser.click("#quiz button")
        assert "Nxd4" in browser.text("#lines")
        browser.click("#asking")
        assert "Bxf7" in browser.run("byId('moves').innerText")

    def test_castling_of_chess960_is_found_as_a_move_of_the_king(self, browser: Browser) -> None:
        browser.click("#asking")
        browser.run(
            "show({fen: '4k3/8/8/8/8/8/8/RK5R w HA - 0 1', address: '0', isMain: true, "
            "next: [{uci: 'b1c1', fen: '4k3/8/8/8/8/8/8/R1K4R b - -', said: '1. Kc1', "
            "why: 'It loses.'}], look: {points: 50, lines: ["
            "{score: '+9.00', moves: [{uci: 'b1h1', san: 'O-O', fen: '4k3/8/8/8/8/8/8/R4RK1 b - -'}"
            "]}]}})"
        )
        browser.drag("b1", "f1")
        assert "not the move that was found" in browser.text("#talk")
        browser.drag("b1", "g1")
        assert browser.text("#talk") == "Yes, O-O."

    def test_keys_find_the_better_move_too(self, browser: Browser) -> None:
        browser.click("#asking")
        browser.run("goTo('#8')")
        browser.run("board.focus()")
        for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp"):  # from e2 to c4
            browser.press(key)
        browser.press("Enter")
        for key in ("ArrowRight",) * 3 + ("ArrowUp",) * 3 + ("Enter",):
            browser.press(key)
        assert browser.text("#talk") == "Yes, Bxf7+."

    def test_position_and_game_can_be_copied(self, browser: Browser) -> None:
        browser.click('button[data-do="fen"]')
        said = browser.run("new Promise(done => setTimeout(() => done("
                           "document.getElementById('talk').textContent), 100))")  # fmt: skip
        assert said in ("FEN copied.", chess.STARTING_FEN)
        assert browser.run("sheet.pgn").startswith('[Event "A match"]')

    @pytest.mark.parametrize("players, name", [
        (["Anna <b>", "Bert & Co"], "Anna_b_-Bert_Co.pgn"),
        (["Müller", "丁立人"], "Müller-丁立人.pgn"),
        (["../x", 'C:\\"y"'], ".._x-C_y_.pgn"),
    ])  # fmt: skip
    def test_the_saved_file_is_named_after_the_players(
        self, browser: Browser, players: list[str], name: str
    ) -> None:
        browser.run("void (HTMLAnchorElement.prototype.click = function () { saved = this; })")
        browser.run("void (URL.createObjectURL = blob => { text = blob.text(); return ''; })")
        browser.run(f"void (sheet.players = {json.dumps(players)})")
        browser.click('button[data-do="save"]')
        assert browser.run("saved.download") == name
        assert browser.run("text") == browser.run("sheet.pgn") + "\n"

    def test_every_link_is_reached_by_tab(self, browser: Browser) -> None:
        browser.run("goTo('#9')")
        links = browser.run("[...document.querySelectorAll('a')].map(link => [link.href, "
                            "link.tabIndex])")  # fmt: skip
        assert len(links) > 20 and all("#" in href and index == 0 for href, index in links)
        named = "[...document.querySelectorAll('[role=img], #graph, button, select')].every(" \
                "one => one.ariaLabel || one.textContent)"  # fmt: skip
        assert browser.run(named)

    @pytest.mark.parametrize("width", [320, 1280])
    def test_long_names_stay_within_the_edge(
        self, chromium: Browser, tmp_path: Path, width: int
    ) -> None:
        path = tmp_path / "long.html"
        path.write_text(written_page(GAME.replace("Anna <b>", "W" * 300), SECOND), "utf-8")
        chromium.resize(width)
        try:
            chromium.open(path)
            assert chromium.run("document.documentElement.scrollWidth") <= width
        finally:
            chromium.resize(1280)

    @pytest.mark.parametrize("width", [320, 700, 1280])
    def test_nothing_lies_beyond_the_edge(self, browser: Browser, width: int) -> None:
        browser.resize(width)
        try:
            browser.run("goTo('#9')")
            assert browser.run("document.documentElement.scrollWidth") <= width
            # Words beside the moves are not broken in the middle.
            words = "[...document.querySelectorAll('#moves small')]"
            assert browser.run(f"{words}.every(one => one.getClientRects().length === 1)")
        finally:
            browser.resize(1280)
