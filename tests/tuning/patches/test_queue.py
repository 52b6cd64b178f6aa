"""The queue of patches: what is played when, what a stop costs, and commits as engines."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from tuning.__main__ import main
from tuning.engines import command_at, command_of
from tuning.files import lock
from tuning.matches import built_in
from tuning.matches.rules import Conditions, Contender
from tuning.matches.score import Score
from tuning.patches import playing
from tuning.patches.queue_file import read_queue
from tuning.patches.results import write_page
from tuning.patches.sources import MergeConflictError, Sources
from tuning.patches.trials import NEW, Queue, Trial, load

BOOK = "".join(f"4k3/8/8/8/8/8/8/4K2R w - - {clock} 1\n" for clock in range(20))
GOOD, BAD = "good: aspiration_margin=20", "bad: razoring_margin=300"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit, a book, and engines that need no process."""
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", "--initial-branch=main")
    commit("engine.py", "first\n", "first")
    (tmp_path / "book.epd").write_text(BOOK)
    (tmp_path / "cache").mkdir()
    return tmp_path


def git(*words: str) -> str:
    identity = {f"GIT_{role}_{what}": "test" for role in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")}  # fmt: skip
    done = subprocess.run(
        ["git", *words], env={**os.environ, **identity}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(file: str, text: str, title: str) -> str:
    Path(file).write_text(text)
    git("add", file)
    git("commit", "--quiet", "-m", title)
    return git("rev-parse", "HEAD")


class Games:
    """Stands for the built-in runner's table: results follow from options and opening."""

    def __init__(self, wins: Callable[[Contender], bool]):
        self.wins = wins
        self.played: list[tuple[str, str]] = []
        self.stop_after: int | None = None

    def __call__(
        self, stack: object, first: Contender, second: Contender, conditions: Conditions, *_: object
    ) -> Games:
        self.first, self.conditions = first, conditions
        return self

    def play(self, fen: str, white: int) -> chess.pgn.Game:
        if self.stop_after is not None and len(self.played) >= self.stop_after:
            raise OSError("No space left on device")
        limit = str(self.conditions.nodes or self.conditions.time_control)
        self.played.append((limit, fen))
        is_drawn = white == 0 and int(fen.split()[4]) % 4 == 0
        result = "1/2-1/2" if is_drawn else ("0-1", "1-0")[white == 0]
        if not self.wins(self.first) and result != "1/2-1/2":
            result = {"1-0": "0-1", "0-1": "1-0"}[result]
        players = {"White": (NEW, "base")[white], "Black": ("base", NEW)[white]}
        return chess.pgn.Game({"Event": "match", **players, "Result": result})


@pytest.fixture
def games(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Games:
    table = Games(lambda first: "aspiration_margin" in first.options)
    monkeypatch.setattr(built_in, "Table", table)
    monkeypatch.setattr("tuning.matches.runner.POLL_S", 0.01)
    monkeypatch.setattr(playing, "write_page", lambda queue, path: None)  # slow

    def contender(board: Any, name: str, change: Any) -> Contender:
        commit = board._sources.merged(board.queue.settings["base"], change.revisions)
        board._sources.checkout(commit)
        return Contender(name, commit, {name: str(v) for name, v in change.constants.items()})

    monkeypatch.setattr(playing.Board, "_contender", contender)
    return table


def run(*words: str) -> int:
    return main(["queue", "q.txt", "--tool", "built-in", "--cache", "cache", *words])


def results() -> dict[str, Trial]:
    return {trial.name: trial for trial in load(Path("q.json")).trials}


def test_what_passes_is_bundled_and_summed(
    games: Games, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "write_page", write_page)
    Path("q.txt").write_text(f"# a comment\n{BAD}\n{GOOD} [0, 10]\n")
    assert run("--book", "book.epd", "--nodes", "77", "--games", "400") == 0
    found = results()
    outcomes = {name: trial.outcome for name, trial in found.items()}
    assert outcomes == {"bad": "failed", "good": "passed", "bundle:1": "passed", "sum:1": "passed"}
    assert found["bundle:1"].members == ["good"] and found["sum:1"].members == ["bundle:1"]
    assert found["good"].bounds == (0, 10) and found["bad"].bounds == (0, 8)
    order = list(dict.fromkeys(limit for limit, _ in games.played))
    assert order == ["77", "2+0.02", "8+0.08"]
    assert len(list(Path("q-games").glob("*.pgn"))) == 4
    printed = capsys.readouterr().out
    assert "bad: failed" in printed and "sum:1: passed" in printed
    page = Path("q.html").read_text()
    for text in ("4 of 4 trials", "good", "razoring_margin=300", "Bundles", "Sums", "img"):
        assert text in page
    count = len(games.played)
    assert run() == 0 and len(games.played) == count  # nothing is left

    with open("q.txt", "a") as file:
        file.write("again: aspiration_margin=25\n")
    assert run("--untimed") == 0
    assert results()["again"].outcome == "passed" and "bundle:2" not in results()


def test_a_stopped_match_ends_like_one_that_was_not(
    games: Games, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q.txt").write_text(GOOD)
    words = ("--book", "book.epd", "--games", "400", "--untimed")
    assert run(*words) == 0
    whole, games.played = list(games.played), []
    score = results()["good"].score
    Path("q.json").unlink()

    games.stop_after = 7  # in the middle of the fourth pair
    assert run(*words) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert results()["good"].score.games == 6  # the half pair is played again
    half, games.played, games.stop_after = list(games.played), [], None
    assert run("--untimed") == 0
    length = score.games  # what the runner played before it was stopped does not count
    assert (half[:6] + games.played)[:length] == whole[:length]
    assert results()["good"].score == score


def test_a_kill_between_two_saves_costs_nothing_saved(games: Games) -> None:
    Path("q.txt").write_text(GOOD)
    assert run("--book", "book.epd", "--games", "400", "--untimed") == 0
    stored = json.loads(Path("q.json").read_text())
    stored["trials"][0]["outcome"] = ""  # killed after the games, before the verdict
    Path("q.json").write_text(json.dumps(stored))
    count = len(games.played)
    assert run("--untimed") == 0
    assert results()["good"].outcome == "passed" and len(games.played) == count


def test_a_full_disk_keeps_the_last_results(
    games: Games, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q.txt").write_text(GOOD)
    assert run("--book", "book.epd", "--games", "8", "--untimed") == 0
    before = Path("q.json").read_bytes()
    with open("q.txt", "a") as file:
        file.write(f"\n{BAD}\n")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert run("--untimed") == 1
    assert "No space left on device" in capsys.readouterr().err
    assert Path("q.json").read_bytes() == before and not list(Path().glob(".*part"))
    assert run("--untimed") == 0 and set(results()) == {"good", "bad"}


def test_commits_are_merged_with_the_base(games: Games) -> None:
    git("checkout", "--quiet", "-b", "one")
    commit("one.py", "1\n", "one")
    git("checkout", "--quiet", "-b", "clash", "main")
    commit("one.py", "2\n", "clash")
    git("checkout", "--quiet", "main")
    base = commit("base.py", "base\n", "base")
    games.wins = lambda first: True
    Path("q.txt").write_text("one: one\nclash: clash\nnowhere: nowhere\nold: main~1\n")
    before = git("count-objects")
    assert run("--book", "book.epd", "--games", "400", "--bundle", "2") == 0
    found = results()
    assert found["one"].outcome == found["clash"].outcome == "passed"
    assert found["nowhere"].outcome == "broken" and "no commit" in found["nowhere"].reason
    assert found["old"].reason == "it changes nothing"
    assert found["bundle:1"].members == ["one"]  # the other one conflicts with it
    assert "left out of bundle:1" in found["clash"].reason and "one.py" in found["clash"].reason
    assert found["one"].change.revisions == [git("rev-parse", "one")]
    checkouts = [path for path in Path("cache").iterdir() if (path / "engine.py").exists()]
    assert base in {path.name for path in checkouts}
    merged = [path for path in checkouts if (path / "one.py").exists()]
    assert merged and all((path / "base.py").exists() for path in merged)
    assert git("count-objects") == before  # nothing was written into the repository


def test_a_merge_has_always_the_same_name(folder: Path) -> None:
    git("checkout", "--quiet", "-b", "one")
    one = commit("one.py", "1\n", "one")
    git("checkout", "--quiet", "main")
    base = commit("base.py", "base\n", "base")
    names = set()
    for cache in ("a", "b"):
        sources = Sources(folder, folder / cache)
        names.add(sources.merged(base, [one]))
        assert sources.merged(base, []) == sources.merged(base, [base]) == base
        files = sorted(
            path.name for path in sources.checkout(sources.merged(base, [one])).iterdir()
        )
        assert files == [
            "base.py", "engine.py", "one.py"]  # fmt: skip
    assert len(names) == 1
    git("checkout", "--quiet", "-b", "two", "main~1")
    two = commit("base.py", "another\n", "two")
    with pytest.raises(MergeConflictError, match=r"base\.py"):
        sources.merged(base, [two])


def test_trouble_voids_a_match(games: Games, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("q.txt").write_text(GOOD)
    clean = games.play

    def crashes(fen: str, white: int) -> chess.pgn.Game:
        game = clean(fen, white)
        if games.conditions.nodes is None:
            game.headers["Termination"] = "abandoned"
        return game

    monkeypatch.setattr(games, "play", crashes)
    assert run("--book", "book.epd", "--games", "400") == 0
    found = results()
    assert found["bundle:1"].outcome == "not clean" and "abandoned" in found["bundle:1"].reason
    assert "sum:1" not in found
    monkeypatch.setattr(games, "play", clean)
    assert run() == 0  # played anew
    assert results()["bundle:1"].outcome == "passed" and not results()["bundle:1"].score.troubles


def test_lines_may_change_until_they_are_played(games: Games) -> None:
    queue = Queue({})
    path = Path("q.txt")
    path.write_text(f"{GOOD}\n{BAD}\n")
    queue.update(read_queue(path))
    path.write_text(f"{GOOD}\nother: branch\nbad: razoring_margin=310\n")
    queue.update(read_queue(path))
    assert [(t.name, t.text) for t in queue.trials] == [
        ("good", "aspiration_margin=20"), ("other", "branch"), ("bad", "razoring_margin=310")
    ]  # fmt: skip
    queue.trials[0].score = Score(NEW, wins=1, losses=1, pairs=[0, 0, 1, 0, 0])
    path.write_text("good: aspiration_margin=21\n")
    with pytest.raises(ValueError, match="new name"):
        queue.update(read_queue(path))
    path.write_text("")
    queue.update(read_queue(path))
    assert [trial.name for trial in queue.trials] == ["good"]  # what was played stays


@pytest.mark.parametrize(
    "line, message",
    [
        ("no colon", "looks like"),
        ("two words: main", "a name consists"),
        ("../up: main", "a name consists"),
        ("x:", "changes nothing"),
        ("x: one two", "one commit"),
        ("x: nothing_like_it=3", "no constant"),
        ("x: razoring_margin=9999", "80 to 500"),
        ("x: razoring_margin=much", "whole number"),
        ("x: main [8, 0]", "elo0 < elo1"),
        ("x: main [8]", "bounds"),
        (f"{BAD}\n{BAD}", "two patches"),
    ],
)
def test_lines_that_are_no_patches(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "q.txt"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=message) as raised:
        read_queue(path)
    assert str(raised.value).startswith(f"{path}:")


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "--book FILE is needed"),
        (("--book", "nowhere.epd"), "nowhere.epd"),
        (("--book", "book.epd", "--short", "fast"), "8+0.08"),
        (("--book", "book.epd", "--games", "1"), "at least 2"),
        (("--book", "book.epd", "--base", "nowhere"), "no commit is called nowhere"),
        (("--book", "book.epd", "--base=-x"), "not a commit"),
        (("--book", "book.epd", "--bundle", "0"), "at least 1"),
        (("--book", "book.epd", "--repository", "cache/.."), ""),
    ],
)
def test_bad_settings(
    games: Games, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    Path("q.txt").write_text(GOOD)
    if not message:
        assert run(*words, "--games", "4", "--untimed") == 0
        assert run("--nodes", "5") == 1
        assert "this queue has --nodes 20000, not 5" in capsys.readouterr().err
        Path("q.json").write_text("[]")
        assert run() == 1
        assert "q.json: not the results of a queue" in capsys.readouterr().err
        return
    assert run(*words) == 1
    assert message in capsys.readouterr().err
    assert not Path("q.json").exists()


def test_one_queue_at_a_time(games: Games, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q.txt").write_text(GOOD)
    with open("cache/lock", "ab") as file:
        lock(file, Path("cache/lock"))
        assert run("--book", "book.epd") == 1
    assert "another process" in capsys.readouterr().err


def test_the_command_of_a_checkout(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    words = command_of(command_at(folder, "--tunables"))
    assert words[1] == "-c" and words[3:] == [str(folder), "--tunables"]
    assert words[2] == command_of("wadjet")[2]
