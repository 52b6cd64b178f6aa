"""Data from games: generated, continued, exported, labelled."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Iterator
from concurrent import futures
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.pgn
import pytest

from engine.board.fen import START
from tuning.__main__ import main
from tuning.adjudication import WIN
from tuning.commands import selfplay
from tuning.data.dataset import load
from tuning.data.epd import lines, parse
from tuning.data.games import GameFile, GameRecord, read_games, read_settings

pytestmark = pytest.mark.jit_only

QUICK = ["--soft-nodes", "30", "--hash", "1", "--concurrency", "1"]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games, the second after the file was cut off within it."""
    path = tmp_path_factory.mktemp("selfplay") / "a.games"
    assert main(["selfplay", "-o", str(path), "--games", "2", *QUICK]) == 0
    first = list(read_games(path))
    path.write_bytes(path.read_bytes()[:-5])
    assert main(["selfplay", "-o", str(path), "--games", "2", *QUICK]) == 0
    assert list(read_games(path)) == first  # the same game once more
    return path


def test_a_long_game_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Game 0 ends only when the others are in the file."""
    path, others_written = tmp_path / "a.games", threading.Event()

    @contextmanager
    def threads(processes: int, *_: object) -> Iterator[Executor]:
        with ThreadPoolExecutor(processes) as pool:
            yield pool

    def play(number: int) -> GameRecord:
        if number == 0:
            others_written.wait(10)
        return GameRecord(START, [number], [0], WIN)

    class Watched(GameFile):
        def add(self, number: int, game: GameRecord) -> None:
            super().add(number, game)
            if self.numbers >= {1, 2, 3, 4, 5}:
                others_written.set()

    monkeypatch.setattr(selfplay, "workers", threads)
    monkeypatch.setattr(selfplay, "_game", play)
    with Watched(path, {}) as file:
        selfplay._play(file, list(range(6)), {}, games=6, concurrency=2)
    written = [game.moves[0] for game in read_games(path)]
    assert written[-1] == 0 and sorted(written) == list(range(6))
    with GameFile(path, {}) as file:
        assert file.numbers == set(range(6))


def test_a_game_that_fails_does_not_take_a_finished_one_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def at_once(*_: object) -> Iterator[Executor]:
        with ThreadPoolExecutor(1) as pool:
            yield pool

    def play(number: int) -> GameRecord:
        if number == 0:
            raise ValueError("book.epd:7: opening 7: no king")
        return GameRecord(START, [number], [0], WIN)

    monkeypatch.setattr(selfplay, "workers", at_once)
    monkeypatch.setattr(selfplay, "_game", play)
    monkeypatch.setattr(selfplay, "wait", lambda games, **_: futures.wait(games))  # for all
    with GameFile(tmp_path / "a.games", {}) as file:
        with pytest.raises(ValueError, match="no king"):
            selfplay._play(file, [0, 1, 2], {}, games=3, concurrency=1)
        assert file.numbers == {1, 2}


def test_only_one_process_writes_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.games"
    with GameFile(path, {}):
        assert main(["selfplay", "-o", str(path), "--games", "1", *QUICK]) == 1
        assert f"{path}: another process is writing to this file" in capsys.readouterr().err
    GameFile(path, {}).close()


def test_games_from_a_book_and_of_chess960(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book, path, pgn = (tmp_path / name for name in ("a.epd", "a.games", "a.pgn"))
    opening = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    others = [
        f"rnbqkbnr/pppppppp/8/8/{file}P{7 - file}/8/PPPP1PPP/RNBQKBNR b KQkq -"
        for file in (1, 2, 3, 5, 6)
    ]
    book.write_text("".join(f"{fen}\n" for fen in (opening, *others)), encoding="utf-8")
    words = ["selfplay", "-o", str(path), "--games", "12", *QUICK, "--book", str(book)]
    words += ["--random-plies", "2"]
    shares = ["--book-percent", "50", "--chess960-percent", "90"]
    assert main([*words, *shares]) == 0
    played = list(read_games(path))
    begun = [" ".join(game.fen.split()[:4]) for game in played]
    assert [begun.count(fen) for fen in (opening, *others)] == [1] * 6  # half of the games
    of_chess960 = [game for game in played if "H" in game.fen.split()[2] or "A" in game.fen]
    assert of_chess960

    # python-chess understands all of them: it would refuse an illegal move.
    assert main(["show", str(path), "--as", "pgn", "-o", str(pgn)]) == 0
    with open(pgn, encoding="utf-8") as file:
        for game in played:
            read = chess.pgn.read_game(file)
            assert read is not None and not read.errors
            assert len(list(read.mainline_moves())) == len(game.moves)
    assert main(["show", str(path)]) == 0
    assert "12" in capsys.readouterr().out

    path.unlink()
    assert main(words) == 1
    assert "12 games need as many openings; the book has 6" in capsys.readouterr().err
    assert not path.exists()


def test_games_of_another_engine_are_not_mixed(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = json.dumps({**read_settings(games), "engine": "0123456789abcdef"}).encode()
    path = tmp_path / "a.games"
    path.write_bytes(b"WADJGAM1" + struct.pack("<I", len(settings)) + settings)
    assert main(["selfplay", "-o", str(path), "--games", "2", *QUICK]) == 1
    assert "another engine" in capsys.readouterr().err


def test_games_as_pgn(games: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.pgn"
    assert main(["show", str(games), "--as", "pgn", "-o", str(target)]) == 0
    with open(target, encoding="utf-8") as file:
        for played in read_games(games):
            game = chess.pgn.read_game(file)
            assert game is not None and not game.errors
            assert game.board().fen() == played.fen
            assert len(list(game.mainline())) == len(played.moves)
            assert game.headers["Result"] == ("0-1", "1/2-1/2", "1-0")[played.result]


def test_the_ways_to_positions_agree(games: Path, tmp_path: Path) -> None:
    """Games directly, and by way of a PGN file."""
    pgn = tmp_path / "a.pgn"
    assert main(["show", str(games), "--as", "pgn", "-o", str(pgn)]) == 0
    found = []
    for source in (games, pgn):
        target = tmp_path / f"{source.suffix[1:]}.positions"
        assert main(["import", str(source), "-o", str(target), "--largest-score", "900"]) == 0
        found.append(load(target))
    assert len(found[0]) > 20
    assert (found[0].records == found[1].records).all()


def test_positions_of_games_with_labels_of_the_engine(games: Path, tmp_path: Path) -> None:
    positions, labelled = tmp_path / "a.positions", tmp_path / "b.positions"
    assert main(["import", str(games), "-o", str(positions), "--most-a-game", "3"]) == 0
    words = ["label", str(positions), "-o", str(labelled), "--static", "--engine", "wadjet"]
    assert main(words) == 0
    before, after = load(positions), load(labelled)
    assert after.sources == ["wadjet static evaluation"]
    assert (after.records["result"] == before.records["result"]).all()
    assert (after.records["score"] != before.records["score"]).any()

    epd = tmp_path / "b.epd"
    assert main(["show", str(labelled), "--as", "epd", "-o", str(epd)]) == 0
    read = [parse(text, number) for number, text in lines(epd)]
    white = [int(each.operations["ce"]) * (1 if each.board.turn else -1) for each in read]
    assert white == after.records["score"].tolist()


def test_bad_input(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selfplay", "-o", str(games), "--games", "9", *QUICK, "--seed", "4"]) == 1
    assert "another seed" in capsys.readouterr().err
    new = tmp_path / "new.games"
    assert main(["selfplay", "-o", str(new), "--book", "no-such-book.epd"]) == 1
    assert main(["show", str(games), "-o", str(new)]) == 2
    assert "--output needs --as" in capsys.readouterr().err
    assert main(["label", str(games), "-o", str(new), "--static", "--engine", "wadjet"]) == 1
    assert f"{games}:1: not a position" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
