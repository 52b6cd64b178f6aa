"""Random games, every position compared with python-chess."""

from __future__ import annotations

import random
from collections import Counter

import chess
import pytest

from engine.board.attack_tables import new_position
from engine.board.checks import CheckSquares, find_check_squares, gives_check
from engine.board.draws import insufficient_material, repetitions
from engine.board.fen import set_fen, to_fen
from engine.board.game import push
from engine.board.legality import is_legal
from engine.board.makemove import make, refresh, unmake
from engine.board.movegen import NOISY, QUIET, generate
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.position import MoveLists, Position
from engine.native import jit
from engine.search.shared import Shared

GAMES = 3 if jit.INTERPRETED else 12
PLIES = 60 if jit.INTERPRETED else 240


def compare(pos: Position, lists: MoveLists, board: chess.Board) -> dict[int, chess.Move]:
    """Assert that both see the same position; return our legal moves, and theirs for each."""
    theirs = {board.uci(move): move for move in board.legal_moves}
    moves = {move: move_text(move, board.chess960) for move in legal_moves(pos, lists)}
    assert sorted(moves.values()) == sorted(theirs), board.fen()
    now = pos.snapshots[pos.ply]
    assert int(now.checkers) & (1 << 64) - 1 == board.checkers_mask()
    expected = board.shredder_fen if board.chess960 else board.fen
    assert to_fen(pos) == expected(en_passant="legal")
    # python-chess also sees that some blocked bishops are of no use; we only claim the plain cases.
    if insufficient_material(pos):
        assert board.is_insufficient_material()
    return {move: theirs[text] for move, text in moves.items()}


def snapshot_values(pos: Position) -> list[int]:
    now = pos.snapshots[pos.ply]
    values = [int(getattr(now, name)) for name in type(now).fields]
    arrays = pos.kind_keys, pos.pieces, pos.board
    return [*values, *(value for array in arrays for value in array.ravel().tolist()), pos.occupied]


@pytest.mark.parametrize("chess960", [False, True])
def test_random_games(shared: Shared, lists: MoveLists, chess960: bool) -> None:
    pos = new_position(shared.tables)
    fresh = new_position(shared.tables)
    checks = CheckSquares()
    for game in range(GAMES):
        rng = random.Random(game + 1000 * chess960)
        if chess960:
            board = chess.Board.from_chess960_pos(rng.randrange(960))
            set_fen(pos, board.shredder_fen(), True)
        else:
            board = chess.Board()
            set_fen(pos, board.fen())
        seen: Counter[str] = Counter()  # python-chess would walk back through the game each time
        for _ in range(PLIES):
            moves = compare(pos, lists, board)
            now = to_fen(pos).rsplit(" ", 2)[0]  # without the counts
            seen[now] += 1
            if not moves or seen[now] == 5:
                break
            assert (repetitions(pos) >= 2) == (seen[now] >= 3)
            # Noisy and quiet moves together are all moves, and each knows what it is.
            noisy = set(lists.moves[0, : generate(pos, lists, 0, 0, NOISY)].tolist())
            quiet = set(lists.moves[0, : generate(pos, lists, 0, 0, QUIET)].tolist())
            assert noisy | quiet == set(moves) and not noisy & quiet
            for move in noisy:
                assert board.is_capture(moves[move]) or moves[move].promotion == chess.QUEEN

            # Checks are foreseen, but for those a vanishing pawn opens.
            find_check_squares(pos, checks)
            for move in rng.sample(list(moves), min(8, len(moves))):
                parsed = moves[move]
                if not (board.is_en_passant(parsed) or parsed.promotion):
                    assert gives_check(pos, checks, move) == board.gives_check(parsed)

            # Making a move and taking it back changes nothing.
            before = snapshot_values(pos)
            for move in rng.sample(list(moves), min(3, len(moves))):
                make(pos, move)
                unmake(pos)
                assert snapshot_values(pos) == before

            move = rng.choice(list(moves))
            assert parse_move(pos, lists, move_text(move, chess960)) == move
            board.push(moves[move])
            push(pos, move)

            # What is kept up to date equals what is computed from scratch.
            fresh.copy_from(pos)
            refresh(fresh)
            assert snapshot_values(pos) == snapshot_values(fresh)


def test_is_legal_agrees_with_the_generator_on_all_16_bits(
    shared: Shared, lists: MoveLists
) -> None:
    fens = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # both pawns leave the rank: no en passant
        "rnbqkbnr/ppp2ppp/8/1B1pp3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 3",
        "2k5/8/8/8/4r3/8/3PKP2/8 w - - 0 1",
        "1r2k3/2P5/8/8/8/8/8/4K3 w - - 0 1",
    ]
    pos = new_position(shared.tables)
    for fen in fens[:2] if jit.INTERPRETED else fens:
        set_fen(pos, fen)
        expected = set(legal_moves(pos, lists))
        assert {move for move in range(1 << 16) if is_legal(pos, move)} == expected, fen
