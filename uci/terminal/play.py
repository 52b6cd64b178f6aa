"""`wadjet play`: its command line, and the loop that asks for moves and commands until the end.

The game is kept in a file after every move, so that leaving in any way loses nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import chess

from engine.command_line import Parser
from engine.files import reason_of
from engine.spelling import did_you_mean
from uci import loop
from uci.analysis.lines import side_name
from uci.game import files, newcomer
from uci.game.game import Game
from uci.game.moves import MoveError, read_move
from uci.game.newcomer import read_level
from uci.game.opponent import Opponent
from uci.game.options import clock, seconds
from uci.game.sitting import read_fen, who_plays
from uci.render import NAME
from uci.terminal.commands import COMMANDS, SYNONYMS, is_over, resume
from uci.terminal.screen import BOLD, YELLOW, Abilities, Screen, abilities_of
from uci.terminal.session import PlaySession
from uci.text import brief

INTERRUPTED = 130  # what shells expect after Ctrl-C
KEPT = "Your game is kept: wadjet play {} continues it."
KEPT_FINISHED = "wadjet play {} shows this game again, until you play another."
DESCRIPTION = "Play a game against Wadjet in this terminal. Type help in the game for its commands."


def main(words_after_play: Sequence[str]) -> int:
    """Returns the exit status: 0 left, 1 failed with a message, 2 wrong usage, 130 Ctrl-C."""
    try:
        chosen = _parser().parse_args(words_after_play)
    except SystemExit as wrong_usage:
        return int(wrong_usage.code or 0)
    if sys.stdout is None:  # closed before the start
        return 1
    screen = _screen(chosen)
    if chosen.help:
        screen.show(_parser().format_help().splitlines())
        return 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as an exception: nothing is lost
    session = None
    try:
        loop.announce_compiling(screen.say)
        session = PlaySession(screen, Opponent(chosen.seconds), Game())
        _begin(session, chosen)
        _converse(session)
        _say_what_is_kept(session)
    except KeyboardInterrupt:
        screen.say()
        if session is not None:
            _say_what_is_kept(session)
        return INTERRUPTED
    except (OSError, ValueError) as reason:
        screen.end_passing()
        print(f"wadjet play: {reason_of(reason)}", file=sys.stderr, flush=True)
        return 2 if isinstance(reason, ValueError) else 1
    return 0


def _screen(chosen: argparse.Namespace) -> Screen:
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # no text may end the game
            stream.reconfigure(errors="backslashreplace")
    able = abilities_of(sys.stdout)
    return Screen(
        sys.stdout,
        Abilities(
            unicode=able.unicode and not chosen.ascii,
            colours=0 if chosen.no_colour else able.colours,
            overwrites=able.overwrites,
        ),
    )


def _begin(session: PlaySession, chosen: argparse.Namespace) -> None:
    """Begin the game that the command line describes. Raises OSError, ValueError."""
    level = None
    if chosen.level is not None:
        level = read_level(chosen.level, session.opponent.levels)
        session.remember(level)
    if chosen.resume and not files.kept_path().exists():
        raise FileNotFoundError("there is no game to continue; wadjet play starts one")
    if chosen.resume or chosen.pgn is not None:
        path = files.kept_path() if chosen.resume else chosen.pgn
        game = files.read(path, session.opponent.engine.set_position)
        game.level = level if chosen.level is not None else game.level
        resume(session, game)
        return
    if chosen.level is None:
        level = _usual_level(session)
    board = chess.Board()
    if chosen.chess960:
        board = chess.Board.from_chess960_pos(random.randrange(960))
    elif chosen.fen is not None:
        board, left_out = read_fen(session.opponent, chosen.fen)
        for text in left_out:
            session.screen.say(text, YELLOW)
    person = chess.BLACK if chosen.black else board.turn
    game = Game(board, person, level, chosen.clock)
    session.screen.say(f"{NAME}: {who_plays(game)}", BOLD)
    if level is None:
        least, most = session.opponent.levels
        session.screen.say(
            f"For an even game type level and your rating ({least} to {most}); level 800 suits a "
            "beginner."
        )
    if not session.screen.abilities.colours:
        session.screen.say("Capital letters are White's men.")
    session.screen.say("Type a move, such as e4, Nf3 or e2e4 (from e2 to e4), or help.")
    session.begin(game)


def _usual_level(session: PlaySession) -> int | None:
    """That of the last time; a newcomer at a terminal is asked. Raises ValueError."""
    say, levels = session.screen.say, session.opponent.levels
    if known := newcomer.remembered():
        return read_level(known, levels)
    if not sys.stdin.isatty():
        return None
    say(newcomer.QUESTION, BOLD)
    for number, (answer, _) in enumerate(newcomer.ANSWERS, 1):
        say(f"  {number}  {answer}")
    while True:
        try:
            text = input("A number, your rating, or Enter to skip: ")
            if text.strip().casefold() in ("quit", "exit", "bye"):
                raise SystemExit
            level = newcomer.answered(text, levels)
            break
        except (EOFError, OSError):  # as in the game
            say()
            raise SystemExit from None
        except ValueError as reason:
            say(f"{reason}.", YELLOW)
    session.remember(level)
    say(newcomer.begins_at(level))
    return level


def _converse(session: PlaySession) -> None:
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # input() then edits lines and remembers them
    while not session.leaving:
        try:
            line = input(_prompt(session)).strip()
        except (EOFError, OSError):  # the end of the input; the terminal has gone
            session.screen.say()
            break
        if not session.flag_has_fallen():
            _obey(session, line)


def _say_what_is_kept(session: PlaySession) -> None:
    if session.keeps and session.game.board.move_stack:
        again = "--resume"
        if session.kept_at != files.kept_path():
            again = f"--pgn {session.kept_at}"
        text = KEPT if session.game.ending is None else KEPT_FINISHED
        session.screen.say(text.format(again))


def _prompt(session: PlaySession) -> str:
    game = session.game
    if game.ending is not None:
        return "play> "
    return f"{game.board.fullmove_number}. Your move ({side_name(game.person)}): "


def _obey(session: PlaySession, line: str) -> None:
    """Carry out a command or a move."""
    word, _, argument = line.partition(" ")
    name = SYNONYMS.get(word.casefold(), word.casefold())
    if not line:
        return
    if session.resigns and name in ("y", "yes"):
        name = "resign"
    elif session.resigns and name in ("n", "no"):
        session.resigns = False
        session.screen.say("The game goes on.")
        return
    session.resigns = session.resigns and name == "resign"
    if name in COMMANDS:
        COMMANDS[name].run(session, argument.strip())
        return
    try:
        move = read_move(session.game.board, line)
    except MoveError as reason:
        if not is_over(session):
            session.screen.say(str(reason), YELLOW)
        return
    if move is None:
        meant = did_you_mean(word, (*COMMANDS, *SYNONYMS)) or "; help lists both."
        session.screen.say(f"{brief(line, 20)} is neither a move nor a command{meant}", YELLOW)
    elif not is_over(session):
        session.person_moves(move)


# --- The command line ----------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    made = Parser(
        prog="wadjet play", usage="%(prog)s [options]", description=DESCRIPTION, add_help=False
    )
    made.add_argument("-h", "--help", action="store_true", help="show this help message and exit")
    made.add_argument("--level", metavar="N", help="strength as a rating, e.g. 800, or full")
    made.add_argument("--black", action="store_true", help="you play Black")
    made.add_argument("--clock", type=clock, metavar="M+S", help="minutes, and seconds a move")
    made.add_argument(
        "--seconds", type=seconds, default=1.0, metavar="S",
        help="the engine's time for a move without clocks (default: 1)",
    )  # fmt: skip
    starts = made.add_mutually_exclusive_group()
    starts.add_argument("--fen", help="begin with this position")
    starts.add_argument(
        "--chess960", action="store_true", help="begin with a random position of Chess960"
    )
    starts.add_argument("--pgn", type=Path, metavar="FILE", help="continue a saved game")
    starts.add_argument("--resume", action="store_true", help="continue the last game")
    made.add_argument("--ascii", action="store_true", help="letters instead of chess pieces")
    made.add_argument(
        "--no-colour", "--no-color", action="store_true", help="no colours, as with NO_COLOR set"
    )
    return made
