"""Counting what a file holds."""

from __future__ import annotations

from pathlib import Path

import chess
import numpy as np
import pytest

from engine.board.move import DOUBLE_PUSH
from tests.tuning.positions import random_positions
from tuning.__main__ import main
from tuning.data import contents
from tuning.data.dataset import NO_RESULT, NO_SCORE, RECORD, Dataset
from tuning.data.games import GameFile, GameRecord
from tuning.data.writers import fens


def test_counts_are_those_of_the_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "PART", 17)
    records = random_positions(60).view(RECORD).copy()
    records["score"] = np.arange(60) * 40 - 1200
    records["score"][5] = NO_SCORE
    records["result"] = np.arange(60) % 3
    records["result"][7:9] = NO_RESULT
    records["starts_game"] = np.arange(60) % 20 == 0
    dataset = Dataset(records, ["one"])
    path = tmp_path / "a.positions"
    dataset.save(path)
    found = contents.contents(path)
    assert found.positions == 60 and found.games == 3
    assert found.results.tolist() == [20, 19, 19, 2]
    assert found.sources == {"one": 59} and found.scores[-1] == 1
    assert found.scores[0] == 5  # below -1000: -1200 to -1040; unknown is number 5
    assert found.scores[-2] == 4  # 1001 and more: 1040 to 1160
    boards = [chess.Board(fen) for fen in fens(dataset.records)]
    for colour in (0, 1):
        kings = [board.king(colour == 0) for board in boards]
        assert found.kings[colour].tolist() == [kings.count(square) for square in range(64)]
    men = [len(board.piece_map()) for board in boards]
    assert found.men.tolist() == [men.count(count) for count in range(33)]
    assert found.sides.tolist() == [sum(b.turn for b in boards), sum(not b.turn for b in boards)]
    units = {"N": 1, "B": 1, "R": 2, "Q": 4}
    material = [
        sum(units.get(p.symbol().upper(), 0) for p in b.piece_map().values()) for b in boards
    ]
    assert found.phases.tolist() == [
        sum(m >= 20 for m in material),
        sum(9 <= m < 20 for m in material),
        sum(m < 9 for m in material),
    ]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, empty = tmp_path / "a.games", tmp_path / "empty.positions"
    Dataset(np.zeros(0, RECORD), []).save(empty)
    with GameFile(games, {}) as file:
        e4 = 12 | 28 << 6 | DOUBLE_PUSH
        file.add(0, GameRecord(chess.STARTING_FEN, [e4], [30], 2))
    assert main(["show", str(games), str(empty)]) == 0
    printed = capsys.readouterr().out
    for text in ("1 positions of 1 games", "White wins", "King's Pawn", "opening", "f     g"):
        assert text in printed
    assert "-30 to 30" in printed and "draws" not in printed
    assert f"{empty}: 0 positions of 0 games" in printed
    games.write_bytes(games.read_bytes()[:-1])
    assert main(["show", str(games)]) == 1
    assert "cut off or damaged" in capsys.readouterr().err
