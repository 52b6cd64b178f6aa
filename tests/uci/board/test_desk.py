"""What stands behind the board, with the real engine and without a browser."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import chess
import pytest

from uci.board.asked import RefusedError
from uci.board.desk import NEXT_MARK, Desk
from uci.board.played import AFTER_THE_GAME
from uci.board.tabs import MOST_UNHEARD
from uci.game import files
from uci.game.game import Game, TimeControl
from uci.game.opponent import Opponent

pytestmark = pytest.mark.jit_only  # real searches

PATIENCE_S = 60
TWO_GAMES = '[White "Anna"]\n\n1. e4 e5 *\n\n[White "Bert"]\n\n1. d4 (1. c4 c5) 1... d5 *\n'


class Tab:
    """Asks, hears, and remembers what it heard last of each kind."""

    def __init__(self, desk: Desk, heard: queue.Queue[str]) -> None:
        self.desk = desk
        self._heard = heard
        self.last: dict[str, dict[str, Any]] = {}

    def ask(self, act: str, **more: Any) -> dict[str, Any]:
        revision = self.play["revision"]
        return self.desk.act(act, {"game": 0, "revision": revision, **more})

    def move(self, *path: str) -> dict[str, Any]:
        return self.ask("move", path=list(path[:-1]), move=path[-1])

    def until(self, condition: Callable[[], Any]) -> None:
        """Listen until something is so."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            message = json.loads(self._heard.get(timeout=end - time.monotonic()))
            self.last[message["type"]] = message

    @property
    def play(self) -> dict[str, Any]:
        return self.desk.state()[1]

    @property
    def line(self) -> list[str]:
        return [move["uci"] for move in self.desk.state()[0][0]["line"]]

    def said(self) -> str:
        return str(self.last.get("talk", {}).get("words", ""))


def load(tab: Tab, pasted: str) -> dict[str, Any]:
    return tab.desk.act("load", {"text": pasted})


def lines(tab: Tab) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tab.last["look"]["look"]["lines"]
    return found


Open = Callable[..., Tab]


@pytest.fixture
def sit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Desk]]:
    for variable in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    desks = []

    def sit(game: Game | None = None, seconds: float = 0.02) -> Desk:
        desks.append(Desk(lambda: Opponent(seconds)))
        if game is not None:
            desks[-1].begin(game)
        return desks[-1]

    yield sit
    for desk in desks:
        desk.close()
        engine = desk._worker._opponent
        assert engine is not None and not engine.engine.searching


@pytest.fixture
def open_tab() -> Iterator[Callable[[Desk], Tab]]:
    with ExitStack() as tabs:
        yield lambda desk: Tab(desk, tabs.enter_context(desk.watch()))


def test_a_move_is_answered_and_kept(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    assert tab.move("e2e4") == {"path": ["e2e4"]}
    tab.until(lambda: "Wadjet plays 1..." in tab.said())
    kept = files.read(files.kept_path())
    assert len(tab.line) == 2 and [move.uci() for move in kept.board.move_stack] == tab.line
    assert tab.play["words"] == "You are White, I play at full strength. It is your move."


def test_to_black_the_engine_moves_first(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game(person=chess.BLACK)))
    tab.until(lambda: "Wadjet plays 1. " in tab.said())
    assert tab.play["person"] == 1 and len(tab.line) == 1


def test_a_tab_that_is_behind_changes_nothing(sit: Any, open_tab: Open) -> None:
    desk = sit(Game())
    tab, other = open_tab(desk), open_tab(desk)
    seen = tab.play["revision"]
    other.move("e2e4")
    other.until(lambda: "Wadjet plays" in other.said())
    for act in ("back", "resign", "draw", "hint", "level"):
        with pytest.raises(RefusedError, match="another tab"):
            tab.ask(act, revision=seen, level="800")
    assert tab.move("d2d4") == {"path": ["d2d4"]}  # tried beside the game
    assert tab.line == other.line and tab.line[0] == "e2e4"


def test_taking_back_while_it_thinks(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game(chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")), seconds=60))
    tab.move("e2e4")
    tab.until(lambda: tab.play["thinks"])
    with pytest.raises(RefusedError, match="Wadjet's move"):
        tab.move("e2e4", "e8e7")
    began = time.monotonic()
    tab.ask("back")
    assert tab.line == [] and not tab.play["thinks"]
    tab.ask("hint")
    tab.until(lambda: "hint" in tab.last)
    assert time.monotonic() - began < 20 and tab.last["hint"]["words"].startswith("Hint: ")
    assert tab.line == []


def test_draws_resigning_and_the_end(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    with pytest.raises(RefusedError, match="too early"):
        tab.ask("draw")
    tab.ask("resign")
    assert tab.play["words"] == f"You resign. Wadjet wins, 0-1. {AFTER_THE_GAME}"
    with pytest.raises(RefusedError, match="The game is over"):
        tab.move("e2e4")
    tab.ask("back")
    assert tab.play["on"] and tab.play["words"].endswith("It is your move.")
    drawn = open_tab(sit(Game(chess.Board("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 40"))))
    drawn.ask("draw")
    drawn.until(lambda: drawn.said() or not drawn.play["on"])
    assert "decline" in drawn.said() or "A draw is agreed" in drawn.play["words"]


def test_mate_ends_the_game(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game(chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"))))
    tab.ask("move", path=[], move="Ra8")
    assert tab.play["words"] == f"Checkmate. You win, 1-0. {AFTER_THE_GAME}"


def test_a_new_game_puts_the_old_one_aside(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    tab.move("e2e4")
    tab.until(lambda: "Wadjet plays" in tab.said())
    old = tab.line
    with pytest.raises(RefusedError, match="Black has 0 kings"):
        tab.ask("new", side="white", level="800", fen="8/8/8/8/8/8/8/K7 w - - 0 1")
    assert tab.line == old
    tab.ask("new", side="white", level="800", clock="5+3", fen="chess960")
    assert tab.line == [] and tab.play["level"] == 800
    assert tab.play["clocks"] == pytest.approx([300_000] * 2, abs=5000)
    tab.until(lambda: "reload" in tab.last)
    tab.ask("resume")
    assert tab.line == old and tab.play["level"] is None


def test_clocks_run_only_while_somebody_looks(sit: Any) -> None:
    desk = sit(Game(control=TimeControl(1000, 0)))
    time.sleep(1.2)
    desk.watch_clock()
    assert desk.state()[1]["on"]
    with desk.watch():
        time.sleep(0.4)
    left = desk.state()[1]["clocks"][0]
    assert 300 < left < 700
    time.sleep(0.5)
    assert desk.state()[1]["clocks"][0] == left
    with desk.watch():
        time.sleep(0.8)
        desk.watch_clock()
        assert desk.state()[1]["words"].startswith("The time is over. Wadjet wins, 0-1.")


def test_lines_while_one_looks_and_not_longer(sit: Any) -> None:
    desk = sit(Game())
    with desk.watch() as heard:
        tab = Tab(desk, heard)
        tab.ask("look", path=[])
        tab.ask("live", on=True, lines=3)
        tab.until(lambda: "look" in tab.last and len(lines(tab)[0]["moves"]) > 1)
        look = tab.last["look"]["look"]
        assert len(look["lines"]) == 3 and look["terms"] and "depth" in look["effort"]
        first = look["lines"][0]["moves"]
        path = [first[0]["uci"], first[1]["uci"]]
        tab.ask("look", path=path)  # beyond the game
        tab.until(lambda: tab.last["look"]["path"] == path)
        assert tab.line == []
        opponent = desk._worker._opponent
        assert opponent is not None
    deadline = time.monotonic() + PATIENCE_S
    while opponent.engine.searching and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not opponent.engine.searching


def test_lines_go_on_after_the_answer(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    tab.ask("live", on=True, lines=1)
    tab.ask("look", path=[])
    tab.until(lambda: "look" in tab.last)
    tab.move("e2e4")
    tab.until(lambda: "Wadjet plays" in tab.said())
    tab.ask("look", path=tab.line)
    tab.until(lambda: tab.last["look"]["path"] == tab.line)
    tab.ask("live", on=False, lines=1)


def test_what_is_tried_stands_beside_the_game(sit: Any, open_tab: Open) -> None:
    desk = sit()
    tab = open_tab(desk)
    load(tab, TWO_GAMES)
    sheets, play = desk.state()
    assert [sheet["players"][0] for sheet in sheets] == ["Anna", "Bert"] and not play["on"]
    tab.ask("move", path=["e2e4"], move="c5")
    tab.ask("move", path=["e2e4", "c7c5", "g1f3"], move="d6")  # an engine's line goes on
    (aside,) = desk.state()[0][0]["line"][1]["asides"]
    assert [move["san"] for move in aside] == ["c5", "Nf3", "d6"]
    tab.ask("move", path=["e2e4", "e7e5"], move="Nf3")
    assert tab.line == ["e2e4", "e7e5", "g1f3"]
    assert "( 1... c5 2. Nf3 d6 )" in desk.state()[0][0]["pgn"]


def test_positions_and_broken_games(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    answer = load(tab, TWO_GAMES + '\n[White "Clara"]\n\n1. e4 Ke3 *\n')
    assert "Clara" in answer["said"] and len(tab.desk.state()[0]) >= 2
    load(tab, fen)
    assert tab.desk.state()[0][0]["start"]["fen"] == fen
    for text in ("8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/PPPPPPPP/QQQQ1K2 x", "nothing"):
        with pytest.raises(RefusedError):
            load(tab, text)
    assert tab.desk.state()[0][0]["start"]["fen"] == fen


@pytest.mark.parametrize("pasted", [
    "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1",
    '[FEN "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1"]\n\n1. O-O *\n',
])  # fmt: skip
def test_castling_that_is_dropped_is_told(sit: Any, open_tab: Open, pasted: str) -> None:
    desk = sit(Game())
    assert "castling Q ignored" in load(open_tab(desk), pasted)["said"]
    tab = open_tab(desk)  # the page that comes then
    tab.until(lambda: "castling Q ignored" in tab.said())
    tab.ask("new", side="white", level="800", fen="4k3/8/8/8/8/8/8/4K1R1 w KQ - 0 1")
    after = open_tab(desk)
    after.until(lambda: "castling KQ ignored" in after.said())


@pytest.mark.parametrize("rights", ["HA", "KQ"])
def test_a_position_of_chess960(sit: Any, open_tab: Open, rights: str) -> None:
    """Whatever was played before, and also from the position that is shown."""
    desk = sit(Game())
    tab = open_tab(desk)
    castles = {"a1": ["b1a1"], "a2": ["b1a2"], "b2": ["b1b2"], "c1": ["b1c1"], "c2": ["b1c2"],
               "g1": ["b1h1"], "h1": ["b1h1"]}  # fmt: skip
    for _ in range(2):
        assert "Chess960" in load(tab, f"4k3/8/8/8/8/8/8/RK5R w {rights} - 0 1")["said"]
        assert tab.ask("look", path=[])["legal"]["b1"] == castles
        tab.ask("new", side="white", level="800", fen="here", path=[])
        assert tab.ask("look", path=[])["legal"]["b1"] == castles
        assert tab.ask("move", path=[], move="b1g1")["path"] == ["b1h1"]
        assert load(tab, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")["said"] == ""
        assert tab.ask("look", path=[])["legal"]["e1"]["g1"] == ["e1g1"]


def test_the_game_explained(sit: Any, open_tab: Open) -> None:
    desk = sit()
    tab = open_tab(desk)
    load(tab, "1. f3 e5 2. g4 Qh4# 0-1")
    tab.ask("analyse")
    with pytest.raises(RefusedError, match="is being analysed"):
        tab.ask("analyse")
    tab.until(lambda: tab.last.get("sheet", {}).get("sheet", {}).get("sides"))
    sheet = tab.last["sheet"]["sheet"]
    assert sheet["line"][2]["kind"] == "blunder" and "Qh4#" in sheet["line"][2]["why"]
    assert sheet["line"][3]["look"]["standing"] == "Checkmate. Black has won."
    assert "$4" in sheet["pgn"]
    tab.until(lambda: tab.last["play"]["play"]["analysing"] is None)
    assert NEXT_MARK in tab.said()


def test_another_game_ends_an_analysis(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    load(tab, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *")
    tab.ask("analyse")
    load(tab, "1. d4 d5 *")
    assert tab.play["analysing"] is None and tab.line == ["d2d4", "d7d5"]


def test_a_tab_that_does_not_listen_is_let_go(sit: Any) -> None:
    desk = sit(Game())
    with desk.watch() as heard:
        for _ in range(MOST_UNHEARD):
            desk.act("level", {"level": "800", "revision": desk.state()[1]["revision"]})
        assert not desk.tabs
        assert heard.qsize() == MOST_UNHEARD


def test_two_programs_lose_no_game(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game()))
    tab.move("e2e4")
    tab.until(lambda: "Wadjet plays" in tab.said())
    other = open_tab(sit(Game()))
    assert [move.uci() for move in files.read(files.previous_path()).board.move_stack] == tab.line
    other.move("d2d4")
    other.until(lambda: "Wadjet plays" in other.said())
    tab.move(*tab.line, "a2a3")
    tab.until(lambda: "Another Wadjet keeps its game" in tab.said())
    tab.until(lambda: len(tab.line) == 4)
    other.move(*other.line, "h2h3")
    other.until(lambda: len(other.line) == 4)
    for path, played in (
        (files.kept_path(), other.line),
        (files.kept_path().with_name("game-2.pgn"), tab.line),
    ):
        assert [move.uci() for move in files.read(path).board.move_stack] == played


def test_a_game_survives_a_desk(sit: Any, open_tab: Open) -> None:
    tab = open_tab(sit(Game(level=900, control=TimeControl(60_000, 1000))))
    tab.move("e2e4")
    tab.until(lambda: "Wadjet plays" in tab.said())
    again = open_tab(sit(files.read(files.kept_path())))
    assert again.line == tab.line and again.play["level"] == 900
    assert again.play["clocks"][1] == tab.play["clocks"][1]
