"""The commands of a game at the terminal, all listed in COMMANDS."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chess

from engine.files import expanded, reason_of
from uci.analysis.lines import side_name
from uci.analysis.standing import Standing
from uci.game import files
from uci.game.game import Game, TimeControl, clock_text
from uci.game.newcomer import read_level, strength
from uci.game.sitting import (
    hint,
    read_fen,
    read_side,
    standing_of,
    who_plays,
)
from uci.terminal.screen import YELLOW
from uci.terminal.session import PlaySession

LONGEST_ADVICE = 6  # plies


def is_over(session: PlaySession) -> bool:
    """Whether the game has ended; says so."""
    if session.game.ending is not None:
        session.screen.say("The game is over. undo takes moves back, new starts another.")
    return session.game.ending is not None


def _undo(session: PlaySession, _: str) -> None:
    if session.game.undo():
        session.go_on()
    else:
        session.screen.say("There is no move of yours to take back.")


def _standing(session: PlaySession, meanwhile: str = "Looking ...") -> Standing:
    session.screen.pass_by(meanwhile)
    return standing_of(session.opponent, session.game)


def _hint(session: PlaySession, _: str) -> None:
    moves = _standing(session).line.moves
    if moves or not is_over(session):
        session.screen.say(hint(session.game.board, moves[0]))


def _eval(session: PlaySession, _: str) -> None:
    standing, say = _standing(session), session.screen.say
    say(standing.words())
    if standing.line.moves:
        say(standing.expectation())
        moves = session.game.board.variation_san(standing.line.moves[:LONGEST_ADVICE])
        say(f"Best line: {moves}")


def _level(session: PlaySession, argument: str) -> None:
    game, say = session.game, session.screen.say
    try:
        level = session.next_level
        if argument:
            level = read_level(argument, session.opponent.levels)
    except ValueError as reason:
        say(f"{reason}.", YELLOW)
        return
    session.next_level = level
    if argument:
        session.remember(level)
    if game.ending is None:
        game.level = level
        session.keep()
        say(f"I play {strength(level)}.")
    else:
        say(f"In the next game I play {strength(level)}.")
    if not argument:
        least, most = session.opponent.levels
        say(f"Levels go from {least} to {most}; level full is full strength.")


def _new(session: PlaySession, argument: str) -> None:
    side = read_side(argument) if argument else session.game.person
    if side is None:
        session.screen.say("new, new white, new black or new random.", YELLOW)
        return
    _begin_another(session, chess.Board(), side)


def _begin_another(session: PlaySession, board: chess.Board, person: chess.Color) -> None:
    session.set_aside()
    game = Game(board, person, session.next_level, session.game.control)
    session.screen.say(f"A new game: {who_plays(game)}")
    session.begin(game)


def _fen(session: PlaySession, argument: str) -> None:
    if not argument:
        session.screen.say(session.game.board.fen())
        return
    try:
        board, left_out = read_fen(session.opponent, argument)
    except ValueError as reason:
        session.screen.say(f"No such position: {reason}.", YELLOW)
        return
    for text in left_out:
        session.screen.say(text, YELLOW)
    _begin_another(session, board, board.turn)


def _flip(session: PlaySession, _: str) -> None:
    session.from_white = not session.from_white
    session.show_board()


def _board(session: PlaySession, _: str) -> None:
    session.show_board()


def _moves(session: PlaySession, _: str) -> None:
    board = session.game.board
    if not board.move_stack:
        session.screen.say("No move has been played.")
        return
    session.screen.say(board.root().variation_san(board.move_stack))
    session.screen.say(f"Opening: {session.opening() or 'without a name'}")


def _resign(session: PlaySession, _: str) -> None:
    if is_over(session):
        return
    if session.resigns:
        session.game.resign()
        session.go_on()
    else:
        session.screen.say("Do you want to give the game up? Then type resign again.")
    session.resigns = not session.resigns


def _draw(session: PlaySession, _: str) -> None:
    if is_over(session):
        return
    if reason := session.why_no_draw_yet():
        session.screen.say(reason)
        return
    if reason := session.why_no_draw(_standing(session, "Wadjet considers it ...")):
        session.screen.say(reason)
        return
    session.go_on()


def _clock(session: PlaySession, argument: str) -> None:
    game, say = session.game, session.screen.say
    if not argument:
        if game.control is None:
            say("There are no clocks. clock 5+3 gives each side 5 minutes and 3 seconds a move.")
        else:
            left = session.left_ms(game.person)
            mine = game.clock_ms(not game.person)
            say(f"You have {clock_text(left)}, I have {clock_text(mine)}.")
        return
    try:
        control = None if argument.casefold() == "off" else TimeControl.read(argument)
    except ValueError as reason:
        say(f"{reason}; clock off stops the clocks.", YELLOW)
        return
    game.set_control(control)
    session.restart_turn()
    session.keep()
    say("No clocks." if control is None else f"The clocks run: {control}.")


def _save(session: PlaySession, argument: str) -> None:
    path = _saved(session, argument)
    if path is None:
        return
    if session.game.ending is None:
        session.screen.say(f"Saved as {path}. load {path} continues it.")
    else:
        session.screen.say(f"Saved as {path}. analyse explains every move of it.")


def _saved(session: PlaySession, argument: str) -> Path | None:
    """The file in which the game is now; None after a failure, which was shown."""
    try:
        path = expanded(argument) if argument else session.saved_to or _free_name()
        if path.exists() and path != session.saved_to:
            session.screen.say(f"{path} exists already; give another name.", YELLOW)
            return None
        if not path.parent.is_dir():
            session.screen.say(f"Not saved: there is no folder {path.parent}", YELLOW)
            return None
        files.write(session.game, path)
    except (OSError, ValueError) as reason:
        session.screen.say(f"Not saved: {reason_of(reason)}", YELLOW)
        if not argument:
            session.screen.say("Name a place that you may write to: save FOLDER/NAME.pgn")
        return None
    session.saved_to = path
    return path


def _analyse(session: PlaySession, argument: str) -> None:
    screen = session.screen
    if not session.game.board.move_stack:
        screen.say("No move has been played.")
        return
    path = _saved(session, argument)
    if path is None:
        return
    from uci.analysis import games  # not at startup: it takes longer

    screen.say(f"Saved as {path}. Looking at every position (Ctrl-C stops) ...")
    try:
        file, settings = games.GameFile.beside(path), games.GameSettings(rating=session.game.level)
        session.open_page(games.analyse_file(file, settings, screen.say, screen.say))
    except KeyboardInterrupt:  # what was found is kept, and it was said
        return
    except (OSError, MemoryError, games.NoGamesError) as reason:
        screen.say(f"Not analysed: {reason_of(reason)}", YELLOW)


def _free_name() -> Path:
    """A name in this folder that no file has."""
    path = Path(f"wadjet-{datetime.date.today()}.pgn")
    return files.free_path(path) if path.exists() else path


def _load(session: PlaySession, argument: str) -> None:
    try:
        if not argument and not files.previous_path().exists():
            session.screen.say("There is no game before this one. load FILE loads a saved game.")
            return
        path = expanded(argument) if argument else files.previous_path()
        if not path.exists():
            path = path.with_name(f"{path.name}.pgn")
        game = files.read(path, session.opponent.engine.set_position)
    except (OSError, ValueError) as reason:
        session.screen.say(f"Not loaded: {reason_of(reason)}", YELLOW)
        return
    session.set_aside()
    if not files.is_ours(game):
        game.level = session.next_level
    resume(session, game)


def resume(session: PlaySession, game: Game) -> None:
    """Go on with a game from a file."""
    for text in game.left_out:
        session.screen.say(text, YELLOW)
    least, most = session.opponent.levels
    if game.level is not None and not least <= game.level <= most:
        session.screen.say(f"The game was at level {game.level}, which I do not have.", YELLOW)
        game.level = None
    if game.ending is None:
        session.screen.say(f"The game continues: {who_plays(game)}")
    else:
        session.screen.say(f"This game is over. You were {side_name(game.person)}.")
    session.begin(game)


def _review(session: PlaySession, _: str) -> None:
    session.review()


def _help(session: PlaySession, _: str) -> None:
    say = session.screen.say
    say("A move is written as e4, Nf3, exd5, O-O or e8=Q, or by its squares: e2e4. Commands:")
    width = 2 + max(len(command.usage) for command in COMMANDS.values() if len(command.usage) < 11)
    for command in COMMANDS.values():
        session.screen.say_item(command.usage, command.purpose, width)


def _quit(session: PlaySession, _: str) -> None:
    session.leaving = True


class PlayCommand(NamedTuple):
    usage: str
    purpose: str
    run: Callable[[PlaySession, str], None]  # with what follows its name


COMMANDS = {
    command.usage.split()[0]: command
    for command in (
        PlayCommand("undo", "take back your last move", _undo),
        PlayCommand("hint", "a good move for you", _hint),
        PlayCommand("level N", "how strong I play, as a rating; full: full strength", _level),
        PlayCommand("eval", "who is better, and the best line", _eval),
        PlayCommand("resign", "give the game up", _resign),
        PlayCommand("draw", "offer a draw", _draw),
        PlayCommand("new [white|black|random]", "a new game", _new),
        PlayCommand("flip", "turn the board around", _flip),
        PlayCommand("board", "show the board again", _board),
        PlayCommand("moves", "list the moves of the game", _moves),
        PlayCommand("clock 5+3", "minutes, and seconds a move; off: no clocks", _clock),
        PlayCommand("fen [FEN]", "show the position, or play from another", _fen),
        PlayCommand("save [FILE]", "save the game as PGN", _save),
        PlayCommand("analyse", "save, and explain every move in your browser", _analyse),
        PlayCommand("load [FILE]", "continue a saved game, or the previous one", _load),
        PlayCommand("review", "show your mistakes so far", _review),
        PlayCommand("help", "show this list", _help),
        PlayCommand("quit", "leave; the game is kept", _quit),
    )
}
SYNONYMS = {"exit": "quit", "?": "help", "takeback": "undo", "d": "board", "bye": "quit",
            "analyze": "analyse"}  # fmt: skip
