"""`wadjet analyse`: what it writes, says, survives, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import chess
import chess.pgn
import pytest

from openings.pgn import read_games
from tests.uci.analysis.made import GAME
from tests.uci.gui import ROOT, Run

ANALYSE = [sys.executable, "-m", "uci", "analyse"]
QUICK = ["--nodes", "2000", "--hash", "1"]
BROKEN = '[White "X"]\n[Black "Y"]\n\n1. e4 e5 2. Ke3 *\n'


@pytest.fixture
def run(wadjet: Run) -> Run:
    return lambda *words: wadjet("analyse", *words)


def errors_at_terminal(games: Path, **variables: str) -> str:
    """What a quick analysis writes to the error output if that is a terminal."""
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*ANALYSE, str(games), *QUICK],
        cwd=ROOT, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, stderr=theirs,
    ) as process:  # fmt: skip
        assert process.wait(timeout=120) == 0
    os.write(theirs, b"the end")
    os.close(theirs)
    drawn = os.read(ours, 10_000).decode()
    os.close(ours)
    return drawn.removesuffix("the end")


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "club.pgn"
    path.write_text(GAME, encoding="utf-8")
    return path


@pytest.mark.parametrize("target", ["", ".", "/"])
def test_what_is_no_file_is_refused_in_one_line(run: Run, target: str) -> None:
    status, _, errors = run(target)
    assert status == 1 and errors.startswith("wadjet analyse: ") and errors.count("\n") == 1


@pytest.mark.jit_only
@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("8/8/8/8 w", "the board must have 8 ranks, not 4"),
        ("8/8/8/8", "a FEN needs at least a board and a side to move"),
        ("rnbqkbnr/ppppxppp/8/8/8/8/8/8 w", "'x' is not a piece"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("abc/def/ghi b KQkq", "the board must have 8 ranks, not 3"),
    ],
)
def test_a_bad_fen_is_not_taken_for_a_file(run: Run, target: str, complaint: str) -> None:
    status, said, errors = run(target)
    assert (status, said) == (2, "") and errors.startswith("wadjet analyse: ")
    assert complaint in errors and errors.count("\n") == 1


@pytest.mark.parametrize("path", ["games/club.pgn", "a/b/c/d.pgn", "no such file"])
def test_a_file_that_is_not_there(run: Run, path: str) -> None:
    assert run(path) == (1, "", f"wadjet analyse: {path}: No such file or directory\n")


class TestGames:
    pytestmark = pytest.mark.jit_only

    def test_several_files_one_after_the_other(self, run: Run, games: Path) -> None:
        other = games.with_name("with blank.pgn")
        other.write_text(GAME, encoding="utf-8")
        status, said, errors = run(games, games.with_name("none.pgn"), other, *QUICK)
        assert status == 1 and said.count("Annotated: ") == 2
        assert errors.count("\n") == 1 and "none.pgn: No such file or directory" in errors
        words = str(other).split(" ")  # quotes were forgotten
        assert run(*words, *QUICK)[0] == 0

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
    def test_a_name_that_is_no_text(self, games: Path) -> None:
        odd = os.fsencode(games.parent) + b"/f\xeate.pgn"
        os.rename(games, odd)
        done = subprocess.run([*ANALYSE, odd, *QUICK], capture_output=True, cwd=ROOT, timeout=240)
        assert (done.returncode, done.stderr) == (0, b"")
        page = (games.parent / os.fsdecode(b"f\xeate.analysed.html")).read_text(encoding="utf-8")
        assert "<h1>f\N{REPLACEMENT CHARACTER}te" in page

    @pytest.mark.skipif(os.name != "posix", reason="sends a signal")
    def test_open_shows_it_on_a_board_until_ctrl_c(self, games: Path) -> None:
        opened = games.with_name("opened")
        script = f"import sys, pathlib; pathlib.Path({str(opened)!r}).write_text(sys.argv[1])"
        browser = games.with_name("browser.py")
        browser.write_text(script, encoding="utf-8")
        with subprocess.Popen(
            [*ANALYSE, str(games), "--open", *QUICK],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT,
            env={**os.environ, "BROWSER": f"{sys.executable} {browser} %s"},
        ) as process:  # fmt: skip
            assert process.stdout is not None
            try:
                said = next(line for line in process.stdout if line.startswith("Your board: "))
                address = said.partition(": ")[2].strip()
                with urllib.request.urlopen(address, timeout=60) as page:
                    assert f"<h1>{games.stem}</h1>" in page.read().decode()
                while not (opened.exists() and opened.read_text(encoding="utf-8")):
                    time.sleep(0.05)
                process.send_signal(signal.SIGINT)
                assert process.wait(60) == 0
            finally:
                process.kill()
        assert opened.read_text(encoding="utf-8") == address

    def test_a_file_becomes_an_annotated_one_and_a_page(self, run: Run, games: Path) -> None:
        status, said, errors = run(games, *QUICK)
        assert (status, errors) == (0, "")
        assert re.search(r"White  accuracy \d+\.\d% of \d moves?  \d inaccurac", said)
        assert re.search(r"inaccurac(y|ies), \d mistakes?, \d blunders?\n", said)
        pgn, html = games.with_name("club.analysed.pgn"), games.with_name("club.analysed.html")
        assert said.endswith(f"Annotated: {pgn}\nOpen in a browser: {html.as_uri()}\n")
        assert sorted(games.parent.iterdir()) == sorted([games, pgn, html])
        with pgn.open(encoding="utf-8") as file:
            game = chess.pgn.read_game(file)
        assert game is not None and not game.errors
        assert all("[%eval" in node.comment for node in list(game.mainline())[:-1])
        assert "Nf3#" in html.read_text(encoding="utf-8")

    def test_the_same_game_gets_the_same_marks_whoever_works_at_it(
        self, run: Run, games: Path
    ) -> None:
        written = []
        for threads in (1, 3):
            assert run(games, "--nodes", "3000", "--threads", threads)[0] == 0
            written.append([games.with_name(f"club.analysed.{kind}").read_bytes()
                            for kind in ("pgn", "html")])  # fmt: skip
        assert written[0] == written[1]

    def test_the_rating_of_the_tags_or_of_the_command_line(self, run: Run, games: Path) -> None:
        tags = '[WhiteElo "1400"]\n[BlackElo "1200"]\n[Result'
        games.write_text(GAME.replace("[Result", tags), encoding="utf-8")
        for words, rating in (((), 1300), (("--rating", 900), 900), (("--rating", 2700), 1800)):
            assert run(games, *QUICK, *words)[0] == 0
            page = games.with_name("club.analysed.html").read_text(encoding="utf-8")
            assert f"Among players of about {rating}," in page

    def test_broken_games_are_named_and_the_others_analysed(self, run: Run, games: Path) -> None:
        games.write_text(f"{BROKEN}\n{GAME}\n{BROKEN}", encoding="utf-8")
        pgn, html = games.with_name("a"), games.with_name("b")
        status, said, errors = run(games, *QUICK, "--pgn", pgn, "--html", html)
        assert status == 1
        last = 5 + f"{BROKEN}\n{GAME}\n".count("\n")
        assert errors.splitlines() == [
            f"wadjet analyse: {games}:{line}: {game} (X - Y): move 2, Ke3, is illegal: "
            "analysed up to there"
            for line, game in ((4, "game 1"), (last - 1, "game 3"))
        ]
        assert "Anna" in said and "Anna" in pgn.read_text(encoding="utf-8") and html.exists()

    def test_two_games_without_a_blank_line_between_them_stay_two(
        self, run: Run, games: Path
    ) -> None:
        games.write_text(
            '[Event "a"]\n[Result "*"]\n\n1. e4 e5 *\n'
            '[Event "Round 2: Nf3"]\n[Own "x"]\n[Result "0-1"]\n\n1. d4 {c} (1. c4) d5 $5 0-1\n',
            encoding="utf-8",
        )
        assert run(games, *QUICK)[0] == 0
        written = games.with_name("club.analysed.pgn").read_text(encoding="utf-8")
        found = [one.game for one in read_games((written.strip() + "\n" + written).encode())]
        assert [game.headers["Result"] for game in found] == ["*", "0-1"] * 2
        for first, second in (found[:2], found[2:]):
            assert [node.san() for node in first.mainline()] == ["e4", "e5"]
            assert [node.san() for node in second.mainline()] == ["d4", "d5"]
            assert (second.headers["Event"], second.headers["Own"]) == ("Round 2: Nf3", "x")
            assert [node.san() for node in second.variations][:2] == ["d4", "c4"]
            assert second.variations[0].comment.startswith("c ") and second.end().nags == {5}

    @pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of POSIX")
    def test_an_interrupted_run_goes_on(self, games: Path) -> None:
        slow = [*ANALYSE, str(games), "--ms", "300", "--hash", "1", "--threads", "1"]
        unfinished = games.with_name("club.analysed.pgn.unfinished")
        with subprocess.Popen(slow, cwd=ROOT, stderr=subprocess.PIPE, encoding="utf-8") as process:
            deadline = time.monotonic() + 60
            while not unfinished.exists() or unfinished.read_text(encoding="utf-8").count("\n") < 4:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        found = re.search(r"interrupted after (\d+) positions", errors)
        assert found and int(found[1]) >= 3 and "Traceback" not in errors
        assert sorted(games.parent.iterdir()) == sorted([games, unfinished])
        before = unfinished.read_text(encoding="utf-8").splitlines()
        with subprocess.Popen(slow, cwd=ROOT, stdout=subprocess.DEVNULL) as again:
            while (
                again.poll() is None
                and unfinished.read_text(encoding="utf-8").count("\n") < len(before) + 3
            ):
                time.sleep(0.05)
            rows = unfinished.read_text(encoding="utf-8").splitlines()
            again.kill()
        assert rows[: len(before)] == before  # what was known is not searched again
        keys = [row[:28] for row in rows[1:] if row]
        assert len(keys) == len(set(keys)) > int(found[1])

    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
    def test_the_bar_is_for_terminals(self, games: Path) -> None:
        games.write_text("1. e4 e5 *", encoding="utf-8")
        drawn = errors_at_terminal(games, TERM="xterm", COLUMNS="40")
        assert re.search(r"\r\[\.+\] 0/3 positions", drawn)
        assert re.search(r"\r\[#+\] 3/3 positions, 0:00 left *\r\n$", drawn)
        assert max(map(len, drawn.strip().split("\r"))) < 40
        assert errors_at_terminal(games, TERM="dumb") == ""


class TestPosition:
    pytestmark = pytest.mark.jit_only

    def test_a_table_and_the_reasons(self, run: Run) -> None:
        fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
        for words in ([fen], fen.split()):  # quotes may be forgotten
            status, said, errors = run(*words, *QUICK, "--lines", "3")
            assert (status, errors) == (0, "")
            assert len(re.findall(r"^[123]\. ", said, re.M)) == 3
            assert re.search(r"^1\.  Qxf7# +#1 +100%", said, re.M)
            assert "Without looking ahead:\n" in said

    def test_to_a_depth(self, run: Run) -> None:
        status, said, errors = run("startpos", "--depth", "3", "--lines", "1")
        assert (status, errors) == (0, "") and re.search(r"^1\. ", said, re.M)
        for wrong in ("0", "x"):
            status, said, errors = run("startpos", "--depth", wrong)
            assert (status, said) == (2, "") and "is no whole number from 1" in errors

    @pytest.mark.parametrize(
        "fen, verdict",
        [
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Stalemate. The game is drawn."),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "Checkmate. White has won."),
            ("7k/8/6K1/8/8/8/8/8 w - - 0 1", "Nobody can mate any more. The game is drawn."),
            ("7k/8/4Q1K1/8/8/8/8/8 w - - 150 99", "Seventy-five moves without"),
        ],
    )
    def test_when_the_game_is_over_nobody_is_better(self, run: Run, fen: str, verdict: str) -> None:
        status, said, _ = run(fen, *QUICK)
        first, blank, last = said.splitlines()
        assert (status, first, blank) == (0, fen, "") and last.startswith(verdict)

    @pytest.mark.parametrize("clock, is_named", [(99, False), (100, True), (149, True)])
    def test_a_draw_that_can_be_claimed_is_named(
        self, run: Run, clock: int, is_named: bool
    ) -> None:
        fen = f"8/8/1N6/6kB/2R5/8/1K6/8 b - - {clock} 99"
        status, said, _ = run(fen, *QUICK)
        claim = "Fifty moves without a capture or a pawn move: a draw can be claimed."
        assert (status, claim in said) == (0, is_named) and "+0.00" in said


class TestBadInput:
    @pytest.mark.parametrize(
        "words, status, complaint",
        [
            ([], 2, "FILE|FEN"),
            (["a.pgn", "b.pgn", "--pgn", "c.pgn"], 2, "name the results of one file"),
            (["a.pgn", "a.analysed.pgn"], 2, "would replace a.analysed.pgn"),
            (["a.pgn", "a.txt"], 2, "would replace a.analysed.pgn"),
            (["startpos", "--pgn", "c.pgn"], 2, "are for games"),
            (["a.pgn", "--ms", "0"], 2, "'0' is no whole number from 1 to 86400000"),
            (["a.pgn", "--nodes", "many"], 2, "'many'"),
            (["a.pgn", "--ms", "5", "--nodes", "5"], 2, "not allowed with"),
        ],
    )
    def test_is_named_in_one_line(
        self, run: Run, words: list[str], status: int, complaint: str
    ) -> None:
        found, said, errors = run(*words)
        assert (found, said) == (status, "")
        assert complaint in errors.splitlines()[-1] and "Traceback" not in errors

    @pytest.mark.parametrize("text", ["", "hello\n", "1. Ke3 *", '[White "A"]\n\n*\n'])
    def test_a_file_without_a_good_game_leaves_no_files(
        self, run: Run, tmp_path: Path, text: str
    ) -> None:
        path = tmp_path / "file.pgn"
        path.write_text(text, encoding="utf-8")
        status, said, errors = run(path)
        assert (status, said) == (1, "")
        assert "no game in it" in errors and "Traceback" not in errors
        assert list(tmp_path.iterdir()) == [path]

    def test_where_nothing_can_be_written(self, run: Run, games: Path) -> None:
        for words, reason in (
            (["--html", games.parent], "is not a file"),
            (["--html", games.parent / "nowhere" / "a.html"], "nowhere/a.html: No such file"),
            (["--pgn", games], "is the file to analyse"),
            (["--pgn", os.devnull], "is not a file"),
            (["--pgn", games.parent / "a", "--html", games.parent / "a"], "need two files"),
        ):
            status, said, errors = run(games, *words)
            assert (status, said) == (1, "") and reason in errors.replace(os.sep, "/")
        assert games.read_text(encoding="utf-8") == GAME and list(games.parent.iterdir()) == [games]

    @pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
    def test_what_is_no_file_does_not_stop_the_others(self, run: Run, games: Path) -> None:
        loop = games.with_name("loop.pgn")
        loop.symlink_to(loop)
        for other in (".", loop):
            status, said, errors = run(other, games, *QUICK)
            assert status == 1 and "Annotated: " in said and errors.count("\n") == 1
        assert run(games, os.path.relpath(games), *QUICK)[0] == 0  # the same, twice

    def test_the_american_spelling_is_understood(self) -> None:
        done = subprocess.run(
            [*ANALYSE[:-1], "analyze", "nowhere.pgn"],
            capture_output=True, encoding="utf-8", cwd=ROOT, timeout=60,
        )  # fmt: skip
        assert done.returncode == 1 and "nowhere.pgn: No such file" in done.stderr
