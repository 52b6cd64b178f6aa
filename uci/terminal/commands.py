"""The commands of a game at the terminal, one entry each in COMMANDS."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chess

from engine.api import PositionError
from engine.files import expanded
from engine.limits import Limits
from engine.machine import cores
from engine.reasons import reason_of
from openings.game import board_of
from uci.terminal import pgn, words
from uci.terminal.game import Game, TimeControl
from uci.terminal.moves import in_words
from uci.terminal.review import numbered
from uci.terminal.screen import YELLOW
from uci.terminal.table import Table
from uci.text import brief, whole_number

ADVICE = Limits(movetime_ms=700)  # for a hint or a judgement
EARLIEST_DRAW = 10  # full moves: before, the engine wants to play
FULL_STRENGTH = ("full", "off", "max")
LONGEST_ADVICE = 6  # plies


def is_over(table: Table) -> bool:
    """Whether the game has ended; says so."""
    if table.game.ending is not None:
        table.screen.say("The game is over. undo takes moves back, new starts another.")
    return table.game.ending is not None


def _undo(table: Table, _: str) -> None:
    if table.game.undo():
        table.go_on()
    else:
        table.screen.say("There is no move of yours to take back.")


def _hint(table: Table, _: str) -> None:
    if is_over(table):
        return
    table.screen.pass_by("Looking ...")
    board = table.game.board
    verdict = table.opponent.judge(board, ADVICE)
    move = verdict.line[0]
    table.screen.say(f"Hint: {board.san(move)} ({in_words(board, move)}).")


def _eval(table: Table, _: str) -> None:
    if is_over(table):
        return
    table.screen.pass_by("Looking ...")
    board = table.game.board
    verdict = table.opponent.judge(board, ADVICE)
    table.screen.say(words.standing(verdict))
    table.screen.say(words.chances(verdict))
    table.screen.say(f"Best line: {numbered(board, verdict.line[:LONGEST_ADVICE])}")


def _level(table: Table, argument: str) -> None:
    game, say = table.game, table.screen.say
    try:
        level = table.next_level if not argument else read_level(argument, table.opponent.levels)
    except ValueError as reason:
        say(f"{reason}.", YELLOW)
        return
    table.next_level = level
    if game.ending is None:
        game.level = level
        table.opponent.set_level(level)
        table.keep()
        say(f"I play {strength(level)}.")
    else:
        say(f"In the next game I play {strength(level)}.")
    if not argument:
        least, most = table.opponent.levels
        say(f"Levels go from {least} to {most}; level full is full strength.")


def read_level(text: str, levels: tuple[int, int]) -> int | None:
    """None is full strength. Raises ValueError with the reason."""
    if text.casefold() in FULL_STRENGTH:
        return None
    least, most = levels
    level = whole_number(text)
    if level is None or not least <= level <= most:
        raise ValueError(f"Levels go from {least} to {most}, not {brief(text, 20)}")
    return level


def strength(level: int | None) -> str:
    return "at full strength" if level is None else f"at level {level}"


def _new(table: Table, argument: str) -> None:
    sides = {
        "": table.game.person,
        "white": chess.WHITE,
        "black": chess.BLACK,
        "random": random.choice((chess.WHITE, chess.BLACK)),
    }
    side = sides.get(argument.casefold())
    if side is None:
        table.screen.say("new, new white, new black or new random.", YELLOW)
        return
    _begin_another(table, chess.Board(), side)


def _begin_another(table: Table, board: chess.Board, person: chess.Color) -> None:
    table.set_aside()
    level = table.next_level
    table.screen.say(f"A new game: you are {words.side_name(person)}, I play {strength(level)}.")
    table.begin(Game(board, person, level, table.game.control))


def _fen(table: Table, argument: str) -> None:
    if not argument:
        table.screen.say(table.game.board.fen())
        return
    try:
        board = read_fen(table, argument)
    except ValueError as reason:
        table.screen.say(f"No such position: {reason}.", YELLOW)
        return
    _begin_another(table, board, board.turn)


def read_fen(table: Table, text: str) -> chess.Board:
    """Raises ValueError with the reason."""
    engine = table.opponent.engine
    try:
        engine.set_position(text)
    except PositionError as reason:
        raise ValueError(str(reason)) from None
    return board_of(engine.fen())


def _flip(table: Table, _: str) -> None:
    table.from_white = not table.from_white
    table.show_board()


def _board(table: Table, _: str) -> None:
    table.show_board()


def _moves(table: Table, _: str) -> None:
    board = table.game.board
    if not board.move_stack:
        table.screen.say("No move has been played.")
        return
    table.screen.say(numbered(board.root(), board.move_stack))
    table.screen.say(f"Opening: {table.opening() or 'without a name'}")


def _resign(table: Table, _: str) -> None:
    if not is_over(table):
        table.game.resign()
        table.go_on()


def _draw(table: Table, _: str) -> None:
    if is_over(table):
        return
    if table.game.board.fullmove_number < EARLIEST_DRAW:
        table.screen.say(f"It is too early for a draw: ask again from move {EARLIEST_DRAW} on.")
        return
    table.screen.pass_by("Wadjet considers it ...")
    verdict = table.opponent.judge(table.game.board, ADVICE)
    if verdict.points(not table.game.person) > 50:
        table.screen.say("I decline: I think that I stand better.")
        return
    table.game.agree_on_a_draw()
    table.go_on()


def _clock(table: Table, argument: str) -> None:
    game, say = table.game, table.screen.say
    if not argument:
        if game.control is None:
            say("There are no clocks. clock 5+3 gives each side 5 minutes and 3 seconds a move.")
        else:
            left = game.clock_ms(game.person) - (table.spent_ms() if game.persons_turn else 0)
            mine = game.clock_ms(not game.person)
            say(f"You have {words.clock(left)}, I have {words.clock(mine)}.")
        return
    try:
        control = None if argument.casefold() == "off" else TimeControl.read(argument)
    except ValueError as reason:
        say(f"{reason}; clock off stops the clocks.", YELLOW)
        return
    game.set_control(control)
    table.restart_turn()
    table.keep()
    say("No clocks." if control is None else f"The clocks run: {control}.")


def _save(table: Table, argument: str) -> None:
    path = _saved(table, argument)
    if path is None:
        return
    if table.game.ending is None:
        table.screen.say(f"Saved as {path}. load {path} goes on with it.")
    else:
        table.screen.say(f"Saved as {path}. analyse explains every move of it.")


def _saved(table: Table, argument: str) -> Path | None:
    """The file in which the game is now; None after a failure, which was shown."""
    try:
        path = expanded(argument) if argument else table.saved_to or _free_name()
        if path.exists() and path != table.saved_to:
            table.screen.say(f"{path} exists already; give another name.", YELLOW)
            return None
        pgn.write(table.game, path)
    except (OSError, ValueError) as reason:
        table.screen.say(f"Not saved: {reason_of(reason)}", YELLOW)
        if not argument:
            table.screen.say("Name a place that you may write to: save FOLDER/NAME.pgn")
        return None
    table.saved_to = path
    return path


def _analyse(table: Table, argument: str) -> None:
    screen = table.screen
    if not table.game.board.move_stack:
        screen.say("No move has been played.")
        return
    path = _saved(table, argument)
    if path is None:
        return
    from uci.analysis import games  # not at startup: it takes longer

    screen.say(f"Saved as {path}. Looking at every position (Ctrl-C stops) ...")
    limits = Limits(movetime_ms=games.GAME_MS)
    try:
        file = games.GameFile.beside(path)
        games.analyse_file(file, limits, cores(), games.HASH_MB, screen.say, screen.say)
    except KeyboardInterrupt:  # what was found is kept, and it was said
        return
    except (OSError, MemoryError, games.NoGamesError) as reason:
        screen.say(f"Not analysed: {reason_of(reason)}", YELLOW)


def _free_name() -> Path:
    """A name in this folder that no file has."""
    name = f"wadjet-{datetime.date.today()}"
    path, number = Path(f"{name}.pgn"), 2
    while path.exists():
        path, number = Path(f"{name}-{number}.pgn"), number + 1
    return path


def _load(table: Table, argument: str) -> None:
    try:
        if not argument and not pgn.previous_path().exists():
            table.screen.say("There is no game before this one. load FILE loads a saved game.")
            return
        game = read_game(table, expanded(argument) if argument else pgn.previous_path())
    except (OSError, ValueError) as reason:
        table.screen.say(f"Not loaded: {reason_of(reason)}", YELLOW)
        return
    table.set_aside()
    resume(table, game)


def read_game(table: Table, path: Path) -> Game:
    """A game of a file that the engine can play on. Raises OSError, and ValueError with the
    reason."""
    game = pgn.read(path)
    try:
        table.opponent.engine.set_position(game.board)
    except PositionError as reason:
        raise ValueError(f"{path}: {reason}") from None
    return game


def resume(table: Table, game: Game) -> None:
    """Go on with a game from a file."""
    least, most = table.opponent.levels
    if game.level is not None and not least <= game.level <= most:
        table.screen.say(f"The game was at level {game.level}, which I do not have.", YELLOW)
        game.level = None
    side = words.side_name(game.person)
    if game.ending is None:
        table.screen.say(f"The game goes on: you are {side}, I play {strength(game.level)}.")
    else:
        table.screen.say(f"This game is over. You were {side}.")
    table.begin(game)


def _review(table: Table, _: str) -> None:
    table.review()


def _help(table: Table, _: str) -> None:
    say = table.screen.say
    say("A move is written as e4, Nf3, exd5, O-O or e8=Q, or by its squares: e2e4. Commands:")
    width = 2 + max(len(command.usage) for command in COMMANDS.values() if len(command.usage) < 11)
    for command in COMMANDS.values():
        table.screen.say_entry(command.usage, command.purpose, width)


def _quit(table: Table, _: str) -> None:
    table.leaving = True


class Command(NamedTuple):
    usage: str
    purpose: str
    run: Callable[[Table, str], None]  # with what follows its name


COMMANDS = {
    command.usage.split()[0]: command
    for command in (
        Command("undo", "take back your last move", _undo),
        Command("hint", "a good move for you", _hint),
        Command("level N", "how strong I play, as a rating; full: full strength", _level),
        Command("eval", "who is better, and the best line", _eval),
        Command("resign", "give the game up", _resign),
        Command("draw", "offer a draw", _draw),
        Command("new [white|black|random]", "a new game", _new),
        Command("flip", "turn the board around", _flip),
        Command("board", "show the board again", _board),
        Command("moves", "list the moves of the game", _moves),
        Command("clock 5+3", "minutes, and seconds a move; off: no clocks", _clock),
        Command("fen [FEN]", "show the position, or play from another", _fen),
        Command("save [FILE]", "save the game as PGN", _save),
        Command("analyse", "save, and explain every move in your browser", _analyse),
        Command("load [FILE]", "go on with a saved game, or the one before", _load),
        Command("review", "show your mistakes so far", _review),
        Command("help", "show this list", _help),
        Command("quit", "leave; the game is kept", _quit),
    )
}
SYNONYMS = {"exit": "quit", "?": "help", "takeback": "undo", "d": "board", "bye": "quit",
            "analyze": "analyse"}  # fmt: skip
