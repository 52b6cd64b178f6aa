"""`openings`: make openings for engine matches, balanced or not, as EPD and PGN.

It takes each position of games, lines or lists once, searches it, and keeps it if its score lies in
a range: balanced by default, or in favour of either side for engines that draw too often.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import chess
import chess.pgn
import chess.polyglot

from engine.command_line import UsageError, Whole
from engine.files import write_text
from openings.game import board_of, castles_as_usual
from openings.pgn import pgn_text
from tuning.books.position_scores import PositionScores
from tuning.data.lines import read_lines, read_positions, text_suffix
from tuning.progress import progress_bar


class Candidate(NamedTuple):
    key: int
    fen: str
    moves: tuple[chess.Move, ...]  # from the start position; empty where only the position is known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sources", nargs="+", type=Path, metavar="FILE", help="games (.pgn, .tsv) or positions "
        "(.epd)")  # fmt: skip
    add(
        "--ply",
        type=Whole(0),
        default=8,
        help="take the position of a game after this many plies (default: 8)",
    )
    add("--count", type=Whole(1), default=1000, help="openings to make (default: 1000)")
    add(
        "--nodes",
        type=Whole(1),
        default=50_000,
        help="nodes of the search of a position (default: 50000)",
    )
    add("--unbalanced", type=Whole(0), nargs=2, default=(0, 50), metavar=("LEAST", "MOST"),
        help="lead of either side in centipawns, such as 70 130 for fewer draws (default: 0 "
        "50)")  # fmt: skip
    add("--seed", type=Whole(0), default=1, help="seed of the random order (default: 1)")
    add("--scores", type=Path, help="save scores in this file and resume from it")
    add("-o", "--output", nargs="+", type=Path, required=True, metavar="FILE",
        help="files to write: .epd for the positions, .pgn for the lines")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    forms = {".epd": _as_epd, ".pgn": _as_pgn}
    for path in arguments.output:
        if path.suffix not in forms:
            raise UsageError(f"{path}: openings are written as .epd or .pgn")
    least, most = arguments.unbalanced
    if least > most:
        raise UsageError(f"--unbalanced {least} {most}: the larger lead comes last")
    left_out: list[str] = []
    candidates = _candidates(arguments.sources, arguments.ply, left_out)
    for text in left_out:
        print(text, file=sys.stderr)
    random.Random(arguments.seed).shuffle(candidates)
    chosen: list[Candidate] = []
    searched = 0
    with (
        closing(PositionScores(arguments.nodes, arguments.scores)) as scores,
        progress_bar("positions") as progress,
    ):
        task = progress.add_task("scoring", total=min(arguments.count, len(candidates)), note="")
        for candidate in candidates:
            if len(chosen) == arguments.count:
                break
            board = chess.Board(candidate.fen, chess960=True)
            searched += 1
            if least <= abs(scores.score(candidate.key, board).cp) <= most:
                chosen.append(candidate)
                progress.advance(task)
    print(f"{len(candidates)} different positions, {searched} searched, {len(chosen)} kept")
    if not chosen:
        raise ValueError(f"no position has a lead of {least} to {most}")
    for path in arguments.output:
        write_text(path, "".join(map(forms[path.suffix], chosen)))
        print(path)
    return 1 if left_out else 0


def _candidates(sources: Iterable[Path], ply: int, left_out: list[str]) -> list[Candidate]:
    """Each position once, however many games and move orders reach it."""
    found: dict[int, Candidate] = {}
    for path in sources:
        if text_suffix(path) == ".epd":
            for board in read_positions(path):
                _add(found, board)
            continue
        for line in read_lines(path, ply):
            left_out += line.left_out
            if len(line.moves) == ply:
                board = chess.Board()
                for move in line.moves:
                    board.push(move)
                _add(found, board)
    return list(found.values())


def _add(found: dict[int, Candidate], board: chess.Board) -> None:
    if not board.is_valid() or board.is_game_over():
        return
    key = chess.polyglot.zobrist_hash(board)
    if not castles_as_usual(board):
        key ^= board.clean_castling_rights()  # Polyglot's key does not hold which rook may castle
    found.setdefault(key, Candidate(key, board.fen(), tuple(board.move_stack)))


def _as_epd(candidate: Candidate) -> str:
    board = chess.Board(candidate.fen, chess960=True)
    return board.epd(hmvc=board.halfmove_clock, fmvn=board.fullmove_number) + "\n"


def _as_pgn(candidate: Candidate) -> str:
    board = board_of(candidate.fen)
    if candidate.moves:
        board = chess.Board()
        for move in candidate.moves:
            board.push(move)
    return pgn_text([chess.pgn.Game.from_board(board)])
