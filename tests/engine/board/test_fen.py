"""Reading and writing positions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import chess
import pytest

from engine.board.attack_tables import new_position
from engine.board.fen import START, PositionError, set_fen, to_fen
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.position import MoveLists, Position
from engine.search.shared import Shared
from tests.reference.hostile_fens import HOSTILE

E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"


@pytest.mark.parametrize(
    "fen",
    [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "4k3/8/8/8/8/8/8/4K2R b K - 37 119",
    ],
)
def test_round_trip(position: Callable[..., Position], fen: str) -> None:
    assert to_fen(position(fen)) == fen


@pytest.mark.parametrize(
    "given_fen, understood",
    [
        (E4 + " -", E4 + " - 0 1"),  # four fields
        (E4 + " e3 0 1", E4 + " - 0 1"),  # nothing can be captured there
        (E4 + " e6 0 1", E4 + " - 0 1"),  # the wrong rank
        ("8/8/8/2k5/4p3/8/8/4K3 b - d3 0 1", "8/8/8/2k5/4p3/8/8/4K3 b - - 0 1"),  # no pawn on d4
        # Capturing would open the rank of the king.
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"),
        # Rights without a rook or with the king elsewhere.
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("8/4k3/8/8/8/8/4K3/R6R w KQ - 0 1", "8/4k3/8/8/8/8/4K3/R6R w - - 0 1"),
        # Rights that only Chess960 has.
        (
            "3q4/4p3/4R3/7k/8/2pP2P1/1p4PB/4K1R1 w K - 0 1",
            "3q4/4p3/4R3/7k/8/2pP2P1/1p4PB/4K1R1 w - - 0 1",
        ),
        (
            "6k1/5ppp/8/8/8/8/8/2R3K1 w Q - 0 1",
            "6k1/5ppp/8/8/8/8/8/2R3K1 w - - 0 1",
        ),
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "4k3/8/8/8/8/8/8/RR2K3 w - - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -5 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("  4k3/8/8/8/8/8/8/4K3   w  - -  ", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ],
)
def test_what_is_put_right(
    position: Callable[..., Position], given_fen: str, understood: str
) -> None:
    assert to_fen(position(given_fen)) == understood


@pytest.mark.parametrize(
    "fen, reason",
    [
        ("", "needs at least"),
        ("startpos", "needs at least"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "White has 2 kings"),
        ("4k3/8/8/8/8/8/8 w - - 0 1", "8 ranks, not 7"),
        ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "rank 1 has 9 squares"),
        ("4k3/8/8/7/8/8/8/4K3 w - - 0 1", "rank 5 has 7 squares"),
        ("4k3/8/8/8/8/8/8/4K2X w - - 0 1", "'X' is not a piece"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move"),
        ("4k3/8/8/8/8/8/8/4K3 w KX - 0 1", "'X' is not a castling right"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "not an en passant square"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove clock must be a number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", "six fields"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn on the first or last rank"),
        ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", "Black has a pawn on the first or last rank"),
        ("4k3/8/8/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNNNNN1/4K3 w - - 0 1", "33 men"),
        ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "not to move is in check"),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "not to move is in check"),
    ],
)
def test_what_is_refused_and_why(position: Callable[..., Position], fen: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        position(fen)


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/QQQQKQQQ w kq - 0 1",  # more than eight promotions
        "4k3/pppppppp/p7/8/8/8/PPPPPPPP/4K3 w - - 0 1",  # nine pawns
        "4k3/8/8/8/NNNNNNNN/NNNNNNNN/NNNNNNNN/NNNN1NKN w - - 0 1",  # 32 men, 31 on one side
        "7k/8/3N4/8/2B5/8/8/K6R b - - 0 1",  # two checks that no move gives at once
        "4k3/8/3N1N2/2N3N1/8/4R3/8/K7 b - - 0 1",  # three checks
        "4k3/8/8/8/8/8/8/4K3 w - - 999 999999999",
    ],
)
def test_what_no_game_leads_to_is_read(
    position: Callable[..., Position], lists: MoveLists, fen: str
) -> None:
    board = chess.Board(fen)
    assert len(legal_moves(position(fen), lists)) == board.legal_moves.count()
    assert to_fen(position(fen)) == board.fen()


def test_lists_have_room_for_the_moves_of_24_queens(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    fen = "kN2QQQQ/NNQQ3Q/1Q5Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1"
    moves = [move_text(move, False) for move in legal_moves(position(fen), lists)]
    assert sorted(moves) == sorted(map(str, chess.Board(fen).legal_moves)) and len(moves) == 257


@pytest.mark.parametrize(
    "fen, castling",
    [
        ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", {"e1g1", "e1b1"}),  # Shredder-FEN
        ("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1", {"e1g1", "e1b1"}),  # X-FEN
        ("4k3/8/8/8/8/8/8/RR2K3 w Q - 0 1", {"e1a1"}),  # the outermost rook: b1 is in its way
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", {"e1b1"}),
    ],
)
def test_chess960_castling_rights(
    shared: Shared, lists: MoveLists, fen: str, castling: set[str]
) -> None:
    pos = new_position(shared.tables)
    set_fen(pos, fen, chess960=True)
    board = chess.Board(fen, chess960=True)
    expected = {board.uci(move) for move in board.legal_moves}
    for text in castling:
        assert (parse_move(pos, lists, text) != 0) == (text in expected)
    assert len(legal_moves(pos, lists)) == len(expected)
    assert to_fen(pos) == board.shredder_fen()


def random_back_ranks(count: int) -> Iterator[str]:
    """Kings and rooks on their first ranks, with any castling rights."""
    rng = random.Random(3)
    for _ in range(count):
        board = chess.Board(None)
        for colour, home in ((chess.WHITE, 0), (chess.BLACK, 56)):
            king, *rooks = rng.sample(range(8), 4)
            if rng.random() < 0.7:  # as in standard chess, more or less
                king, rooks = chess.E1, rng.sample([0, 0, 7, 7, *({0, 7, 1, 3, 6} - {king})], 3)
            for file in rooks:
                board.set_piece_at(home + file, chess.Piece(chess.ROOK, colour))
            rank = 8 if rng.random() < 0.1 else 0
            board.set_piece_at(king + abs(home - rank), chess.Piece(chess.KING, colour))
        letters = rng.choice(("kq", *"kqabcdefgh"))
        board.turn = rng.random() < 0.5
        if board.status() in (chess.STATUS_VALID, chess.STATUS_TOO_MANY_CHECKERS):
            yield f"{board.board_fen()} {'bw'[board.turn]} {letters.upper()}{letters} - 0 1"


@pytest.mark.parametrize("chess960", [False, True])
def test_castling_agrees_with_python_chess(
    shared: Shared, lists: MoveLists, chess960: bool
) -> None:
    pos = new_position(shared.tables)
    rights, dropped = 0, 0
    for fen in random_back_ranks(1000):
        remark = set_fen(pos, fen, chess960)
        board = chess.Board(fen, chess960=chess960)
        moves = {move_text(move, chess960) for move in legal_moves(pos, lists)}
        assert moves == {board.uci(move) for move in board.legal_moves}, fen
        kept = board.clean_castling_rights().bit_count()
        assert int(pos.snapshots[0].castling).bit_count() == kept, fen
        assert (remark != "") >= (kept == 0), fen
        rights, dropped = rights + kept, dropped + (remark != "")
    assert rights > 300 and dropped > 300


def test_castling_is_understood_in_both_notations(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert parse_move(pos, lists, "e1g1") == parse_move(pos, lists, "e1h1") != 0
    pos = position("1k6/8/8/8/8/8/8/5K1R w K - 0 1", True)
    king_step, castling = parse_move(pos, lists, "f1g1"), parse_move(pos, lists, "f1h1")
    assert king_step != castling and king_step and castling


def read_or_refuse(shared: Shared, fens: Iterable[str]) -> tuple[int, int]:
    """How many were accepted and how many refused; nothing else may happen."""
    pos = new_position(shared.tables)
    lists = MoveLists()
    accepted = refused = 0
    for fen in fens:
        try:
            set_fen(pos, fen)
        except PositionError:
            refused += 1
            continue
        accepted += 1
        board = chess.Board(to_fen(pos))
        assert len(legal_moves(pos, lists)) == board.legal_moves.count(), fen
    return accepted, refused


def test_hostile_texts_are_read_or_refused(shared: Shared) -> None:
    accepted, refused = read_or_refuse(shared, HOSTILE)
    assert accepted > 10 and refused > 20


def test_hostile_files_are_read_or_refused(data: Path, shared: Shared) -> None:
    lines = [
        line.split(";")[0]
        for path in sorted((data / "parser").glob("*.epd"))
        for line in path.read_text(errors="replace", encoding="utf-8").splitlines()
    ]
    accepted, refused = read_or_refuse(shared, lines)
    assert accepted > 20 and refused > 20
