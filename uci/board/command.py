"""The command line of `wadjet board`."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import chess

from engine.command_line import Parser
from engine.files import reason_of
from engine.settings import RANGES
from uci.analysis.games import Analysed
from uci.board.asked import RefusedError
from uci.board.browser import open_browser
from uci.board.desk import Desk, Shown
from uci.board.server import Server
from uci.game import files, newcomer
from uci.game.game import Game
from uci.game.newcomer import read_level
from uci.game.opponent import Opponent
from uci.game.options import clock, seconds
from uci.game.sitting import read_fen
from uci.loop import announce_compiling
from uci.output import Output, standard_output
from uci.render import NAME

DESCRIPTION = """A board in your browser: play against Wadjet, watch it think, analyse games.
Without options it continues your last game. Only this machine reaches it, by a secret address."""
SECONDS = 1.0  # the engine's, for a move without clocks
IDLE_S = 15 * 60.0  # without a tab; then it ends
MOST_PORT = 65535


def main(words: Sequence[str]) -> int:
    """Returns the exit status: 0 ended, 1 failed with a message, 2 wrong usage."""
    output = standard_output()
    arguments = _parser().parse_args(words)
    try:
        level = None if arguments.level is None else read_level(arguments.level, RANGES["elo"])
    except ValueError as reason:
        _complain(str(reason))
        return 2
    announce_compiling(output.say)
    desk = Desk(lambda: Opponent(arguments.seconds))
    try:
        _begin(desk, arguments, level)
        server = Server(desk, "Wadjet", NAME, arguments.port)
    except (OSError, ValueError) as reason:
        _complain(reason_of(reason))
        return 2 if isinstance(reason, RefusedError) else 1
    serve(server, output, not arguments.no_browser, IDLE_S)
    return 0


def _complain(text: str) -> None:
    print(f"wadjet board: {text}", file=sys.stderr, flush=True)


def serve(server: Server, output: Output, opens: bool, idle_s: float | None = None) -> None:
    """Until Ctrl-C, or until nobody has looked for `idle_s`. `opens`: the browser, if there is one
    with windows."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    output.say(f"Your board: {server.address}\nCtrl-C ends it; your game is kept.")
    if opens:  # may wait for the browser
        threading.Thread(target=open_browser, args=(server.address,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(idle_s)


def server_of(done: Sequence[Analysed]) -> Server:
    """The board of games that have been analysed. Raises OSError."""
    shown = [Shown(one.game, one) for file in done for one in file.reviews]
    desk = Desk(lambda: Opponent(SECONDS), shown)
    return Server(desk, ", ".join(file.title for file in done), done[0].footer)


def _begin(desk: Desk, arguments: argparse.Namespace, level: int | None) -> None:
    """Raises OSError, ValueError."""
    if arguments.file is not None:
        shown, left_out = _games_of(desk, arguments.file)
        desk.show(shown)
        for text in left_out:
            _complain(text)
        return
    is_new = arguments.level or arguments.black or arguments.clock or arguments.fen
    if not is_new and _looked_last():
        desk.show(*_games_of(desk, files.analysis_path()))
        return
    last = _last_game()
    if last is not None and last.ending is None and last.board.move_stack and not is_new:
        desk.begin(last)
        return
    if arguments.level is None:
        known = newcomer.remembered()
        level = read_level(known, RANGES["elo"]) if known else newcomer.SKIPPED
    board, left_out = chess.Board(), []
    if arguments.fen is not None:
        board, left_out = desk.of_engine(lambda opponent: read_fen(opponent, arguments.fen))
        for text in left_out:
            _complain(text)
    person = chess.BLACK if arguments.black else board.turn
    game = Game(board, person, level, arguments.clock)
    game.left_out = left_out
    desk.begin(game)
    if arguments.level is not None:
        desk.remember(level)


def _looked_last() -> bool:
    """Whether games were looked at since the last one was played."""
    try:
        looked = files.analysis_path().stat().st_mtime
        return not files.kept_path().exists() or files.kept_path().stat().st_mtime < looked
    except OSError:
        return False


def _last_game() -> Game | None:
    try:
        return files.read(files.kept_path())
    except (OSError, ValueError):  # none, or none that can be read
        return None


def _games_of(desk: Desk, path: Path) -> tuple[list[Shown], list[str]]:
    """And what was left out. Raises OSError, and ValueError if there is no game."""
    shown, left_out = desk.read(path.read_bytes(), path)
    if not shown:
        raise ValueError("; ".join(left_out) or f"{path}: there is no game in it")
    return shown, left_out


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="wadjet board", description=DESCRIPTION)
    add = parser.add_argument
    add("file", nargs="?", type=Path, metavar="FILE", help="show the games of a PGN file")
    add("--level", metavar="N", help="begin a game at this strength, e.g. 800, or full")
    add("--black", action="store_true", help="you play Black")
    add("--clock", type=clock, metavar="M+S", help="minutes, and seconds a move")
    add("--fen", help="begin with this position")
    add("--seconds", type=seconds, default=SECONDS, metavar="S",
        help="the engine's time for a move without clocks (default: 1)")  # fmt: skip
    add("--port", type=_port, default=0, metavar="N", help="the port of the address (default: any)")
    add("--no-browser", action="store_true", help="only print the address")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PORT:
        raise argparse.ArgumentTypeError(f"from 0 to {MOST_PORT}, not {text!r}")
    return int(text)
