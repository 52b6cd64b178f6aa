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

from tests.uci.gui import ROOT, Run

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
ANY_PROMPT = re.compile(r"\d+\. Your move \(\w+\): |play> ")
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


@pytest.fixture
def play(wadjet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that plays in this process: what is typed, and options."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return lambda typed, *words, **more: wadjet(
        "play", "--seconds", "0.05", *words, typed=typed, **more
    )


def words_of(text: str) -> str:
    """Without the line breaks that 40 columns make."""
    return " ".join(text.split())


def answers(said: str) -> list[str]:
    """To each line that was typed."""
    return [words_of(text) for text in ANY_PROMPT.split(said)[1:-1]]


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


def test_mate_ends_the_game(play: Run) -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    status, said, errors = play(f"e4\nfen {fen}\nra8\nh3\nnew black\n")
    assert (status, errors) == (0, "") and "\x1b" not in said
    _, _, end, late, new = answers(said)
    assert "Checkmate. You win, 1-0." in end and "You made no blunder" in end
    assert "The game is over" in late and "you are Black" in new
    assert "Your move (Black): " in said


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


def test_what_is_not_understood_is_answered(play: Run) -> None:
    typed = {
        "xyzzy": "'xyzzy' is neither a move nor a command; help lists both.",
        "Ke2": "your own piece stands on e2",
        "e5e6": "There is no piece on e5.",
        "clock 7:00": "for example 5+3",
        "fen rubbish": "No such position:",
        "new x": "new white, new black",
        "undo": "no move of yours",
        "draw": "too early",
    }
    _, said, _ = play("\n".join(typed) + "\n")
    for answer, wanted in zip(answers(said), typed.values(), strict=True):
        assert wanted in answer


def test_a_game_that_was_left_is_resumed(play: Run) -> None:
    status, said, _ = play("e4\nquit\n")
    assert status == 0 and "wadjet play --resume continues" in words_of(said)
    moves, new, _, again = answers(play("moves\nnew\nload\nmoves\n", "--resume")[1])
    assert "1. e4 " in moves and "A new game" in new
    assert "1. e4 " in again  # nothing was lost


def test_a_game_from_a_file_does_not_overwrite_an_unfinished_one(play: Run, tmp_path: Path) -> None:
    other, kept = tmp_path / "other.pgn", tmp_path / "wadjet" / "game.pgn"
    other.write_text("1. a4 a5 *\n", encoding="utf-8")
    play("d4\n")
    said = words_of(play("load\nmoves\n", "--pgn", other)[1])
    assert "Your last game is not finished" in said
    assert "1. d4 " in said.partition("The previous game is kept")[2]
    previous = kept.with_name("previous.pgn").read_text(encoding="utf-8")
    assert "1. a4 a5" in previous
    play("", "--pgn", kept)  # the same game goes on
    assert kept.with_name("previous.pgn").read_text(encoding="utf-8") == previous


def test_a_game_that_cannot_be_kept_is_not_said_to_be(play: Run, tmp_path: Path) -> None:
    (tmp_path / "wadjet").write_text("no folder", encoding="utf-8")
    status, said, _ = play("e4\n")
    assert status == 0 and "The game cannot be kept: " in words_of(said)
    assert "Your game is kept" not in words_of(said)


def test_a_level_after_the_end_is_of_the_next_game(play: Run, tmp_path: Path) -> None:
    kept = tmp_path / "wadjet" / "game.pgn"
    words = "level 800\ne4\nresign\nresign\nlevel 1500\n"
    said = words_of(play(words)[1])
    assert "In the next game I play at level 1500." in said
    assert "(level 800)" in kept.read_text(encoding="utf-8")
    said = words_of(play(f"{words}new\n")[1])
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


def test_saving_and_loading(play: Run, tmp_path: Path) -> None:
    for name, text in (
        ("other", "1. d4 *"),
        ("bad", "1. Ke3 *"),
        ("passes", "1. e4 -- 2. d4 *"),
        ("wrong", f'[FEN "{IN_CHECK}"]\n[SetUp "1"]\n\n*'),
    ):
        (tmp_path / f"{name}.pgn").write_text(text, encoding="utf-8")
    file = tmp_path / "my game.pgn"
    typed = (
        ("e4", "Wadjet plays"),
        (f"save {file}", "Saved as"),
        (f"save {file}", "load"),  # this game's own file
        (f"save {tmp_path}/other.pgn", "exists already"),
        (f"load {tmp_path}/bad.pgn", "Not loaded"),
        (f"load {tmp_path}/none.pgn", "Not loaded"),
        (f"load {tmp_path}/passes.pgn", "move 1, --, is a pass: loaded up to there"),
        (f"load {tmp_path}/wrong.pgn", "Not loaded"),
        *((f"load {odd}", "Not loaded") for odd in ("~nosuchperson/x", "x" * 300)),
        *((f"save {odd}", "Not saved") for odd in ("~nosuchperson/x", "x" * 300)),
        (f"save {file}/x.pgn", "Not saved"),
        (f"load {tmp_path}/other.pgn", "you are Black"),
    )
    _, said, _ = play("".join(f"{line}\n" for line, _ in typed))
    for answer, (line, wanted) in zip(answers(said), typed, strict=True):
        assert wanted in answer, line


def test_a_finished_game_is_analysed_without_leaving(sit: Sit, play: Run, tmp_path: Path) -> None:
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
    assert "This game is over. You were White." in words_of(play("", "--resume")[1])


def test_ascii_without_colours(sit: Sit, play: Run) -> None:
    _, said, _ = play("e4\n", "--ascii")
    assert ("[p]" in said or "[n]" in said) and not FIGURES & set(said)
    person = sit("--no-colour")
    assert "Capital letters are White's men." in words_of(person.type())
    assert not re.search(r"\x1b\[\d+(;\d+)*m", person.heard)
    person = sit(PYTHONUTF8="0", PYTHONIOENCODING="ascii", TERM="dumb")
    assert " r  n  b  k " in person.type("flip") and person.heard.isascii()


def test_a_newcomer_is_asked_once(sit: Sit, play: Run) -> None:
    person = sit(is_new=True)
    person.terminal.expect("How well do you play")
    person.terminal.expect("Enter to skip: ")
    person.terminal.sendline("9999")
    person.terminal.expect("Answer with a number from 1 to 5")
    person.terminal.expect("Enter to skip: ")
    person.terminal.sendline("2")
    assert "I play at level 1000." in words_of(person.type("level"))
    said = words_of(play("level 1300\n", at_terminal=True)[1])
    assert "I play at level 1000." in said and "Enter to skip" not in said
    assert "I play at level 1300." in words_of(play("", at_terminal=True)[1])


@pytest.mark.parametrize("kept", ["bad\n", "3500\n", "\0"])
def test_a_level_that_was_damaged_is_asked_again(tmp_path: Path, play: Run, kept: str) -> None:
    (tmp_path / "wadjet").mkdir()
    (tmp_path / "wadjet" / "level.txt").write_text(kept, encoding="utf-8")
    said = words_of(play("2\n", at_terminal=True)[1])
    assert "Enter to skip: " in said and "at level 1000" in said


@pytest.mark.parametrize("answer, level", [
    ("", "at level 1000"), ("skip", "at level 1000"), ("1650", "at level 1650")
])  # fmt: skip
def test_the_question_can_be_skipped(play: Run, answer: str, level: str) -> None:
    said = words_of(play(f"{answer}\n", at_terminal=True)[1])
    assert "Enter to skip: " in said and level in said


def test_a_newcomer_who_names_a_level_is_not_asked(play: Run) -> None:
    for options in (("--level", "900"), ()):  # the next game is at the same level
        said = words_of(play("", *options, at_terminal=True)[1])
        assert "at level 900" in said and "Enter to skip: " not in said


@pytest.mark.parametrize("typed", ["quit\n", ""])  # also by Ctrl-D
def test_a_newcomer_can_leave_at_once(play: Run, typed: str) -> None:
    status, said, errors = play(typed, at_terminal=True)
    assert (status, errors) == (0, "") and said.rstrip().endswith("Enter to skip:")


def test_slips_are_forgiven(play: Run, tmp_path: Path) -> None:
    """Mistyped commands, a file without its ending, a folder that is not there, one resign."""
    (tmp_path / "foo.pgn").write_text("1. e4 d5 2. exd5 Qxd5 *\n", encoding="utf-8")
    typed = (
        f"resing\nload {tmp_path}/foo\nresign\nNc3\nresign\nno\nresign\nyes\neval\nhint\n"
        f"save {tmp_path}/new/game.pgn\n"
    )
    status, said, errors = play(typed, "--level", "800", "--fen", "startpos")
    said = words_of(said)
    assert (status, errors) == (0, "")
    assert "'resing' is neither a move nor a command, did you mean resign?" in said
    assert "The game continues: you are White, I play at level 800." in said
    assert "White has taken P" in said and "Black has taken P" in said
    assert said.count("type resign again") == 3 and said.count("The game goes on.") == 1
    assert said.count("You resign.") == 1
    after = said.partition("You resign.")[2]
    assert "Best line: " in after and "Hint: " in after
    assert f"Not saved: there is no folder {tmp_path}/new" in after
    assert not (tmp_path / "new").exists()


def test_a_game_of_chess960(play: Run, tmp_path: Path) -> None:
    status, _, errors = play("a3\n", "--chess960", "--level", "800")
    assert (status, errors) == (0, "")
    kept = (tmp_path / "wadjet" / "game.pgn").read_text(encoding="utf-8")
    assert '[Variant "Chess960"]' in kept and "1. a3 " in kept


def test_levels(play: Run, tmp_path: Path) -> None:
    typed = {
        "level": "I play at level 800.",
        "level 99999": "Levels go from",
        "level high": "Levels go from",
        "level full": "at full strength",
        "level 1200": "at level 1200",
        "e4": "Wadjet plays",
    }
    _, said, _ = play("\n".join(typed) + "\n", "--level", "800")
    for answer, wanted in zip(answers(said), typed.values(), strict=True):
        assert wanted in answer
    assert "(level 1200)" in (tmp_path / "wadjet" / "game.pgn").read_text(encoding="utf-8")
    status, _, errors = play("", "--level", "99999")
    assert status == 2 and "Levels go from" in errors


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
def test_a_wrong_command_line(play: Run, arguments: list[str], complaint: str) -> None:
    status, _, errors = play("", *arguments)
    assert status in (1, 2) and complaint in errors
    assert "Traceback" not in errors and "\n\n" not in errors


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
