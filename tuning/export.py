"""`export`: games as PGN or EPD, positions as EPD."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import to_fen
from engine.board.notation import move_text
from engine.board.packing import PackedPosition, unpack
from tuning.dataset import NO_RESULT, NO_SCORE, Dataset, load, read_games
from tuning.files import written_whole

RESULTS = ("0-1", "1/2-1/2", "1-0")  # by half points of White


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help=".games or .positions")
    parser.add_argument("-o", "--output", type=Path, required=True, help=".pgn or .epd")


def run(arguments: argparse.Namespace) -> int:
    kinds = arguments.file.suffix, arguments.output.suffix
    if kinds == (".games", ".pgn"):
        texts = games_as_pgn(arguments.file)
    elif kinds == (".games", ".epd"):
        texts = games_as_epd(arguments.file)
    elif kinds == (".positions", ".epd"):
        texts = positions_as_epd(load(arguments.file))
    else:
        raise ValueError(f"there is no way from {kinds[0]} to {kinds[1]}")
    count = 0
    with written_whole(arguments.output) as file:
        for text in texts:
            file.write(f"{text}\n".encode())
            count += 1
    print(f"{arguments.output}: {count} written")
    return 0


def games_as_pgn(path: Path) -> Iterator[str]:
    for number, played in enumerate(read_games(path), 1):
        game = chess.pgn.Game()
        game.setup(chess.Board(played.fen))
        game.headers.update(Event="datagen", Round=str(number), White="Wadjet", Black="Wadjet")
        game.headers["Result"] = RESULTS[played.result]
        node: chess.pgn.GameNode = game
        for move, score in zip(played.moves, played.scores, strict=True):
            mover = node.turn()
            node = node.add_variation(chess.Move.from_uci(move_text(move, False)))
            node.comment = f"{(score if mover else -score) / 100:+.2f}"
        yield f"{game}\n"


def games_as_epd(path: Path) -> Iterator[str]:
    for played in read_games(path):
        board = chess.Board(played.fen)
        for move, score in zip(played.moves, played.scores, strict=True):
            by_mover = score if board.turn else -score
            yield f'{board.epd()} ce {by_mover}; c9 "{RESULTS[played.result]}";'
            board.push_uci(move_text(move, False))


def positions_as_epd(dataset: Dataset) -> Iterator[str]:
    for record, fen in zip(dataset.records, fens(dataset), strict=True):
        text = " ".join(fen.split()[:4])
        if record["score"] != NO_SCORE:
            score = int(record["score"])
            text += f" ce {-score if record['side'] else score};"
        if record["result"] != NO_RESULT:
            text += f' c9 "{RESULTS[record["result"]]}";'
        yield text


def fens(dataset: Dataset) -> Iterator[str]:
    """Without castling rights, which positions do not keep."""
    pos, packed = new_position(new_attack_tables()), PackedPosition()
    data = dataset.records.tobytes()
    size = PackedPosition.size
    for start in range(0, len(data), size):
        packed._memory[:] = memoryview(data)[start : start + size]
        unpack(pos, packed)
        yield to_fen(pos)
