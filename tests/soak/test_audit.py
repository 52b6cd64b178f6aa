"""Games are audited: who forfeited, what was illegal, how low the clocks sank."""

from __future__ import annotations

from pathlib import Path

import pytest

from openings.game_text import GameText, split_games
from tests.soak.audit import Audit, audit_file
from tests.soak.parts import PARTS
from tests.soak.playing import faults_of

GAME = """[Event "match"]
[White "{white}"]
[Black "{black}"]
[Result "{result}"]
[Termination "{termination}"]

1. f3 {{0.00/3 0.250s}} e5 {{-0.10/3 0.100s}} 2. g4 {{0.00/3 0.500s}} {last} {result}

"""
MATE = "Qh4# {+M1/3 0.010s, Black mates}"


def game_text(text: str) -> GameText:
    (game,) = split_games(text.splitlines(keepends=True))
    return game


def audit_of(
    result: str,
    last: str = MATE,
    white: str = "wadjet",
    black: str = "other",
    termination: str = "normal",
) -> Audit:
    audit = Audit({"wadjet", "0-wadjet"})
    text = GAME.format(white=white, black=black, result=result, last=last, termination=termination)
    audit.add(game_text(text), (1.0, 0.01))
    return audit


def test_a_clean_game() -> None:
    audit = audit_of("0-1")
    assert audit.count == 0 and not audit.others_faults
    assert audit.ends == {"mates": 1}
    assert audit.lowest_ms == {"wadjet": 260, "other": 900}


def test_losses_on_time_have_an_owner() -> None:
    end = "Nf6 {0.00/3 0.010s, White loses on time}"
    audit = audit_of("0-1", end, termination="time forfeit")
    assert audit.time_losses == {"wadjet": 1} and audit.count == 1
    late = audit_of("0-1", end.replace("time", "time (13ms overrun)"), termination="time forfeit")
    assert late.ends == audit.ends == {"loses on time": 1}
    audit = audit_of("0-1", end, "other", "wadjet", termination="time forfeit")
    assert audit.time_losses == {"other": 1} and audit.count == 0
    assert (audit.own_time_losses, audit.others_time_losses) == (0, 1)
    itself = audit_of("0-1", end, "0-wadjet", "wadjet", termination="time forfeit")
    assert (itself.own_time_losses, itself.others_time_losses) == (1, 0) and itself.count == 1


def test_in_a_crowd_forfeits_are_compared_with_those_of_others() -> None:
    end = "Nf6 {0.00/3 0.010s, White loses on time}"
    audit = audit_of("0-1", end, termination="time forfeit")
    assert faults_of(PARTS["bullet"], audit) == faults_of(PARTS["crowded"], audit) == 1
    text = GAME.format(
        white="other", black="wadjet", result="0-1", last=end, termination="time forfeit"
    )
    audit.add(game_text(text), (1.0, 0.01))
    assert (faults_of(PARTS["bullet"], audit), faults_of(PARTS["crowded"], audit)) == (1, 0)


def test_what_is_not_chess_is_a_fault() -> None:
    assert audit_of("0-1", "Qh8 {0.00/3 0.010s}").count == 1
    assert "move 2, Qh8, is illegal" in audit_of("0-1", "Qh8 {0.00/3 0.010s}").faults[0]
    assert audit_of("1/2-1/2").faults == ["wadjet - other: 0-1 by the board"]


@pytest.mark.parametrize(
    "fen, moves, result, ours, fault",
    [
        ("6k1/8/8/8/8/8/1r6/K6Q w - - 0 1", "1. Kxb2 Kg7", "1/2-1/2", "White", "a won 6k1/8"),
        ("6k1/8/8/8/8/8/1r6/K6Q w - - 0 1", "1. Kxb2 Kg7", "1-0", "White", ""),
        ("6k1/8/8/8/8/8/1r6/K6Q w - - 0 1", "1. Kxb2 Kg7", "1/2-1/2", "Black", ""),
        ("6k1/8/8/8/8/8/1r6/K6R w - - 0 1", "1. Kxb2 Kg7", "1/2-1/2", "White", "a won 6k1/8"),
        ("7k/8/8/8/8/7r/1q6/K5R1 w - - 0 1", "1. Kxb2 Kh7", "0-1", "White", "a drawn 7k/8"),
        ("7k/8/8/8/8/7r/1q6/K5R1 w - - 0 1", "1. Kxb2 Kh7", "1/2-1/2", "White", ""),
    ],
)
def test_small_endings_are_played_as_the_tablebases_say(
    fen: str, moves: str, result: str, ours: str, fault: str
) -> None:
    names = {"White": "other", "Black": "other", ours: "wadjet"}
    headers = "".join(f'[{colour} "{name}"]\n' for colour, name in names.items())
    audit = Audit({"wadjet"})
    text = f'{headers}[Result "{result}"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n{moves} {result}\n\n'
    audit.add(game_text(text), None)
    assert audit.games == 1 and bool(audit.faults) == bool(fault)
    assert all(fault in found for found in audit.faults)
    late = text.replace(moves, f"{moves} {{White loses on time}}")
    audit = Audit({"wadjet"})
    audit.add(game_text(late), None)
    assert not audit.faults  # that is counted as such


def test_disconnections_have_an_owner() -> None:
    end = "Nf6 {0.00/3 0.010s, White disconnects}"
    assert audit_of("0-1", end, termination="abandoned").count == 1
    other = audit_of("0-1", end, "other", "wadjet", termination="abandoned")
    assert other.count == 0 and len(other.others_faults) == 1


def test_warnings_of_the_tool_are_faults_of_whom_they_name(tmp_path: Path) -> None:
    pgn, log = tmp_path / "a.pgn", tmp_path / "a.log"
    pgn.write_text(
        GAME.format(white="wadjet", black="o", result="0-1", last=MATE, termination="-"),
        encoding="utf-8",
    )
    log.write_text(
        "Started game 1 of 2 (wadjet vs o)\n"
        "Warning; Illegal PV move - move e2e5 from wadjet\n"
        "Warning; Incomplete mating PV - from o\n",
        encoding="utf-8",
    )
    audit = Audit({"wadjet"})
    audit_file(pgn, log, audit, None)
    assert (audit.games, len(audit.faults), len(audit.others_faults)) == (1, 1, 1)
    assert not audit.lowest_ms
