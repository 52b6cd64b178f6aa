"""Any sequence of commands to the real engine: a legal bestmove for each go, and always ready."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

import chess
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engine.api import Engine
from tests.soak.page import Row
from tests.uci.gui import InProcess

THREADS = (1, 2, 8)
STEPS = 40
FENS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1",  # stalemate
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",  # mate
    "8/8/8/8/8/2k5/1q6/K7 w - - 99 80",
    "4k3/8/8/8/8/8/8/KQ6 w - - 0 1",
)
WRONG = (
    "", "fen", "fen 8/8/8/8/8/8/8/8 w - - 0 1", "fen 4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "startpos e2e4", "startpos moves e2e4 e7e5 e1e3 e8e7",
)  # fmt: skip
LIMITS = (
    "depth 4", "nodes 500", "movetime 5", "infinite", "ponder wtime 100 btime 100", "mate 2",
    "wtime 20 btime 20 winc 1 binc 1", "depth 3 searchmoves a2a3 e1d1", "wtime -5 btime 0", "",
    "perft 1",
)  # fmt: skip
OPTIONS = (
    "Hash value 1", "Hash value 4", "MultiPV value 3", "MultiPV value 1", "Clear Hash",
    "UCI_ShowWDL value true", "Move Overhead value 0", "OwnBook value true", "OwnBook value false",
    "SyzygyPath value nowhere", "SyzygyPath value", "Evaluation value classical",
    "Ponder value true", "Evaluation value network", "nodestime value 600", "nodestime value 0",
    "Hash value x",
)  # fmt: skip


class Conversation(RuleBasedStateMachine):
    """A GUI that keeps to the protocol in nothing but its words."""

    threads = 1

    def __init__(self) -> None:
        super().__init__()
        self.gui = InProcess(Engine(hash_mb=1, threads=self.threads))
        self.board: chess.Board | None = chess.Board()
        self.owed: list[chess.Board | None] = []  # the positions of searches; None: there is none
        self.answers = 0
        self.closed = False

    @initialize()
    def greet(self) -> None:
        self.gui.send("uci")
        self.gui.expect("uciok")

    @rule(limits=st.sampled_from(LIMITS))
    def go(self, limits: str) -> None:
        if not limits.startswith("perft"):
            self.owed.append(self.board and self.board.copy())
        self.gui.send(f"go {limits}".strip())

    @rule()
    def stop(self) -> None:
        self.gui.send("stop")

    @rule()
    def ponderhit(self) -> None:
        self.gui.send("ponderhit")

    @rule(fen=st.sampled_from(FENS), data=st.data())
    def position(self, fen: str, data: st.DataObject) -> None:
        board = chess.Board(fen)
        moves = []
        for _ in range(data.draw(st.integers(0, 6))):
            legal = sorted(board.legal_moves, key=str)
            if not legal:
                break
            moves.append(data.draw(st.sampled_from(legal)))
            board.push(moves[-1])
        self.board = board
        self.gui.send(f"position fen {fen} moves {' '.join(map(str, moves))}")

    @rule(wrong=st.sampled_from(WRONG))
    def wrong_position(self, wrong: str) -> None:
        self.board = None
        self.gui.send(f"position {wrong}")

    @rule(command=st.sampled_from(("d", "eval", "flip", "perft 1")))
    def look(self, command: str) -> None:
        if command == "flip" and self.board is not None:
            self.board.apply_mirror()
        self.gui.send(command)

    @rule(option=st.sampled_from(OPTIONS))
    def setoption(self, option: str) -> None:
        self.gui.send(f"setoption name {option}")

    @rule()
    def ucinewgame(self) -> None:
        self.gui.send("ucinewgame")

    @rule()
    def isready(self) -> None:
        self.gui.send("isready")
        self.gui.expect("readyok")

    @precondition(lambda self: self.owed)
    @rule()
    def settle(self) -> None:
        """All searches are stopped, and each has given its bestmove."""
        self.gui.send("stop", "isready")
        self.check()

    def check(self) -> None:
        self.gui.expect("readyok")
        while len(self.moves()) < len(self.owed):
            self.gui.expect("bestmove")
        for board, text in zip(self.owed, self.moves(), strict=True):
            if board is None:
                assert text == "(none)"
            elif board.legal_moves:
                move = chess.Move.from_uci(text)
                assert move in board.legal_moves, (board.fen(), text)
            else:
                assert text == "(none)", (board.fen(), text)
        internal = [line for line in self.gui.heard if "internal error" in line]
        assert not internal, internal

    def moves(self) -> list[str]:
        return [line.split()[1] for line in self.gui.heard if line.startswith("bestmove")]

    def teardown(self) -> None:
        try:
            self.gui.send("stop", "isready")
            self.check()
        finally:
            self.gui.send("quit")
            self.gui.join()


def conversation(threads: int) -> Any:
    """The state machine for an engine with so many threads."""
    return type(f"Conversation{threads}", (Conversation,), {"threads": threads})


def play(threads: int, examples: int, steps: int = STEPS, seeded: bool = False) -> None:
    """Raises AssertionError, with the shortest sequence that fails."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=seeded,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(conversation(threads), settings=chosen)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--examples", type=int, default=1000,
        help="conversations with each number of threads (default: 1000)")  # fmt: skip


def run(arguments: argparse.Namespace) -> Iterator[Row]:
    for threads in THREADS:
        fault = ""
        with contextlib.suppress(AssertionError):
            fault = "failed; the sequence was printed"
            play(threads, arguments.examples)
            fault = ""
        yield Row(
            test=f"conversations, {threads} threads",
            command=f"python -m tests.fuzz states --examples {arguments.examples}",
            size=f"{arguments.examples:,} random sequences of up to {STEPS} commands",
            result=fault or "a legal bestmove for each go, always ready",
            faults=int(bool(fault)),
            order=40 + threads,
        )
