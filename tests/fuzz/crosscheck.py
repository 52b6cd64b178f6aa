"""Positions of random games, compared with python-chess: moves, checks, draws, FEN, undoing."""

from __future__ import annotations

import argparse
from functools import cache
from random import Random

import chess

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.draws import repetitions
from engine.board.fen import set_fen
from engine.board.game import push
from engine.board.makemove import make, refresh, unmake
from engine.board.notation import move_text, parse_move
from engine.board.position import AttackTables, MoveLists
from tests.engine.board.test_against_python_chess import compare, snapshot_values
from tests.soak.page import Row

LONGEST_GAME = 300  # plies


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plies", type=int, default=500_000, help="positions (default: 500000)")
    parser.add_argument("--first", type=int, default=0, help="first game (default: 0)")


def run(arguments: argparse.Namespace) -> list[Row]:
    plies, games, faults = 0, arguments.first, []
    while plies < arguments.plies:
        played, fault = check_game(games)
        plies += played
        if fault:
            faults.append(f"- game {games}: {fault}")
        games += 1
    return [
        Row(
            test="cross-check with python-chess",
            command=f"python -m tests.fuzz crosscheck --first {arguments.first} --plies {plies}",
            size=f"{plies:,} plies of {games - arguments.first:,} random games, half of Chess960",
            result="equal" if not faults else "different",
            faults=len(faults),
            order=70,
            details=tuple(faults),
        )
    ]


@cache
def _tables() -> AttackTables:
    return new_attack_tables()


def check_game(number: int) -> tuple[int, str]:
    """Play random game `number`. Returns its plies and the first difference, if any."""
    random, chess960 = Random(number), bool(number % 2)
    tables = _tables()
    pos, fresh, lists = new_position(tables), new_position(tables), MoveLists()
    board = chess.Board.from_chess960_pos(random.randrange(960)) if chess960 else chess.Board()
    set_fen(pos, board.shredder_fen() if chess960 else board.fen(), chess960)
    for ply in range(LONGEST_GAME):
        try:
            moves = compare(pos, lists, board)
            if not moves or board.is_fivefold_repetition():
                return ply, ""
            assert (repetitions(pos) >= 2) == board.is_repetition(3), "repetitions"
            move = random.choice(list(moves))
            before = snapshot_values(pos)
            make(pos, move)
            unmake(pos)
            assert snapshot_values(pos) == before, "unmake"
            text = move_text(move, chess960)
            assert parse_move(pos, lists, text) == move, text
            board.push_uci(text)
            push(pos, move)
            fresh.copy_from(pos)
            refresh(fresh)
            assert snapshot_values(pos) == snapshot_values(fresh), "kept up to date"
        except AssertionError as difference:
            return ply, f"{board.fen()}: {difference}"
    return LONGEST_GAME, ""
