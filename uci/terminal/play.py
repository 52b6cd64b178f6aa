"""`wadjet play`: the program around the table. It asks for moves and commands until the end.

The game is kept in a file after every move, so that leaving in any way loses nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import chess

from engine.reasons import reason_of
from uci import loop
from uci.render import NAME
from uci.terminal import arguments, pgn, words
from uci.terminal.commands import (
    COMMANDS,
    SYNONYMS,
    is_over,
    read_fen,
    read_game,
    read_level,
    resume,
    strength,
)
from uci.terminal.game import Game
from uci.terminal.moves import MoveError, read_move
from uci.terminal.opponent import Opponent
from uci.terminal.screen import BOLD, YELLOW, Abilities, Screen, abilities_of
from uci.terminal.table import Table
from uci.text import brief

INTERRUPTED = 130  # what shells expect after Ctrl-C
KEPT = "Your game is kept: wadjet play --resume goes on with it."
KEPT_FINISHED = "wadjet play --resume shows this game again, until you play another."


def main(words_after_play: Sequence[str]) -> int:
    """Returns the exit status: 0 left, 1 failed with a message, 2 wrong usage, 130 Ctrl-C."""
    try:
        chosen = arguments.read(words_after_play)
    except SystemExit as wrong_usage:
        return int(wrong_usage.code or 0)
    if sys.stdout is None:  # closed before the start
        return 1
    screen = _screen(chosen)
    if chosen.help:
        screen.show(arguments.parser().format_help().splitlines())
        return 0
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as an exception: nothing is lost
    table = None
    try:
        loop.announce_compiling(screen.say)
        table = Table(screen, Opponent(chosen.seconds), Game())
        _sit_down(table, chosen)
        _converse(table)
        _say_what_is_kept(table)
    except KeyboardInterrupt:
        screen.say()
        if table is not None:
            _say_what_is_kept(table)
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


def _sit_down(table: Table, chosen: argparse.Namespace) -> None:
    """Begin the game that the command line describes. Raises OSError, ValueError."""
    level = None
    if chosen.level is not None:
        level = read_level(str(chosen.level), table.opponent.levels)
    if chosen.resume and not pgn.kept_path().exists():
        raise FileNotFoundError("there is no game to go on with; wadjet play starts one")
    if chosen.resume or chosen.pgn is not None:
        path = pgn.kept_path() if chosen.resume else chosen.pgn
        game = read_game(table, path)
        if not _is_kept_game(path):
            _set_aside_last_game(table)
        game.level = level if chosen.level is not None else game.level
        resume(table, game)
        return
    board = chess.Board() if chosen.fen is None else read_fen(table, chosen.fen)
    person = chess.BLACK if chosen.black else board.turn
    _set_aside_last_game(table)
    table.screen.say(f"{NAME}: you are {words.side_name(person)}, I play {strength(level)}.", BOLD)
    if level is None:
        least, most = table.opponent.levels
        table.screen.say(
            f"For an even game type level and your rating ({least} to {most}); level 800 suits a "
            "beginner."
        )
    table.screen.say("Type a move, such as e4 or Nf3 or e2e4, or help.")
    table.begin(Game(board, person, level, chosen.clock))


def _is_kept_game(path: Path) -> bool:
    with contextlib.suppress(OSError):  # none is kept
        return path.samefile(pgn.kept_path())
    return False


def _set_aside_last_game(table: Table) -> None:
    """The game that an earlier run left unfinished would be overwritten."""
    with contextlib.suppress(OSError, ValueError):
        last = pgn.read(pgn.kept_path())
        if last.ending is None and last.board.move_stack:
            pgn.kept_path().replace(pgn.previous_path())
            table.screen.say("Your last game is not finished: load goes on with it.")


def _converse(table: Table) -> None:
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # input() then edits lines and remembers them
    while not table.leaving:
        try:
            line = input(_prompt(table)).strip()
        except (EOFError, OSError):  # the end of the input; the terminal has gone
            table.screen.say()
            break
        if not table.flag_has_fallen():
            _obey(table, line)


def _say_what_is_kept(table: Table) -> None:
    if table.keeps and table.game.board.move_stack:
        table.screen.say(KEPT if table.game.ending is None else KEPT_FINISHED)


def _prompt(table: Table) -> str:
    game = table.game
    if game.ending is not None:
        return "play> "
    return f"{game.board.fullmove_number}. Your move ({words.side_name(game.person)}): "


def _obey(table: Table, line: str) -> None:
    """Carry out a command or a move."""
    word, _, argument = line.partition(" ")
    name = SYNONYMS.get(word.casefold(), word.casefold())
    if not line:
        return
    if name in COMMANDS:
        COMMANDS[name].run(table, argument.strip())
        return
    try:
        move = read_move(table.game.board, line)
    except MoveError as reason:
        if not is_over(table):
            table.screen.say(str(reason), YELLOW)
        return
    if move is None:
        table.screen.say(
            f"{brief(line, 20)} is neither a move nor a command; help lists both.", YELLOW
        )
    elif not is_over(table):
        table.person_moves(move)
