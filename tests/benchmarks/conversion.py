"""Plays endings of four men out: are won ones won, and drawn ones held?

    python -m tests.benchmarks.conversion [--won 500] [--drawn 200] [--nodes 200]

Random positions of every material that has such results are played by the engine as a user gets
it, with the tables that come along, against the defence (or attack) those tables rank first.
The judge is python-chess. Exit status 1 if a result slipped.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import chess

from engine.api import Engine
from engine.board.attack_tables import new_attack_tables
from engine.board.fen import set_fen, to_fen
from engine.board.notation import legal_moves, move_text
from engine.events import SearchEvent, SearchResult
from engine.limits import Limits
from engine.tb.probing import DRAW, WIN
from engine.tb.ranking import rank_moves
from tablebases.commands.sampling import new_sample, place_at_random
from tablebases.material import men
from tests.reference.tablebases import Bench
from tuning.matches.rules import outcome_of

TABLES = Path(__file__).resolve().parents[2] / "tablebases" / "data"
HELD_PLIES = 80  # a drawn ending that lasted so long is held
SEED = 2026


def positions(bench: Bench, wanted: int, wdl: int) -> list[tuple[str, str]]:
    """(material, FEN) with this result for the side to move, as many of each as there can be."""
    names = [name for name in bench.ours.found.wdl if men(name) == 4]
    found: list[tuple[str, str]] = []
    samples = {name: new_sample(name, SEED) for name in names}
    while len(found) < wanted:
        for name, sample in samples.items():
            for _ in range(50):  # some results are rare, some do not occur
                place_at_random(sample, bench.position)
                if bench.probe(with_dtz=False) == (wdl,):
                    if legal_moves(bench.position, bench.lists):
                        found.append((name, to_fen(bench.position)))
                    break
    return found[:wanted]


def best_by_tables(bench: Bench, board: chess.Board) -> chess.Move:
    set_fen(bench.position, board.fen())
    moves = legal_moves(bench.position, bench.lists)
    ranked = rank_moves(bench.prober, bench.position, bench.lists, moves)
    if ranked is None:  # both sides have captured down to bare kings
        return next(iter(board.legal_moves))
    return board.parse_uci(move_text(ranked[0].move, False))


def best_by_engine(engine: Engine, board: chess.Board, fen: str, nodes: int) -> chess.Move:
    engine.set_position(fen, [move.uci() for move in board.move_stack])
    events: list[SearchEvent] = []
    engine.go(Limits(nodes=nodes), events.append)
    engine.wait()
    result = events[-1]
    assert isinstance(result, SearchResult)
    return board.parse_uci(result.best_move or "")


def play(engine: Engine, bench: Bench, fen: str, nodes: int, most_plies: int) -> chess.Board:
    """The engine has the side to move; the other side is played by the tables."""
    board = chess.Board(fen)
    engine.new_game()
    us = board.turn
    while outcome_of(board) is None and len(board.move_stack) < most_plies:
        if board.turn == us:
            board.push(best_by_engine(engine, board, fen, nodes))
        else:
            board.push(best_by_tables(bench, board))
    return board


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--won", type=int, default=500)
    parser.add_argument("--drawn", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=200, help="nodes a move (default: 200)")
    chosen = parser.parse_args()
    engine = Engine()
    engine.set_tablebases("")
    bench = Bench([TABLES], new_attack_tables())
    bench.prepare(*bench.ours.found.wdl)

    slipped = 0
    won: Counter[str] = Counter()
    longest = 0
    for name, fen in positions(bench, chosen.won, WIN):
        board = play(engine, bench, fen, chosen.nodes, 400)
        if board.is_checkmate() and board.turn != chess.Board(fen).turn:
            won[name] += 1
            longest = max(longest, len(board.move_stack))
        else:
            slipped += 1
            print(f"not won: {name} {fen}", flush=True)
    print(f"{sum(won.values())} of {chosen.won} won endings won, the longest in {longest} plies")
    print(", ".join(f"{name} {count}" for name, count in sorted(won.items())))
    held = 0
    for name, fen in positions(bench, chosen.drawn, DRAW):
        board = play(engine, bench, fen, chosen.nodes, HELD_PLIES)
        set_fen(bench.position, board.fen())
        if board.is_checkmate() or (len(board.piece_map()) > 2 and bench.probe(False) != (DRAW,)):
            slipped += 1
            print(f"not held: {name} {fen}", flush=True)
        else:
            held += 1
    print(f"{held} of {chosen.drawn} drawn endings held")
    return min(slipped, 1)


if __name__ == "__main__":
    sys.exit(main())
