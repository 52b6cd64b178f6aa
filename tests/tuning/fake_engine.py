"""A UCI engine that plays a move of its list and says what it is told to say of it.

As an XBoard engine it plays the first one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import chess

COMMAND = f'"{sys.executable}" "{__file__}"'
XBOARD_COMMAND = f"xboard:{COMMAND} --xboard"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--score", type=int, help="centipawns (default: the nodes it may search)")
    parser.add_argument("--plays", type=int, default=0, help="the place of its move in the list")
    parser.add_argument("--likes", default="", help="a move that it scores a pawn higher")
    parser.add_argument("--static", metavar="PAWNS", help="what `eval` says (default: nothing)")
    parser.add_argument("--dies-at", type=int, help="the number of the search in which it ends")
    parser.add_argument("--hangs-at", type=int, help="the number of the search it never ends")
    parser.add_argument("--xboard", action="store_true", help="speak XBoard's protocol")
    parser.add_argument("--memory", action="store_true", help="say that it can be told its memory")
    parser.add_argument("--resigns-at", type=int, help="the number of the `go` that it resigns at")
    parser.add_argument("--remark", help="what it says before `readyok`")
    parser.add_argument("--hears", type=Path, help="where to write what it hears")
    arguments = parser.parse_args()
    if arguments.xboard:
        speak_xboard(arguments)
        return
    board, searches, chess960 = chess.Board(), 0, False
    for line in heard(arguments.hears):
        words = line.split()
        if words[0] == "uci":
            say("id name Fake\noption name Hash type spin default 16 min 1 max 1024")
            say("option name UCI_Chess960 type check default false\nuciok")
        elif line.startswith("setoption name UCI_Chess960"):
            chess960 = words[-1] == "true"
        elif words[0] == "isready":
            if arguments.remark:
                say(arguments.remark)
            say("readyok")
        elif words[0] == "position":
            text, _, moves = line.partition(" moves ")
            board = chess.Board(chess960=chess960)
            if words[1] == "fen":
                board.set_fen(text.split("fen ")[1].strip())
            for move in moves.split():
                board.push_uci(move)
        elif words[0] == "go":
            searches += 1
            if searches == arguments.dies_at:
                sys.exit(1)
            if searches == arguments.hangs_at:
                continue
            limits = dict(zip(words[1::2], words[2::2], strict=False))
            score = int(limits["nodes"]) if arguments.score is None else arguments.score
            listed = [str(move) for move in board.legal_moves]
            if "searchmoves" in limits:
                listed = [limits["searchmoves"]]
            move = listed[arguments.plays % len(listed)] if listed else "(none)"
            score += 100 * (move == arguments.likes)
            say(f"info depth 1 nodes 1 score cp {score} pv {move}\nbestmove {move}")
        elif words[0] == "eval" and arguments.static is not None:
            said = "none (in check)" if board.is_check() else f"{arguments.static} (white side) [x]"
            say(f"Final evaluation       {said}")
        elif words[0] == "quit":
            return


def speak_xboard(arguments: argparse.Namespace) -> None:
    board, searches = chess.Board(), 0
    for line in heard(arguments.hears):
        words = line.split()
        if words[0] == "protover":
            say(f"feature ping=1 setboard=1 usermove=1 memory={int(arguments.memory)} done=1")
        elif words[0] == "new":
            board = chess.Board()
        elif words[0] == "setboard":
            board.set_fen(line.partition(" ")[2].strip())
        elif words[0] == "usermove":
            board.push_uci(words[1])
        elif words[0] == "ping":
            say(f"pong {words[1]}")
        elif words[0] == "go":
            searches += 1
            if searches == arguments.resigns_at:
                say("resign")
                continue
            move = next(iter(board.legal_moves))
            board.push(move)
            say(f"move {move}")
        elif words[0] == "quit":
            return


def heard(path: Path | None) -> Iterator[str]:
    """The lines that it is told, which it also writes down if it is given a path."""
    for line in sys.stdin:
        if path:
            with open(path, "a", encoding="utf-8") as file:
                file.write(line)
        yield line


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
