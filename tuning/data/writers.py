"""Games as PGN or EPD, positions as EPD or FEN."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import to_fen
from engine.board.notation import move_text
from openings.game import board_of
from openings.pgn import pgn_of
from tuning.adjudication import RESULTS
from tuning.data.dataset import NO_RESULT, NO_SCORE, Records
from tuning.data.games import read_games
from tuning.data.packed import PackedPosition, unpack


def games_as_pgn(path: Path) -> Iterator[str]:
    for number, played in enumerate(read_games(path), 1):
        game = chess.pgn.Game()
        board = board_of(played.fen)
        game.setup(board)
        game.headers.update(Event="selfplay", Round=str(number), White="Wadjet", Black="Wadjet")
        game.headers["Result"] = RESULTS[played.result]
        node: chess.pgn.GameNode = game
        for move, score in zip(played.moves, played.scores, strict=True):
            mover = node.turn()
            text = move_text(move, board.chess960)
            node = node.add_variation(chess.Move.from_uci(text))
            node.comment = f"{(score if mover else -score) / 100:+.2f}"
        yield pgn_of(game) + "\n"


def games_as_epd(path: Path) -> Iterator[str]:
    for played in read_games(path):
        board = board_of(played.fen)
        for move, score in zip(played.moves, played.scores, strict=True):
            by_mover = score if board.turn else -score
            yield f'{board.epd()} ce {by_mover}; c9 "{RESULTS[played.result]}";'
            board.push_uci(move_text(move, board.chess960))


def positions_as_epd(records: Records) -> Iterator[str]:
    for record, fen in zip(records, fens(records), strict=True):
        text = " ".join(fen.split()[:4])
        if record["score"] != NO_SCORE:
            score = int(record["score"])
            text += f" ce {-score if record['side'] else score};"
        if record["result"] != NO_RESULT:
            text += f' c9 "{RESULTS[record["result"]]}";'
        yield text


def fens(records: Records) -> Iterator[str]:
    """The FEN of each position, without castling rights, which sets do not keep."""
    pos, packed = new_position(new_attack_tables()), PackedPosition()
    data = records.tobytes()
    size = PackedPosition.size
    for start in range(0, len(data), size):
        packed._memory[:] = memoryview(data)[start : start + size]
        unpack(pos, packed)
        yield to_fen(pos)
