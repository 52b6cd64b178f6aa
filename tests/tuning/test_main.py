"""The table of commands and the command line."""

from __future__ import annotations

import argparse
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import tuning.commands
from engine.command_line import Subcommand
from tuning.__main__ import COMMANDS, RENAMED, main

USER_COMMANDS = [
    "average",
    "book",
    "calibrate",
    "emit",
    "evaluate",
    "fit",
    "import",
    "label",
    "losses",
    "match",
    "moves",
    "openings",
    "report",
    "sample",
    "selfplay",
    "show",
    "spsa",
    "suite",
    "train",
]


def test_every_module_of_the_folder_is_one_command() -> None:
    modules = sorted(module.name for module in pkgutil.iter_modules(tuning.commands.__path__))
    assert sorted(command.module for command in COMMANDS.values()) == modules


def test_the_names_that_users_type_stay() -> None:
    assert sorted(COMMANDS) == USER_COMMANDS


@pytest.mark.parametrize("name", USER_COMMANDS)
def test_help_of_each_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: wadjet-tune {name} ")
    assert COMMANDS[name].purpose.split()[0] in printed and "--help" in printed


def test_help_needs_no_optional_package() -> None:
    """In a process that finds none of them."""
    code = (
        "import sys, importlib.machinery\n"
        "find = importlib.machinery.PathFinder.find_spec\n"
        "gone = ('scipy', 'rich', 'matplotlib')\n"
        "importlib.machinery.PathFinder.find_spec = lambda name, *rest: (\n"
        "    None if name.split('.')[0] in gone else find(name, *rest))\n"
        "from tuning.__main__ import COMMANDS, main\n"
        "for name in COMMANDS:\n"
        "    try: main([name, '--help'])\n"
        "    except SystemExit as end: assert end.code in (0, None), name"
    )
    printed = _printed_by(code)
    assert printed.count("usage: wadjet-tune") == len(COMMANDS) and "--epochs" in printed


def test_only_the_command_that_runs_is_imported() -> None:
    code = (
        "import sys; from tuning.__main__ import main\n"
        "try: main(['show', '--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('tuning.commands.')])"
    )
    printed = _printed_by(code)
    assert printed.splitlines()[-1] == "['tuning.commands.show']"


def _printed_by(code: str) -> str:
    """By a process of its own."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout


@pytest.mark.parametrize("words", [[], ["no-such-command"], ["show"]])
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert "usage: wadjet-tune" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "book a.pgn --plies 0",
        "book a.pgn --margin -1",
        "calibrate levels --concurrency 0",
        "calibrate people a.tsv.xz --nodes 0",
        "emit a.npz --centipawns 0",
        "evaluate a.nnue a.positions --siblings 0",
        "import a.pgn -o a.positions --most-a-game 0",
        "label a.fen -o a.positions --static --engine x --concurrency 0",
        "losses a.pgn --last 0",
        "match a b --games 1",
        "match a b --nodes 0",
        "match a b --concurrency two",
        "openings a.pgn -o a.epd --count 0",
        "openings a.pgn -o a.epd --unbalanced -9 1",
        "sample -o a.positions --count 1e6",
        "sample -o a.positions --one-in 0",
        "selfplay -o a.games --book-percent 101",
        "selfplay -o a.games --soft-nodes 0",
        "selfplay -o a.games --random-plies 0",
        "spsa --nodes 0",
        "suite a.epd --movetime 0",
        "suite a.epd --stop-after -1",
    ],
)
def test_a_number_out_of_range_costs_nothing(
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(line.split())
    assert stopped.value.code == 2
    assert "is no whole number from" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", RENAMED)
def test_an_old_name_prints_the_new_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 2
    assert capsys.readouterr().err == f"wadjet-tune: {name} is now: {RENAMED[name]}\n"
    first = RENAMED[name].split()[0].strip(",")
    assert first in COMMANDS or RENAMED[name] == "python -m tests.soak"


def test_help_lists_the_commands_by_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    places = [printed.index(text) for text in ("train a network:", "  sample ", "tune constants:",
                                               "  fit ", "test a change:", "  match ")]  # fmt: skip
    assert places == sorted(places)


def failing(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, on_import: bool = False
) -> list[str]:
    """The words of a command that fails when it runs, or when it is imported."""

    def run(arguments: argparse.Namespace) -> int:
        raise error

    def imported(name: str) -> object:
        if on_import:
            raise error
        return argparse.Namespace(add_arguments=lambda parser: None, run=run)

    monkeypatch.setitem(COMMANDS, "fails", Subcommand("fails", "fail"))
    monkeypatch.setattr("engine.command_line.import_module", imported)
    return ["fails"]


@pytest.mark.parametrize(
    "error, message",
    [
        (ValueError("no such thing"), "wadjet-tune fails: no such thing\n"),
        (OSError("the disk is full"), "wadjet-tune fails: the disk is full\n"),
        (KeyboardInterrupt(), "interrupted; finished work is kept\n"),
    ],
)
def test_failures_are_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    message: str,
) -> None:
    assert main(failing(monkeypatch, error)) == 1
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("on_import", [True, False])
def test_a_missing_package_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], on_import: bool
) -> None:
    error = ModuleNotFoundError("missing", name="scipy.special")
    assert main(failing(monkeypatch, error, on_import)) == 1
    message = 'the package scipy is missing: pip install "wadjet[tuning]"'
    assert capsys.readouterr().err == f"wadjet-tune fails: {message}\n"


@pytest.mark.parametrize(
    "error", [KeyError("a bug"), ModuleNotFoundError("ours", name="engine.no_such_module")]
)
def test_our_own_errors_keep_their_traceback(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    with pytest.raises(type(error)):
        main(failing(monkeypatch, error))
