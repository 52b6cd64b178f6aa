"""`wadjet play` at a pseudo-terminal of 40 columns, and without a terminal."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from tests.uci.gui import ROOT

pexpect = pytest.importorskip("pexpect")
pytestmark = [
    pytest.mark.jit_only,  # real searches
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

PATIENCE_S = 60
COLUMNS = 40
IN_CHECK = "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1"  # the side that is not to move
PROMPT = r"Your move \((White|Black)\): "
OVER = "play> "
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
FIGURES = set("♔♕♖♗♘♙♚♛♜♝♞♟")


class Person:
    """Sits at a terminal."""

    def __init__(self, home: Path, *arguments: str, is_new: bool = False, **variables: str) -> None:
        """`is_new`: nobody knows yet how well this person plays."""
        if not is_new:
            (home / "wadjet").mkdir(exist_ok=True)
            (home / "wadjet" / "level.txt").write_text("full\n", encoding="utf-8")
        self._heard: list[str] = []
        self._prompted = False
        self.home = home
        self.terminal: Any = pexpect.spawn(
            sys.executable,
            ["-m", "uci", "play", "--seconds", "0.05", *arguments],
            cwd=str(ROOT),
            env=environment(home, **variables),
            dimensions=(50, COLUMNS),
            timeout=PATIENCE_S,
            encoding="utf-8",
        )
        self.terminal.logfile_read = self

    def write(self, text: str) -> None:
        self._heard.append(text)

    def flush(self) -> None:
        pass

    def type(self, *lines: str) -> str:
        """Answer prompts; returns what comes before the one after them, without colours."""
        if not self._prompted:
            self._await_prompt()
        for line in lines:
            self.terminal.sendline(line)
            self._await_prompt()
        return ESCAPE.sub("", self.terminal.before).replace("\r\n", "\n")

    def _await_prompt(self) -> None:
        self.terminal.expect([PROMPT, OVER])
        self._prompted = True

    @property
    def heard(self) -> str:
        """Everything, with colours."""
        return "".join(self._heard)

    def leave(self) -> tuple[int | None, str]:
        """Wait for the end; returns the exit status and what was said last."""
        self.terminal.expect(pexpect.EOF)
        self.terminal.close()
        status: int | None = self.terminal.exitstatus
        return status, " ".join(ESCAPE.sub("", self.terminal.before).split())


def environment(home: Path, **variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    state = {
        "BROWSER": f"{sys.executable} -c pass %s",
        "XDG_STATE_HOME": str(home),
        "TERM": "xterm-256color",
        "PYTHONUTF8": "1",
    }
    state["COLUMNS"] = str(COLUMNS)  # pexpect sets the size after the program has started
    return {**kept, **state, **variables}


Sit = Callable[..., Person]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    people: list[Person] = []

    def sit(*arguments: str, is_new: bool = False, **variables: str) -> Person:
        people.append(Person(tmp_path, *arguments, is_new=is_new, **variables))
        return people[-1]

    yield sit
    for person in people:
        person.terminal.close(force=True)


def words_of(text: str) -> str:
    """Without the line breaks that 40 columns make."""
    return " ".join(text.split())


def test_a_lost_game_and_why_it_was_lost(sit: Sit) -> None:
    """And everything fits into 40 columns."""
    person = sit("--fen", "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")
    person.type("hint", "eval", "moves", "help")
    end = words_of(person.type("g4"))
    assert "Wadjet plays 2...Qh4# (queen from d8 to h4)." in end
    assert "Checkmate. Wadjet wins, 0-1." in end and "What cost you most" in end
    assert "2. g4?? Your chances fell from" in end and "to 0 %." in end
    assert "It allows mate in 1: 2...Qh4#. Better was" in end
    assert "analyse explains every move in your browser" in end and "new starts" in end
    person.type("undo")
    assert person.terminal.match.group(0) == "Your move (White): "
    assert "type resign again" in words_of(person.type("resign"))
    assert person.terminal.match.group(0) == "Your move (White): "
    person.type("resign")
    assert "You resign. Wadjet wins, 0-1." in person.heard
    for line in ESCAPE.sub("", person.heard).splitlines():
        assert max(map(len, line.split("\r"))) <= COLUMNS, line
    assert FIGURES & set(person.heard) and "\x1b[48;5;" in person.heard


def test_mate_ends_the_game(sit: Sit) -> None:
    person = sit("--fen", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    end = words_of(person.type("ra8"))
    assert "Checkmate. You win, 1-0." in end and "You made no blunder" in end
    assert "The game is over" in person.type("h3")
    assert "you are Black" in words_of(person.type("new black"))
    assert person.terminal.match.group(0) == "Your move (Black): "


def test_a_game_starts_from_the_uci_prompt(tmp_path: Path) -> None:
    terminal = pexpect.spawn(
        sys.executable, ["-m", "uci"], cwd=str(ROOT), env=environment(tmp_path), timeout=PATIENCE_S
    )
    terminal.sendline("position startpos moves e2e4")
    terminal.sendline("d")
    terminal.expect("Checkers")
    terminal.sendline("play --black --level full --seconds 0.05")
    terminal.expect("you are Black")
    terminal.expect("Your move")
    terminal.sendline("quit")
    terminal.expect("kept")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_what_is_not_understood_is_answered(sit: Sit) -> None:
    person = sit()
    said = words_of(person.type("xyzzy", "Ke2", "e5e6", "clock 7:00", "fen rubbish", "new x"))
    assert "new white, new black" in said
    heard = words_of(ESCAPE.sub("", person.heard))
    for answer in (
        "'xyzzy' is neither a move nor a command; help lists both.",
        "your own piece stands on e2",
        "There is no piece on e5.",
        "for example 5+3",
        "No such position:",
    ):
        assert answer in heard
    assert "no move of yours" in words_of(person.type("undo"))
    assert "too early" in person.type("draw")


def test_a_game_that_was_left_is_resumed(sit: Sit) -> None:
    first = sit()
    first.type("e4")
    first.terminal.sendline("quit")
    status, said = first.leave()
    assert status == 0 and "wadjet play --resume continues" in said
    second = sit("--resume")
    assert "1. e4 " in second.type("moves")
    assert "A new game" in words_of(second.type("new"))
    assert "1. e4 " in second.type("load", "moves")  # nothing was lost


def test_a_game_from_a_file_does_not_overwrite_an_unfinished_one(tmp_path: Path) -> None:
    other, kept = tmp_path / "other.pgn", tmp_path / "wadjet" / "game.pgn"
    other.write_text("1. a4 a5 *\n", encoding="utf-8")
    run(tmp_path, "d4\n")
    done = run(tmp_path, "load\nmoves\n", "--pgn", str(other))
    assert "Your last game is not finished" in words_of(done.stdout)
    assert "1. d4 " in words_of(done.stdout).partition("The previous game is kept")[2]
    previous = kept.with_name("previous.pgn").read_text(encoding="utf-8")
    assert "1. a4 a5" in previous
    run(tmp_path, "", "--pgn", str(kept))  # the same game goes on
    assert kept.with_name("previous.pgn").read_text(encoding="utf-8") == previous


def test_a_game_that_cannot_be_kept_is_not_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "wadjet").write_text("no folder", encoding="utf-8")
    done = run(tmp_path, "e4\n")
    assert done.returncode == 0 and "The game cannot be kept: " in words_of(done.stdout)
    assert "Your game is kept" not in words_of(done.stdout)


def test_a_level_after_the_end_is_of_the_next_game(tmp_path: Path) -> None:
    kept = tmp_path / "wadjet" / "game.pgn"
    words = "level 800\ne4\nresign\nresign\nlevel 1500\n"
    said = words_of(run(tmp_path, words).stdout)
    assert "In the next game I play at level 1500." in said
    assert "(level 800)" in kept.read_text(encoding="utf-8")
    said = words_of(run(tmp_path, f"{words}new\n").stdout)
    assert "A new game: you are White, I play at level 1500." in said


@pytest.mark.parametrize("key, status", [("\x03", 130), ("\x04", 0)])
def test_leaving_by_keys_keeps_the_game(sit: Sit, key: str, status: int) -> None:
    person = sit("--clock", "5+3")
    assert "Clocks: White 5:0" in person.type("d4")
    person.terminal.send(key)
    left, said = person.leave()
    assert left == status and "Your game is kept" in said and "Traceback" not in person.heard
    assert "1. d4" in (person.home / "wadjet" / "game.pgn").read_text(encoding="utf-8")


def test_a_game_interrupted_while_the_engine_thinks_is_kept(sit: Sit) -> None:
    person = sit("--seconds", "60")
    person.terminal.expect(PROMPT)
    person.terminal.sendline("a4")
    person.terminal.expect("Wadjet thinks")
    person.terminal.send("\x03")
    status, said = person.leave()
    assert status == 130 and "kept" in said
    assert "1. a4" in (person.home / "wadjet" / "game.pgn").read_text(encoding="utf-8")


def test_ctrl_c_skips_the_review(sit: Sit, tmp_path: Path) -> None:
    chance, board = random.Random(4), chess.Board()
    for _ in range(120):
        board.push(chance.choice(list(board.legal_moves)))
    (tmp_path / "long.pgn").write_text(str(chess.pgn.Game.from_board(board)), encoding="utf-8")
    person = sit("--pgn", str(tmp_path / "long.pgn"))
    person.type("board")
    person.type("resign")
    person.terminal.sendline("resign")
    person.terminal.expect("moves: 2 of")
    person.terminal.send("\x03")
    person.terminal.expect("Skipped.")
    person.terminal.expect(OVER)


def test_saving_and_loading(sit: Sit, tmp_path: Path) -> None:
    person = sit()
    file = tmp_path / "my game.pgn"
    assert "Saved as" in person.type("e4", f"save {file}")
    assert "load" in person.type(f"save {file}")  # this game's own file
    (tmp_path / "other.pgn").write_text("1. d4 *", encoding="utf-8")
    assert "exists already" in words_of(person.type(f"save {tmp_path}/other.pgn"))
    (tmp_path / "bad.pgn").write_text("1. Ke3 *", encoding="utf-8")
    assert "Not loaded" in person.type(f"load {tmp_path}/bad.pgn")
    assert "Not loaded" in person.type(f"load {tmp_path}/none.pgn")
    passes = tmp_path / "passes.pgn"
    passes.write_text("1. e4 -- 2. d4 *", encoding="utf-8")
    assert "move 1, --, is a pass: loaded up to there" in words_of(person.type(f"load {passes}"))
    wrong = tmp_path / "wrong.pgn"
    wrong.write_text(f'[FEN "{IN_CHECK}"]\n[SetUp "1"]\n\n*', encoding="utf-8")
    assert "Not loaded" in person.type(f"load {wrong}")
    for odd in ("~nosuchperson/x", "x" * 300):
        assert "Not loaded" in person.type(f"load {odd}")
        assert "Not saved" in person.type(f"save {odd}")
    assert "Not saved" in person.type(f"save {tmp_path}/my game.pgn/x.pgn")
    person.type(f"load {tmp_path}/other.pgn")
    assert person.terminal.match.group(0) == "Your move (Black): "


def test_a_finished_game_is_analysed_without_leaving(sit: Sit, tmp_path: Path) -> None:
    person = sit("--fen", "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")
    assert "No move has been played." in person.type("analyse")
    person.type("g4")
    file = tmp_path / "lost-game.pgn"
    assert "analyse explains every move of it." in words_of(person.type(f"save {file}"))
    said = person.type("analyse")
    page = file.with_name("lost-game.analysed.html")
    assert "Checkmate" in page.read_text(encoding="utf-8")
    assert "1 blunder" in said and f"Open in a browser:\n{page.as_uri()}" in said
    assert "exists already" in words_of(person.type("analyze " + str(page)))
    address = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", said)
    assert address
    with urllib.request.urlopen(address[0], timeout=PATIENCE_S) as served:
        assert b"It allows mate in 1" in served.read()
    person.terminal.sendline("quit")
    status, said = person.leave()
    assert status == 0 and "wadjet play --resume shows this game again" in said
    assert "This game is over. You were White." in words_of(sit("--resume").type())


def test_ascii_without_colours(sit: Sit) -> None:
    person = sit("--ascii", NO_COLOR="1")
    assert "[p]" in person.type("e4") or "[n]" in person.heard
    assert "♟" not in person.heard and not re.search(r"\x1b\[\d+(;\d+)*m", person.heard)
    person = sit(PYTHONUTF8="0", PYTHONIOENCODING="ascii", TERM="dumb")
    assert " r  n  b  k " in person.type("flip") and person.heard.isascii()


def test_a_newcomer_is_asked_once(sit: Sit) -> None:
    person = sit(is_new=True)
    person.terminal.expect("How well do you play")
    person.terminal.expect("Enter to skip: ")
    person.terminal.sendline("9999")
    person.terminal.expect("Levels go from")
    person.terminal.expect("Enter to skip: ")
    person.terminal.sendline("2")
    assert "I play at level 1000." in words_of(person.type("level"))
    person = sit(is_new=True)
    assert "I play at level 1000." in words_of(person.type())
    person.type("level 1300")
    person = sit(is_new=True)
    assert "I play at level 1300." in words_of(person.type())


@pytest.mark.parametrize("answer, level", [
    ("", "at level 1000"), ("skip", "at level 1000"), ("1650", "at level 1650")
])  # fmt: skip
def test_the_question_can_be_skipped(sit: Sit, answer: str, level: str) -> None:
    person = sit(is_new=True)
    person.terminal.expect("Enter to skip: ")
    person.terminal.sendline(answer)
    assert level in words_of(person.type())
    status = sit("--level", "900", is_new=True)
    assert "at level 900" in words_of(status.type())


def test_a_newcomer_can_leave_at_once(sit: Sit) -> None:
    person = sit(is_new=True)
    person.terminal.expect("Enter to skip: ")
    person.terminal.sendline("quit")
    person.terminal.expect(pexpect.EOF)
    person.terminal.close()
    assert person.terminal.exitstatus == 0


def test_slips_are_forgiven(tmp_path: Path) -> None:
    """Mistyped commands, a file without its ending, a folder that is not there, one resign."""
    (tmp_path / "foo.pgn").write_text("1. e4 d5 2. exd5 Qxd5 *\n", encoding="utf-8")
    typed = (
        f"resing\nload {tmp_path}/foo\nresign\nNc3\nresign\nresign\neval\nhint\n"
        f"save {tmp_path}/new/game.pgn\n"
    )
    done = run(tmp_path, typed, "--level", "800", "--fen", "startpos")
    said = words_of(done.stdout)
    assert done.returncode == 0 and done.stderr == ""
    assert "'resing' is neither a move nor a command, did you mean resign?" in said
    assert "The game continues: you are White, I play at level 800." in said
    assert "White has taken P" in said and "Black has taken P" in said
    assert said.count("type resign again") == 2 and said.count("You resign.") == 1
    after = said.partition("You resign.")[2]
    assert "Best line: " in after and "Hint: " in after
    assert f"Not saved: there is no folder {tmp_path}/new" in after
    assert not (tmp_path / "new").exists()


def test_a_game_of_chess960(tmp_path: Path) -> None:
    done = run(tmp_path, "a3\n", "--chess960", "--level", "800")
    assert (done.returncode, done.stderr) == (0, "")
    kept = (tmp_path / "wadjet" / "game.pgn").read_text(encoding="utf-8")
    assert '[Variant "Chess960"]' in kept and "1. a3 " in kept


def test_levels(sit: Sit) -> None:
    person = sit("--level", "800")
    assert "I play at level 800." in words_of(person.type("level"))
    assert "Levels go from" in words_of(person.type("level 99999"))
    assert "Levels go from" in words_of(person.type("level high"))
    assert "at full strength" in words_of(person.type("level full"))
    assert "at level 1200" in words_of(person.type("level 1200"))
    person.type("e4")
    assert "(level 1200)" in (person.home / "wadjet" / "game.pgn").read_text(encoding="utf-8")
    status, said = sit("--level", "99999").leave()
    assert status == 2 and "Levels go from" in said


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--fen", "rubbish"], "FEN"),
        (["--clock", "5:00"], "for example 5+3"),
        (["--seconds", "never"], "from 0.01 to 600"),
        (["--pgn", "no such file.pgn"], "No such file"),
        (["--resume"], "no game to continue"),
        (["--faster"], "unrecognized"),
        (["--fen", "x", "--resume"], "not allowed"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    done = run(tmp_path, "", *arguments)
    assert done.returncode in (1, 2) and complaint in done.stderr
    assert "Traceback" not in done.stderr and "\n\n" not in done.stderr


def test_moves_may_come_from_a_pipe(tmp_path: Path) -> None:
    done = run(tmp_path, "e4\nfen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\nRa8\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Checkmate. You win, 1-0." in done.stdout and "\x1b" not in done.stdout


def test_nobody_looks_any_more(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "uci", "play", "--seconds", "0.05"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(tmp_path),
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"e4\n" * 3)
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 1
        assert b"Traceback" not in process.stderr.read()


def run(home: Path, typed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "uci", "play", "--seconds", "0.05", *arguments],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(home),
        timeout=PATIENCE_S,
    )
