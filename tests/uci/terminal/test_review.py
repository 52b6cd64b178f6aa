"""What is said about mistakes."""

from __future__ import annotations

import chess

from engine.limits import Limits
from uci.terminal.game import Game
from uci.terminal.opponent import Verdict
from uci.terminal.review import MOST_SHOWN, Mistake, find_mistakes

EVEN = (250, 500, 250)


def line(*moves: str) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(move) for move in moves)


def mistake(fen: str, move: str, before: Verdict, after: Verdict) -> Mistake:
    return Mistake(chess.Board(fen), chess.Move.from_uci(move), before, after)


def test_a_blunder_that_hangs_the_queen() -> None:
    found = mistake(
        "3rk3/8/8/8/8/8/3Q4/2K5 w - - 0 1",
        "d2d7",
        Verdict(400, None, (900, 100, 0), line("d2e2", "e8f7")),
        Verdict(-500, None, (0, 50, 950), line("d8d7", "c1c2", "d7d6")),
    )
    assert found.name == "1. Qd7+??"
    assert found.explanation() == [
        "Your chances fell from 95 to 2 %.",
        "It loses a queen: 1...Rxd7 2. Kc2 Rd6.",
        "Better was queen from d2 to e2: 1. Qe2+ Kf7.",
    ]


def test_a_mate_that_is_allowed_and_one_that_is_missed() -> None:
    before = Verdict(0, None, EVEN, line("e2e4"))
    allows = mistake(
        "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
        "g2g4",
        before,
        Verdict(None, -1, (0, 0, 1000), line("d8h4")),
    )
    assert "It allows mate in 1: 2...Qh4#." in allows.explanation()
    misses = mistake(
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        "h2h3",
        Verdict(None, 1, (1000, 0, 0), line("a1a8")),
        Verdict(300, None, (500, 500, 0), line("h7h6")),
    )
    assert "It misses mate in 1." in misses.explanation()
    assert "Better was rook from a1 to a8: 1. Ra8#." in misses.explanation()


def test_a_stalemate() -> None:
    found = mistake(
        "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1",
        "f1f7",
        Verdict(None, 1, (1000, 0, 0), line("f1f8")),
        Verdict(0, None, (0, 1000, 0), ()),
    )
    assert found.lost == 50 and "It misses mate in 1." in found.explanation()


def test_an_exchange_loses_nothing() -> None:
    found = mistake(
        "2rrk3/8/8/8/8/8/3R4/3RK3 w - - 0 1",
        "d2d8",
        Verdict(0, None, (600, 400, 0), line("e1e2")),
        Verdict(0, None, (0, 900, 100), line("c8d8", "d1d8", "e8d8")),
    )
    assert not any("loses" in sentence for sentence in found.explanation())


class Adviser:
    """To it a2a3 is always best; each other move costs the more the later it comes."""

    def judge(self, board: chess.Board, limits: Limits) -> Verdict:
        person_moved = board.turn == chess.BLACK
        cost = 110 + 10 * len(board.move_stack) if person_moved else 0
        return Verdict(0, None, (500 - cost, 0, 500 + cost), line("a2a3"))


def test_only_the_worst_are_shown_in_the_order_of_the_game() -> None:
    game = Game()
    for move in ["g1f3", "g8f6", "b1c3", "b8c6", "h2h3", "h7h6", "h1h2", "h8h7"]:
        game.push(chess.Move.from_uci(move), 0)
    for move in ["e2e3", "e7e6", "d2d3", "d7d6", "f1e2", "f8e7", "c1d2", "c8d7"]:
        game.push(chess.Move.from_uci(move), 0)
    seen: list[tuple[int, int]] = []
    found = find_mistakes(game, Adviser(), lambda done, of: seen.append((done, of)))  # type: ignore[arg-type]
    assert seen == [(number, 8) for number in range(8)]
    assert [len(one.board.move_stack) for one in found] == list(range(4, 16, 2))
    assert len(found) == MOST_SHOWN
