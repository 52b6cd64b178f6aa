"""Data from games: generated, continued, exported, labelled."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.pgn
import pytest

from tuning.__main__ import main
from tuning.dataset import NO_SCORE, load, read_games
from tuning.epd import lines, parse

pytestmark = pytest.mark.jit_only

DATAGEN = ["--soft-nodes", "30", "--hash", "1", "--processes", "1"]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games, the second after the file was cut off within it."""
    path = tmp_path_factory.mktemp("datagen") / "a.games"
    assert main(["datagen", str(path), "--games", "2", *DATAGEN]) == 0
    first = list(read_games(path))
    path.write_bytes(path.read_bytes()[:-5])
    assert main(["datagen", str(path), "--games", "2", *DATAGEN]) == 0
    assert list(read_games(path)) == first  # the same game once more
    return path


def test_games_as_pgn(games: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.pgn"
    assert main(["export", str(games), "-o", str(target)]) == 0
    with open(target) as file:
        for played in read_games(games):
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors
            assert game.board().fen() == played.fen
            assert len(list(game.mainline())) == len(played.moves)
            assert game.headers["Result"] == ("0-1", "1/2-1/2", "1-0")[played.result]


def test_the_ways_to_positions_agree(games: Path, tmp_path: Path) -> None:
    """Games directly, and by way of a PGN file."""
    pgn = tmp_path / "a.pgn"
    assert main(["export", str(games), "-o", str(pgn)]) == 0
    found = []
    for source in (games, pgn):
        target = tmp_path / f"{source.suffix[1:]}.positions"
        assert main(["import", str(source), "-o", str(target), "--largest-score", "900"]) == 0
        found.append(load(target))
    assert len(found[0]) > 20
    assert (found[0].records == found[1].records).all()


def test_labels_are_kept_and_added(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    positions, labelled = tmp_path / "a.positions", tmp_path / "b.positions"
    assert main(["import", str(games), "-o", str(positions), "--most-a-game", "3"]) == 0
    dataset = load(positions)
    dataset.records["score"][2:4] = NO_SCORE
    dataset.save(positions)
    words = ["label", str(positions), "-o", str(labelled), "--engine", "wadjet", "--depth", "2"]
    assert main(words) == 0
    assert "2 labelled by wadjet" in capsys.readouterr().out
    after = load(labelled)
    assert after.sources == ["Wadjet", "wadjet"]
    assert (after.records["score"][:2] == dataset.records["score"][:2]).all()
    assert (after.records["score"] != NO_SCORE).all()
    assert after.records["source"].tolist() == [0, 0, 1, 1, 0, 0]
    assert main(words) == 0
    assert "0 labelled" in capsys.readouterr().out

    epd = tmp_path / "b.epd"
    assert main(["export", str(labelled), "-o", str(epd)]) == 0
    read = [parse(text, number) for number, text in lines(epd)]
    white = [int(each.operations["ce"]) * (1 if each.board.turn else -1) for each in read]
    assert white == after.records["score"].tolist()


def test_bad_input(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datagen", str(games), "--games", "9", *DATAGEN, "--seed", "4"]) == 1
    assert "another seed" in capsys.readouterr().err
    new = tmp_path / "new.games"
    assert main(["datagen", str(new), "--book", "no-such-book.epd"]) == 1
    assert main(["datagen", str(new), "--soft-nodes", "0"]) == 1
    assert main(["export", str(games), "-o", str(new)]) == 1
    assert "no way from .games to .games" in capsys.readouterr().err
    assert main(["label", str(games), "-o", str(new), "--engine", "wadjet"]) == 1
    assert "not a file of positions" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
