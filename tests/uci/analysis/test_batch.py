"""What is known of an analysis that was interrupted."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import chess
import pytest
from chess.pgn import Game, GameNode

from tests.uci.analysis.made import made_analysis
from uci.analysis.batch import Unfinished
from uci.analysis.lines import Analysis

FIRST = Game().add_main_variation(chess.Move.from_uci("e2e4"))
SECOND = FIRST.add_main_variation(chess.Move.from_uci("e7e5"))
THIRD = SECOND.add_main_variation(chess.Move.from_uci("g1f3"))
FOUND = made_analysis(60, "e2e4")
SETTINGS = {"limits": "200 ms"}


def interrupted(path: Path, *nodes: GameNode, settings: dict[str, str] = SETTINGS) -> None:
    with suppress(KeyboardInterrupt), Unfinished(path, settings) as known:
        for node in nodes:
            known.add(node, FOUND)
        raise KeyboardInterrupt


def test_an_analysis_survives_the_file() -> None:
    assert Analysis.from_json(json.loads(json.dumps(FOUND.as_json()))) == FOUND


def test_what_was_found_is_known_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "file"
    interrupted(path, FIRST)
    interrupted(path, SECOND)
    with Unfinished(path, SETTINGS) as known:
        assert len(known) == 2 and FIRST in known
        assert known[SECOND] == FOUND
        assert THIRD not in known
    assert not path.exists()  # it is finished


def test_other_settings_begin_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    interrupted(path, FIRST)
    interrupted(path, SECOND, settings={"limits": "1 ms"})
    with Unfinished(path, {"limits": "1 ms"}) as known:
        assert FIRST not in known and SECOND in known


def test_a_record_that_was_cut_off_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "file"
    interrupted(path, FIRST, SECOND)
    path.write_bytes(path.read_bytes()[:-20])
    interrupted(path, THIRD)
    with Unfinished(path, SETTINGS) as known:
        assert FIRST in known and SECOND not in known and THIRD in known


@pytest.mark.parametrize("text", ["", "\n", "{}\n", "no JSON\n", '{"limits": "200 ms"}\n[1]\nx\n'])
def test_a_damaged_file_is_no_obstacle(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    interrupted(path, FIRST)
    with Unfinished(path, SETTINGS) as known:
        assert len(known) == 1


def test_nothing_found_leaves_nothing(tmp_path: Path) -> None:
    interrupted(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
