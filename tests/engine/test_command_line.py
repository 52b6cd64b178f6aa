"""Commands that cannot run say what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.command_line import Subcommand, UsageError, run_command

COMMAND = """
{first}
def add_arguments(parser):
    pass
def run(arguments):
    {then}
    return 0
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package of commands: one lacks something from the start, one when it runs."""
    name = f"commands_of_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    folder.mkdir()
    for file, first, then in (
        ("early", "import no_such_package.part", ""),
        ("late", "", "import no_such_package"),
        ("ours", "import engine.no_such_module", ""),
        ("good", "", ""),
    ):
        (folder / f"{file}.py").write_text(COMMAND.format(first=first, then=then), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def run(package: str, command: str, extra: str | None = "tuning") -> int:
    commands = {name: Subcommand(name, "nothing") for name in ("early", "late", "ours", "good")}
    return run_command("program", "Tries.", package, commands, [command], extra)


@pytest.mark.parametrize("command", ["early", "late"])
def test_a_missing_package_is_named_with_its_remedy(
    package: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(package, "good") == 0
    assert run(package, command) == 1
    told = 'the package no_such_package is missing: pip install "wadjet[tuning]"'
    assert capsys.readouterr().err == f"program {command}: {told}\n"


def test_a_fault_of_ours_keeps_its_traceback(package: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        run(package, "ours")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        run(package, "early", extra=None)


@pytest.mark.parametrize(
    "words, meant",
    [(["goood"], "good"), (["laet"], "late"), (["good", "--hlep"], "--help"), (["xyz"], None),
     (["good", "--zzzz"], None)],
)  # fmt: skip
def test_what_is_mistyped_is_answered_with_what_it_may_mean(
    package: str, words: list[str], meant: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = {name: Subcommand(name, "nothing") for name in ("late", "good")}
    with pytest.raises(SystemExit) as left:
        run_command("program", "Tries.", package, commands, words)
    said = capsys.readouterr().err
    assert left.value.code == 2
    assert said.endswith(f", did you mean {meant}?\n") if meant else "did you mean" not in said


def test_arguments_that_make_no_sense_end_with_2(
    package: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import import_module

    def refuse(arguments: object) -> int:
        raise UsageError("--games must be more than 0")

    monkeypatch.setattr(import_module(f"{package}.good"), "run", refuse)
    assert run(package, "good") == 2
    assert capsys.readouterr().err == "program good: --games must be more than 0\n"


def test_errors_of_the_system_are_told_without_their_numbers(
    package: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import import_module

    def fail(arguments: object) -> int:
        open("/no/such/file", encoding="utf-8")  # noqa: SIM115 - it fails
        return 0

    monkeypatch.setattr(import_module(f"{package}.good"), "run", fail)
    assert run(package, "good") == 1
    assert capsys.readouterr().err == "program good: /no/such/file: No such file or directory\n"
