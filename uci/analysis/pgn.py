"""Games in PGN: reading them, and writing what the analysis found into them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import chess
import chess.engine
import chess.pgn

from engine import __version__
from openings.pgn import decoded, pgn_of, problem_of, read_game
from uci.analysis.judgement import Mark
from uci.analysis.notation import moves_of
from uci.analysis.positions import Line, Place
from uci.analysis.review import Review
from uci.text import one_line

MARKS = {1, 2, 3, 4, 5, 6}  # the NAGs from ! to ?!
MOST_VARIATION_PLIES = 8
OUR_COMMENT = re.compile(
    r"(Inaccuracy|Mistake|Blunder):\s+chances\s+fall\s+from\s+\d+%\s+to\s+\d+%[^.]*\.\s*"
)


@dataclass(frozen=True)
class FoundGame:
    """A game of a file. `problem` is why it cannot be analysed, usually empty."""

    number: int  # from 1
    line: int  # of the file, from 1
    game: chess.pgn.Game
    problem: str = ""

    @property
    def name(self) -> str:
        players = players_of(self.game)
        return f"game {self.number}" + (f" ({players})" if players else "")


def read_games(data: bytes) -> list[FoundGame]:
    """All games of a file; what is no game at all is left out."""
    if b"\0" in data:  # no text
        return []
    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    source = io.StringIO(text)
    games: list[FoundGame] = []
    while True:
        start = source.tell()
        start += len(text[start:]) - len(text[start:].lstrip())
        game = read_game(source)
        if game is None:
            return games
        is_game = any(game.mainline()) or any(value != "?" for value in _tags(game))
        if is_game or game.errors:
            line = text.count("\n", 0, start) + 1
            games.append(FoundGame(len(games) + 1, line, game, _problem(game)))


def _tags(game: chess.pgn.Game) -> list[str]:
    """The values of those tags that python-chess does not fill in itself."""
    own = {"Date", "Result"}
    return [value for tag, value in game.headers.items() if tag not in own]


def _problem(game: chess.pgn.Game) -> str:
    if problem := problem_of(game):
        return one_line(problem, 120)
    return "" if any(game.mainline()) else "it has no moves"


def players_of(game: chess.pgn.Game) -> str:
    """`White - Black`; empty if both are unknown."""
    white, black = game.headers.get("White", "?"), game.headers.get("Black", "?")
    return "" if white == black == "?" else f"{white} - {black}"


def places_of(game: chess.pgn.Game) -> list[Place]:
    """The positions of the main line, from the first to the last."""
    board = game.board()
    fen, chess960 = board.fen(), board.chess960
    places, moves = [Place(fen, (), chess960)], []
    for node in game.mainline():
        moves.append(board.uci(node.move))
        board.push(node.move)
        places.append(Place(fen, tuple(moves), chess960))
    return places


def annotate(review: Review) -> None:
    """Write scores, marks, best lines and accuracies into the game. What it contains is kept."""
    game = review.game
    headers = game.headers
    if review.opening is not None:
        headers.setdefault("ECO", review.opening.code)
        headers.setdefault("Opening", review.opening.name)
    headers.setdefault("Annotator", f"Wadjet {__version__}")
    for side, percent in zip(("White", "Black"), review.accuracies, strict=True):
        if percent is not None:
            headers[f"{side}Accuracy"] = f"{percent:.1f}"
    for number, node in enumerate(list(game.mainline())):
        before, after = review.analyses[number : number + 2]
        move = review.moves[number]
        for found in OUR_COMMENT.finditer(node.comment):  # an earlier analysis
            node.nags.discard(Mark[found[1].upper()].nag)
        node.comment = OUR_COMMENT.sub("", node.comment).strip()
        if move.mark is not None:
            if not node.nags & MARKS:
                node.nags.add(move.mark.nag)
            board = node.parent.board()
            best, *line = moves_of(board, before.line.moves[:MOST_VARIATION_PLIES])
            said = f"{move.mark.title}: chances fall from {move.before:.0f}% to {move.after:.0f}%"
            node.comment = f"{said}, {board.san(best)} was best. {node.comment}".strip()
            if not node.parent.has_variation(best):
                node.parent.add_variation(best).add_line(line)
        node.set_eval(_pov_score(after.line, node.turn()))


def _pov_score(line: Line, turn: bool) -> Any:
    if line.mate is None:
        return chess.engine.PovScore(chess.engine.Cp(line.centipawns or 0), chess.WHITE)
    if line.mate == 0:  # the side to move is mated
        return chess.engine.PovScore(chess.engine.Mate(0), turn)
    return chess.engine.PovScore(chess.engine.Mate(line.mate), chess.WHITE)


def pgn_text(games: Iterable[chess.pgn.Game]) -> str:
    return "\n\n".join(map(pgn_of, games)) + "\n"
