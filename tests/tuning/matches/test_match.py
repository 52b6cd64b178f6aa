"""Games of match tools are counted right, and the built-in match plays."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.eval.network.loading import SHIPPED_PATH
from openings.game_text import GameText, split_games
from tests.tuning import fake_engine
from tests.tuning.fake_engine import COMMAND, XBOARD_COMMAND
from tuning.__main__ import main
from tuning.matches import commits
from tuning.matches.openings import shuffled, write_random_openings
from tuning.matches.rules import Conditions, Contender
from tuning.matches.runner import choose_tool, play_match
from tuning.matches.score import GameReader, Score
from tuning.matches.tools import TOOLS, _cutechess, _end, _fastchess
from tuning.selfplay.starts import Book

FASTCHESS = """[Event "Fastchess Tournament"]
[Round "{round}"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[Termination "{termination}"]

1. e4 {{+0.20/12 0.1s}} e5 {{-0.10/11 0.1s, {end}}} {result}

"""


def game(
    number: int, white: str, black: str, result: str, termination: str = "normal", end: str = ""
) -> str:
    return FASTCHESS.format(
        round=number,
        white=white,
        black=black,
        result=result,
        termination=termination,
        end=end or "White mates",
    )


def parsed(text: str) -> GameText:
    (found,) = split_games(text.splitlines(keepends=True))
    return found


def test_pairs_are_put_together_by_their_round() -> None:
    score = Score("new")
    for text in (
        game(1, "new", "base", "1-0"),
        game(2, "new", "base", "1/2-1/2", end="Draw by stalemate"),
        game(2, "base", "new", "1-0"),
        game(1, "base", "new", "0-1", end="Black mates"),
        game(3, "new", "base", "0-1"),  # its second game is still on
    ):
        score.add(parsed(text))
    assert (score.wins, score.draws, score.losses) == (2, 1, 2)
    assert score.pairs == [0, 1, 0, 0, 1]
    assert score.ends["White mates"] == 3 and not score.troubles
    assert "pairs 0 1 0 0 1" in score.report()


@pytest.mark.parametrize(
    "termination, end",
    [
        ("time forfeit", "Black loses on time (12ms overrun)"),
        ("illegal move", "Black makes an illegal move"),
        ("abandoned", "Black disconnects"),
    ],
)
def test_games_that_say_nothing_about_chess_are_named(termination: str, end: str) -> None:
    score = Score("new")
    score.add(parsed(game(1, "new", "base", "1-0", termination, end)))
    assert list(score.troubles) == [f"base: {end.split(' (')[0]}"]
    assert "NOT CLEAN" in score.report()


def test_an_unfinished_game_is_no_result() -> None:
    score = Score("new")
    score.add(parsed(game(1, "new", "base", "*", "unterminated", "No result")))
    assert score.games == 0 and score.troubles == {"No result": 1}  # nobody's fault


def test_a_draw_with_trouble_is_blamed_on_nobody() -> None:
    score = Score("new")
    score.add(parsed(game(1, "new", "base", "1/2-1/2", "time forfeit", "Draw by timeout")))
    assert score.draws == 1 and score.troubles == {"Draw by timeout": 1}


def test_a_growing_file_is_read_game_by_game(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    reader = GameReader(path)
    assert reader.new_games() == []
    texts = [game(number, "a", "b", "1-0") for number in range(3)]
    written = "".join(texts)
    found = []
    for end in range(0, len(written) + 1, 37):
        path.write_text(written[:end], encoding="utf-8")
        found += reader.new_games()
    path.write_text(written, encoding="utf-8")
    found += reader.new_games(all_written=True)
    assert [(one.tags, one.words, one.result) for one in found] == [
        (one.tags, one.words, one.result) for one in map(parsed, texts)
    ]


def test_a_tool_that_is_not_there() -> None:
    assert choose_tool("built-in") == "built-in"
    with pytest.raises(OSError, match="no-such-tool"):
        choose_tool("no-such-tool")


def test_the_tool_for_an_xboard_engine_knows_its_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuning.matches.runner.shutil.which", lambda name: f"bin/{name}")
    assert choose_tool(None, (COMMAND, COMMAND)) == "bin/fastchess"
    assert choose_tool(None, (COMMAND, XBOARD_COMMAND)) == "bin/cutechess-ob"
    monkeypatch.setattr("tuning.matches.runner.shutil.which", lambda name: None)
    assert choose_tool(None, (COMMAND, XBOARD_COMMAND)) == "built-in"


@pytest.mark.parametrize(
    "words, message, status",
    [
        (["--tool", "no-such-tool"], "no-such-tool", 1),
        (["--tc", "fast"], "8+0.08", 2),
        (["--book", "no-such-book.pgn"], "no-such-book", 1),
        (["--sprt", "7,5"], "elo0 < elo1", 2),
        (["--sprt=-7"], "look like 0,5", 2),
        (["--option", "Hash"], "NAME=VALUE", 2),
        (["--own-option", "Hash"], "NAME=VALUE", 2),
    ],
)
def test_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str, status: int
) -> None:
    pgn = tmp_path / "match.pgn"
    assert main(["match", "wadjet", "wadjet", "-o", str(pgn), *words]) == status
    assert message in capsys.readouterr().err
    assert not pgn.exists()


def test_network_and_own_options_are_of_one_side(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = []

    def play_match(
        _tool: str, first: Contender, second: Contender, conditions: Conditions, *_: object
    ) -> Score:
        options.extend([first.options, second.options, conditions.options])
        return Score(first.name)

    monkeypatch.setattr("tuning.commands.match.play_match", play_match)
    shutil.copy(SHIPPED_PATH, tmp_path / "demo.nnue")
    monkeypatch.chdir(tmp_path)
    words = ["match", "demo.nnue", "wadjet", "--tool", "built-in", "--option", "Hash=8"]
    words += ["--own-option", "Threads=2", "--book", str(book), "--games", "2"]
    assert main([*words, "-o", str(tmp_path / "match.pgn")]) == 0
    network = {"EvalFile": str(tmp_path / "demo.nnue")}
    assert options == [{**network, "Threads": "2"}, {}, {"Hash": "8"}]


@pytest.mark.parametrize(
    "words", [["damaged.nnue", "wadjet"], ["wadjet", "damaged.nnue"],
              ["wadjet", "wadjet", "--option", "EvalFile=damaged.nnue"],
              ["wadjet", "wadjet", "--own-option", "EvalFile=damaged.nnue"]],
)  # fmt: skip
def test_a_network_that_does_not_load_is_not_replaced_by_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "damaged.nnue").write_bytes(b"no network")
    assert main(["match", *words, "--tool", "built-in", "--nodes", "1", "--games", "2"]) == 1
    assert "damaged.nnue: not a Wadjet network" in capsys.readouterr().err


@pytest.mark.parametrize("engines", [["/no/such/engine", "wadjet"], ["wadjet", "nothing-there"]])
def test_a_missing_engine_is_told_before_anything_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, engines: list[str]
) -> None:
    monkeypatch.setattr("tuning.commands.match._play", None)
    assert main(["match", *engines]) == 1
    missing = next(engine for engine in engines if engine != "wadjet")
    told = f"wadjet-tune match: {missing}: no such program, and no commit of this folder\n"
    assert capsys.readouterr().err == told


def test_a_file_that_exists_is_refused(
    tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fake = Path(sys.executable).name
    words = ["match", COMMAND, COMMAND, "--tool", "built-in", "--nodes", "1", "--games", "2"]
    words += ["--book", str(book)]
    assert main(words) == 0
    pgn = tmp_path / f"{fake}-{fake}.pgn"
    assert f"games: {pgn.name}" in capsys.readouterr().out
    before = pgn.read_bytes()
    assert main(words) == 1 and main([*words, "-o", str(pgn)]) == 1
    assert f"{pgn.name}: exists already" in capsys.readouterr().err
    assert pgn.read_bytes() == before


def test_repeated_openings_at_fixed_nodes_are_refused_with_a_number(
    tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book.write_text(
        book.read_text(encoding="utf-8") * 3, encoding="utf-8"
    )  # the same opening three times is one
    words = ["match", COMMAND, COMMAND, "--book", str(book), "-o", str(tmp_path / "match.pgn")]
    assert main([*words, "--nodes", "1", "--games", "4"]) == 1
    told = "1 openings make 2 different games at fixed nodes, not 4"
    assert told in capsys.readouterr().err


def test_each_opening_is_played_once_before_any_is_again(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    fens = [f"k7/8/1K6/8/8/8/8/7R w - - {clock} 1" for clock in range(9)]
    path.write_text("\n".join(fens), encoding="utf-8")
    openings = shuffled(Book(path), seed=3)
    first, second = list(islice(openings, 9)), list(islice(openings, 9))
    assert sorted(first) == sorted(second) == fens and fens != first != second
    assert first == list(islice(shuffled(Book(path), seed=3), 9))
    assert first != list(islice(shuffled(Book(path), seed=4), 9))


@pytest.mark.jit_only
def test_random_openings_are_all_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "openings.epd"
    for fixed_nodes, count in ((True, 20), (False, 15)):
        monkeypatch.setattr("tuning.matches.openings.MOST_RANDOM", 15)
        write_random_openings(path, 20, fixed_nodes, seed=1)
        assert len(set(path.read_text(encoding="utf-8").splitlines())) == len(Book(path)) == count


def test_a_side_may_be_a_commit(
    tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files are checked out into the cache once, and its engine runs from there."""
    repository, cache = tmp_path / "repository", tmp_path / "cache"
    repository.mkdir()
    source = Path(fake_engine.__file__).read_text(encoding="utf-8")
    (repository / "wadjet.py").write_text(
        f"{source}\n\ndef run_engine():\n    main()\n", encoding="utf-8"
    )
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=b"]
    for words in (["init", "-q", "-b", "topic"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    monkeypatch.setattr(commits, "cache_folders", lambda: [cache])
    monkeypatch.chdir(repository)
    words = ["match", "topic", COMMAND, "--tool", "built-in", "--nodes", "1", "--games", "2"]
    assert main([*words, "--book", str(book)]) == 0
    assert "2 games: " in capsys.readouterr().out
    assert '[White "topic"]' in (repository / f"topic-{Path(sys.executable).name}.pgn").read_text(
        encoding="utf-8"
    )
    assert [path.name for path in (cache / "commits").iterdir()] == [commits.resolve("topic")]
    assert main(["match", "no-such-branch", COMMAND]) == 1
    assert "no-such-branch: no such program, and no commit" in capsys.readouterr().err


def test_opponents_after_one_that_fails_still_play(
    tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["match", COMMAND, f'"{sys.executable}" -c pass', COMMAND]
    words += ["--tool", "built-in", "--nodes", "1", "--games", "2", "--book", str(book)]
    assert main([*words, "-o", str(tmp_path / "match.pgn")]) == 1
    printed = capsys.readouterr()
    assert "not a UCI engine" in printed.err and printed.err.count("\n") < 5
    assert "2 games: " in printed.out.partition("2-python")[2]


# --- Match tools ---------------------------------------------------------------------------------

TOOL = """#!{python}
import json, os, sys
seen = {{"words": sys.argv[1:], "python path": os.environ.get("PYTHONPATH"), "cwd": os.getcwd()}}
open({log!r}, "w").write(json.dumps(seen))
path = sys.argv[sys.argv.index("-pgnout") + 1].removeprefix("file=")
open(path, "a").write({games!r})
print("what the tool said last")
sys.exit({status})
"""
PAIR = game(1, "wadjet", "1-wadjet", "1-0") + game(1, "1-wadjet", "wadjet", "1-0")


def fake_tool(folder: Path, games: str, status: int) -> Path:
    path = folder / "fastchess-fake"
    log = str(folder / "log")
    path.write_text(
        TOOL.format(python=sys.executable, log=log, games=games, status=status), encoding="utf-8"
    )
    path.chmod(0o755)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
@pytest.mark.parametrize(
    "games, status, wanted",
    [(PAIR, 0, 0), (PAIR, 3, 1), (game(1, "wadjet", "1-wadjet", "1-0"), 0, 1)],
)
def test_a_match_that_breaks_off_is_reported_and_fails(
    tmp_path: Path,
    book: Path,
    capsys: pytest.CaptureFixture[str],
    games: str,
    status: int,
    wanted: int,
) -> None:
    tool = fake_tool(tmp_path, games, status)
    words = ["match", "wadjet", "wadjet", "--tool", str(tool), "--games", "2", "--book", str(book)]
    assert main([*words, "-o", str(tmp_path / "match.pgn")]) == wanted
    printed = capsys.readouterr()
    count = games.count("[Event")
    assert f"{count} games: +1" in printed.out
    told = f"ended after {count} of 2 games: exit status {status}: what the tool said last"
    assert (told in printed.err) == (wanted == 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_the_tool_runs_elsewhere_and_hands_nothing_down(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    tool = str(fake_tool(tmp_path, PAIR, 0))
    contenders = Contender("new", "wadjet"), Contender("base", COMMAND)
    play_match(tool, *contenders, Conditions(book, rounds=1), Path("match.pgn"), lambda score: True)
    seen = json.loads((tmp_path / "log").read_text(encoding="utf-8"))
    assert seen["python path"] is None and seen["cwd"] != str(tmp_path)


@pytest.mark.parametrize("make", [_fastchess, _cutechess])
def test_engines_run_where_the_user_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bin" / "engine.exe"
    program.parent.mkdir()
    program.write_text("", encoding="utf-8")
    program.chmod(0o755)
    python = Path(sys.executable)
    monkeypatch.setenv("PATH", str(python.parent))
    conditions = Conditions(tmp_path / "book.epd", rounds=3, adjudicate=True)

    def words(*commands: str) -> list[str]:
        contenders = (Contender(f"{n}", command) for n, command in enumerate(commands))
        return make(*contenders, conditions, Path("match.pgn"))

    found = words("bin/engine.exe --name 'two words'", f"{python.name} -m uci")
    second = found.index("-engine", 1)
    first_engine, second_engine = found[:second], found[second : found.index("-each")]
    assert f"cmd={program}" in first_engine and f"cmd={python}" in second_engine
    for engine_words in (first_engine, second_engine):
        assert f"dir={tmp_path}" in engine_words
    arguments = [word for word in first_engine if word.startswith("arg")]
    if make is _fastchess:
        assert arguments == ['args=--name "two words"']
        assert "-force-concurrency" in found  # more games than cores may be wanted
    else:
        assert arguments == ["arg=--name", "arg=two words"]
    assert {str(tmp_path / "match.pgn"), f"file={tmp_path / 'match.pgn'}"} & set(found)
    resign = found.index("-resign")
    assert found[resign + 1 : resign + 3] == ["movecount=4", "score=700"]
    assert found[resign + 3 :] == ["-draw", "movenumber=40", "movecount=8", "score=10"]
    with pytest.raises(OSError, match="no-such-engine: no such program"):
        words("wadjet", "no-such-engine")


@pytest.mark.parametrize("make", [_fastchess, _cutechess])
def test_variants_and_own_options_are_passed_on(
    tmp_path: Path, make: Callable[..., list[str]]
) -> None:
    ours = Contender("new", COMMAND, {"OwnBook": "true"})
    conditions = Conditions(tmp_path / "a.epd", 1, chess960=True)
    words = make(ours, Contender("base", COMMAND), conditions, tmp_path / "a.pgn")
    second = words.index("-engine", 1)
    assert "option.OwnBook=true" in words[:second] and words.count("option.OwnBook=true") == 1
    assert words[words.index("-variant") + 1] == "fischerandom"
    pondering = replace(conditions, ponder=True)
    if make is _cutechess:
        assert "ponder" in make(ours, ours, pondering, tmp_path / "a.pgn")
    else:
        with pytest.raises(OSError, match="ponder"):
            make(ours, ours, pondering, tmp_path / "a.pgn")


def test_each_engine_speaks_its_own_protocol(tmp_path: Path) -> None:
    conditions = Conditions(tmp_path / "a.epd", 1, options={"Hash": "16"})
    contenders = Contender("new", COMMAND), Contender("old", XBOARD_COMMAND)
    words = _cutechess(*contenders, conditions, tmp_path / "a.pgn")
    second = words.index("-engine", 1)
    uci, xboard = words[:second], words[second : words.index("-each")]
    assert "proto=uci" in uci and "option.Hash=16" in uci
    assert "proto=xboard" in xboard and "option.memory=16" in xboard
    with pytest.raises(OSError, match="old: fastchess knows no XBoard engines"):
        _fastchess(*contenders, conditions, tmp_path / "a.pgn")


@pytest.mark.parametrize("platform, wanted", [("linux", signal.SIGINT), ("win32", None)])
def test_a_tool_is_ended_as_its_system_can(
    monkeypatch: pytest.MonkeyPatch, platform: str, wanted: int | None
) -> None:
    ended_by: list[int | None] = []
    process: Any = SimpleNamespace(
        send_signal=ended_by.append,
        terminate=lambda: ended_by.append(None),
        wait=lambda timeout: None,
    )
    with monkeypatch.context() as patch:
        patch.setattr("tuning.matches.tools.sys.platform", platform)
        _end(process)
    assert ended_by == [wanted]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("variant", ["standard", "chess960"])
def test_installed_tools_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, book: Path, tool: str, variant: str
) -> None:
    """The real programs, where they are installed."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    monkeypatch.chdir(tmp_path)
    pgn, log = tmp_path / "match.pgn", tmp_path / "match.log"
    conditions = Conditions(book, 1, nodes=10, chess960=variant == "chess960", log=log)
    fake = f"{COMMAND} --score 0"
    score = play_match(
        str(shutil.which(tool)),
        Contender("new", fake, {"Hash": "2"}),
        Contender("base", fake),
        conditions,
        pgn,
        lambda score: True,
    )
    assert score.games == 2 and not score.troubles
    assert len(GameReader(pgn).new_games(all_written=True)) == 2
