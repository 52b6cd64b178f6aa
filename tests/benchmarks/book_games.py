"""Counts the openings of a match that was played with the book, and judges its book moves.

    python -m tests.benchmarks.book_games match.pgn --engine stockfish

It prints how many different openings the games had and, by another engine's searches, the worst
book moves that were played.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import chess.polyglot

from openings import SHIPPED_BOOK_PATH
from openings.polyglot import Book
from tuning.data.lines import read_lines

MATE_CP = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", type=Path, nargs="+", help="PGN")
    parser.add_argument("--book", type=Path)
    parser.add_argument("--engine", help="UCI engine that judges the moves (default: none)")
    parser.add_argument(
        "--nodes", type=int, default=200_000, help="nodes of its searches (default: 200000)"
    )
    parser.add_argument("--most", type=int, help="judge at most so many moves (default: all)")
    parser.add_argument(
        "--ply", type=int, default=12, help="ply at which openings are compared (default: 12)"
    )
    arguments = parser.parse_args()
    book = Book(arguments.book or SHIPPED_BOOK_PATH)
    lines = [line for path in arguments.games for line in read_lines(path, 80)]
    at_ply = set()
    lengths = []
    moves: dict[tuple[str, str], str] = {}  # position and move: how it came about
    for line in lines:
        board = chess.Board()
        for move in line.moves[: arguments.ply]:
            board.push(move)
        at_ply.add(chess.polyglot.zobrist_hash(board))
        played = list(book_moves(book, line.moves))
        lengths.append(len(played))
        for board, move in played:
            way = chess.Board().variation_san([*board.move_stack, move])
            moves.setdefault((board.epd(), move.uci()), way)
    print(f"{len(lines)} games, {len(at_ply)} different positions after {arguments.ply} plies")
    print(f"plies in the book: {min(lengths)} to {max(lengths)}, {sum(lengths)} in all, "
          f"{len(moves)} different moves")  # fmt: skip
    if arguments.engine:
        judge(arguments.engine, moves, arguments.nodes, arguments.most)


def book_moves(
    book: Book, moves: tuple[chess.Move, ...]
) -> Iterator[tuple[chess.Board, chess.Move]]:
    """The moves of a game that are in the book, each with the board before it."""
    board = chess.Board()
    for move in moves:
        known = {entry.move for entry in book.entries(chess.polyglot.zobrist_hash(board))}
        if board.uci(move, chess960=True) in known:
            yield board.copy(), move
        board.push(move)


def judge(command: str, moves: dict[tuple[str, str], str], nodes: int, most: int | None) -> None:
    """Print what the moves lose: the score before against the score after, both searched."""
    chosen = sorted(moves.items())
    random.Random(1).shuffle(chosen)
    scores: dict[str, int] = {}
    drops = []
    with chess.engine.SimpleEngine.popen_uci(command) as engine:

        def score(board: chess.Board) -> int:
            """Centipawns, seen by the side to move."""
            if board.epd() not in scores:
                info = engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())
                scores[board.epd()] = info["score"].relative.score(mate_score=MATE_CP)
            return scores[board.epd()]

        for (epd, text), way in chosen[:most]:
            board = chess.Board(epd + " 0 1")
            before = score(board)
            board.push_uci(text)
            drops.append((before + score(board), way))
    drops.sort(reverse=True)
    print(f"{len(drops)} moves judged by {command} at {nodes} nodes; mean drop "
          f"{sum(drop for drop, _ in drops) / len(drops):.1f} cp, the largest:")  # fmt: skip
    for drop, way in drops[:10]:
        print(f"  {drop:4} cp  {way}")


if __name__ == "__main__":
    main()
