"""The one reader of games, and their text. Nothing is guessed and nothing is lost in silence: what
was left out of a game is in its `faults`, with line and move."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import chess
import chess.pgn

from openings.game_text import (
    RESULTS,
    Fault,
    GameText,
    Token,
    plain_result,
    split_games,
    text_lines,
)
from openings.moves import (
    ENGLISH,
    LANGUAGES,
    Letters,
    letters_of,
    plain_signs,
    read_move,
    without_marks,
)

COLUMNS = 80  # the standard asks for fewer than 256
_PASSES = {"--", "Z0", "0000", "@@@@", "<>"}
_IGNORED = {"", "e.p.", "e.p", "ep"}  # also a check sign that stands alone
_STRAYS = {"}", "]", "$"}
_WHY = {chess.InvalidMoveError: "is no move", chess.AmbiguousMoveError: "is ambiguous"}
_SYMBOLS = {
    "=": 10, "∞": 13, "+=": 14, "+/=": 14, "⩲": 14, "=+": 15, "=/+": 15, "⩱": 15, "+/-": 16,
    "±": 16, "-/+": 17, "∓": 17, "+-": 18, "-+": 19, "□": 7, "⨀": 22, "N": 146,
}  # fmt: skip  # NAGs
_IMPOSSIBLE = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
)


@dataclass(frozen=True)
class FoundGame:
    """A game of a file, as far as it could be read."""

    number: int  # from 1; text that is no game has the number of the game that follows
    line: int  # of the file, from 1
    game: chess.pgn.Game
    faults: tuple[Fault, ...] = ()  # what was left out, in the order of lines
    refused: str = ""  # why nothing of it can be used; usually empty

    @property
    def name(self) -> str:
        players = players_of(self.game)
        return f"game {self.number}" + (f" ({players})" if players else "")

    def checked(self, set_position: Callable[[chess.Board], str | None]) -> FoundGame:
        """The same, after what an engine said of it: it returns what it leaves out of a position,
        and raises ValueError for what it does not take."""
        if self.refused:
            return self
        try:
            remark = set_position(self.game.end().board())
        except ValueError as reason:
            return replace(self, refused=str(reason))
        faults = (Fault(self.line, remark), *self.faults) if remark else self.faults
        return replace(self, faults=faults)

    def left_out(self, path: object, done: str) -> list[str]:
        """Sentences about what is missing, each with file, line and game; `done` is what became
        of the rest: `analysed`."""
        if self.refused:
            return [_printable(f"{path}:{self.line}: {self.name} was left out: {self.refused}")]
        return [
            _printable(f"{path}:{line}: {self.name}: {text}" + f": {done} up to there" * is_end)
            for line, text, is_end in self.faults
        ]


def players_of(game: chess.pgn.Game) -> str:
    """`White - Black`; empty if both are unknown."""
    white, black = game.headers.get("White", "?"), game.headers.get("Black", "?")
    return "" if white == black == "?" else f"{white} - {black}"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "..."


# --- Reading -------------------------------------------------------------------------------------


def read_games(source: bytes | io.BufferedReader) -> Iterator[FoundGame]:
    """The games of a file, one after the other. Text that is no game comes as one that is refused,
    once for all that stands between two games."""
    if isinstance(source, bytes):
        source = io.BufferedReader(io.BytesIO(source))
    known = _KnownMoves()
    number, is_game = 1, True
    for text in split_games(text_lines(source)):
        found = read_text(text, number, known)
        was_game, is_game = is_game, bool(text.tags or found.game.variations)
        if is_game or was_game:
            number += 1
            yield found


def read_text(text: GameText, number: int = 1, known: _KnownMoves | None = None) -> FoundGame:
    """A game whose text was cut out of a file."""
    faults = text.faults.copy()
    game = _with_tags(text, faults)
    refused = ""
    try:
        board = _first_board(game)
    except ValueError as reason:
        refused = str(reason)
    else:
        reading = _Reading(text, game, board, ENGLISH, known)
        letters = letters_of(text.words) if reading.faults else set()
        if not letters <= ENGLISH.keys():
            reading, refused = _in_other_letters(reading, text, letters)
        game = reading.game
        faults = sorted(faults + reading.faults)
    if not refused and not game.variations:
        refused = next((fault.text for fault in faults if fault.is_end), "")
        if not refused and not text.tags:
            words = [token.text.strip("{; ") for token in text.tokens] or [text.result]
            refused = f"it is no game: {_short(' '.join(words[:10])) or 'only numbers'}"
    return FoundGame(number, text.line, game, tuple(faults), refused)


def _with_tags(text: GameText, faults: list[Fault]) -> chess.pgn.Game:
    """A game without moves. The tag Result counts, if it says something."""
    game = chess.pgn.Game()
    headers = game.headers
    headers.update(
        {
            name: value
            for name, value in text.tags.items()
            if name not in ("FEN", "SetUp", "Variant") or value not in ("", "?", "-")
        }
    )
    headers["Result"] = plain_result(headers["Result"].strip())
    if text.result:
        if headers["Result"] in ("*", "?", ""):
            headers["Result"] = text.result
        elif text.result not in ("*", _marker(headers["Result"])):
            said = f"the tag Result says {headers['Result']}, the marker {text.result}"
            faults.append(Fault(text.last_line, said))
    return game


def _first_board(game: chess.pgn.Game) -> chess.Board:
    """Raises ValueError if it is no position of chess."""
    if not game.headers.keys() & {"FEN", "Variant"}:
        return chess.Board()
    variant = game.headers.get("Variant", "Standard")
    try:
        is_chess = game.headers.variant() is chess.Board
    except ValueError:
        is_chess = False
    if not is_chess:
        raise ValueError(f"{variant} is not chess")
    board: chess.Board = game.board()
    if "FEN" in game.headers and board.status() & _IMPOSSIBLE:
        raise ValueError("its first position is impossible")
    return board


def _in_other_letters(english: _Reading, text: GameText, letters: set[str]) -> tuple[_Reading, str]:
    """The reading in a language that has these letters, if all such languages agree on it, or why
    there is none."""
    readings = {
        name: _Reading(text, _with_tags(text, []), _first_board(english.game), table)
        for name, table in LANGUAGES.items()
        if letters <= table.keys()
    }
    best = max((reading.rank for reading in readings.values()), default=english.rank)
    if best <= english.rank:
        return english, ""
    names = [name for name, reading in readings.items() if reading.rank == best]
    if len({pgn_of(readings[name].game) for name in names}) > 1:
        return english, f"its letters can be {' or '.join(names)}"
    return readings[names[0]], ""


_Tree = dict[str, tuple[chess.Move, "_Tree"]]


class _KnownMoves:
    """Words that were parsed before, as a tree from the start position: games mostly begin alike,
    and to look one up is far quicker."""

    def __init__(self) -> None:
        self.tree: _Tree = {}
        self._room = 200_000  # words

    def learn(self, tree: _Tree, word: str, move: chess.Move) -> _Tree | None:
        """What may follow the word; None if there is no room for more."""
        if self._room == 0:
            return None
        self._room -= 1
        tree[word] = move, {}
        return tree[word][1]


@dataclass
class _OpenLine:
    """The main line or a side line, as far as it was read."""

    node: chess.pgn.GameNode
    board: chess.Board
    is_new: bool = False  # a side line without moves
    remark: str = ""  # before the first of them
    known: _Tree | None = None  # what may follow


class _Reading:
    """A game as it reads with the letters of one language."""

    def __init__(
        self,
        text: GameText,
        game: chess.pgn.Game,
        board: chess.Board,
        letters: Letters,
        known: _KnownMoves | None = None,
    ) -> None:
        """Adds the moves to `game`, whose first position is `board`."""
        self.game = game
        self.faults: list[Fault] = []
        self._letters = letters
        is_usual = "FEN" not in game.headers and not board.chess960
        self._known = known or _KnownMoves()
        self._lines = [_OpenLine(game, board, known=self._known.tree if is_usual else None)]
        self._at = text.line
        self._is_cut = False
        self._skipped = 0  # open brackets of a side line whose rest is left out
        self._read(text.tokens)

    @property
    def rank(self) -> tuple[int, int]:
        """The better of two readings of one text has the higher one."""
        return self.game.end().ply(), -len(self.faults)

    def _read(self, tokens: list[Token]) -> None:
        before = " "
        for word, self._at in tokens:
            if self._skipped:
                self._skipped += (word == "(") - (word == ")")
                if not self._skipped:
                    self._close()
            elif word[0] in "{;":
                self._comment(word, "\n" if word[0] == before[0] == ";" else " ")
            elif word[0] in "($)" and word != "$":
                self._structure(word)
            else:
                self._word(word)
            if self._is_cut:
                return
            before = word
        if len(self._lines) > 1:
            self._fault("a side line is not closed")
            while len(self._lines) > 1:
                self._close()

    def _fault(self, text: str, is_end: bool = False) -> None:
        self.faults.append(Fault(self._at, text, is_end))

    def _structure(self, word: str) -> None:
        if word == "(":
            self._open()
        elif word[0] == "$":
            self._mark([int(word[1:])])
        elif len(self._lines) > 1:
            self._close()
        else:
            self._fault("a side line is closed that was not opened")

    def _open(self) -> None:
        line = self._lines[-1]
        if line.is_new or line.node.parent is None:
            self._fault("a side line before any move was left out")
            self._lines.append(_OpenLine(line.node, line.board))
            self._skipped = 1
            return
        board = line.board.copy(stack=1)
        board.pop()
        self._lines.append(_OpenLine(line.node.parent, board, is_new=True))

    def _close(self) -> None:
        line = self._lines.pop()
        if line.is_new and line.remark:  # a remark in brackets
            node = self._lines[-1].node
            node.comment = _joined(node.comment, line.remark)

    def _comment(self, word: str, blank: str) -> None:
        line = self._lines[-1]
        text = word[1:].removeprefix(" ")
        if line.is_new:
            line.remark = _joined(line.remark, text, blank)
        else:
            line.node.comment = _joined(line.node.comment, text, blank)

    def _mark(self, nags: list[int]) -> None:
        line = self._lines[-1]
        if line.is_new or line.node.parent is None:
            self._fault("a mark before any move was left out")
        else:
            line.node.nags.update(nags)

    def _word(self, word: str) -> None:
        line = self._lines[-1]
        if line.known is not None and word in line.known:
            move, line.known = line.known[word]
            self._play(move)
            return
        plain = plain_signs(word)
        if plain in _SYMBOLS:
            self._mark([_SYMBOLS[plain]])
        elif word in RESULTS.values():  # of a side line
            if word != "*":
                self._comment("{" + word, " ")
        elif plain in _STRAYS:
            self._fault(f"{word} is out of place")
        elif plain in _PASSES and len(self._lines) > 1 and not line.board.is_check():
            self._play(chess.Move.null())
        else:
            self._move(word)

    def _move(self, word: str) -> None:
        line = self._lines[-1]
        plain, nags = without_marks(word)
        if plain not in _IGNORED:
            try:
                move = read_move(line.board, plain, self._letters)
            except ValueError as reason:
                why = _WHY.get(type(reason), "is illegal")
                self._stop(word, "is a pass" if plain in _PASSES else why)
                return
            self._play(move)
            if line.known is not None:
                line.known = None if nags else self._known.learn(line.known, word, move)
        if nags:
            self._mark(nags)

    def _play(self, move: chess.Move) -> None:
        line = self._lines[-1]
        line.node = line.node.add_variation(move, starting_comment=line.remark)
        line.board.push(move)
        line.is_new = False
        line.remark = ""

    def _stop(self, word: str, why: str) -> None:
        """Leave out the rest of the line."""
        number = self._lines[-1].board.fullmove_number
        text = f"move {number}, {_short(word)}, {why}"
        self._is_cut = len(self._lines) == 1
        self._skipped = 1
        if self._is_cut:
            self._fault(text, is_end=True)
        else:
            self._fault(f"{text}: the rest of a side line was left out")


def _joined(before: str, text: str, blank: str = " ") -> str:
    return f"{before}{blank}{text}" if before and (text or blank == "\n") else before or text


# --- Writing -------------------------------------------------------------------------------------


def pgn_of(game: chess.pgn.Game) -> str:
    """The game as text. Its moves are in lines of up to COLUMNS characters; comments stay whole."""
    return str(game.accept(_Writer(columns=COLUMNS)))


def pgn_text(games: Iterable[chess.pgn.Game]) -> str:
    """A file of games."""
    return "".join(f"{pgn_of(game)}\n\n" for game in games)


class _Writer(chess.pgn.StringExporter):  # type: ignore[misc]  # its type is unknown
    """python-chess writes quotes, braces and results that nobody could read again."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, tagvalue.replace("\\", "\\\\").replace('"', '\\"'))

    def visit_comment(self, comment: str) -> None:
        """In braces, or after semicolons if the braces in it could be taken for these."""
        if "}" not in comment and not ("{" in comment and "\n" in comment):
            super().visit_comment(comment)
            return
        self.flush_current_line()
        for line in comment.strip().split("\n"):
            self.write_line(f"; {line}")
        self.force_movenumber = True

    def visit_result(self, result: str) -> None:
        super().visit_result(_marker(result))


def _marker(result: str) -> str:
    """What ends a game with that tag Result."""
    first, *_ = plain_result(result).split() or [""]
    return first if first in RESULTS.values() else "*"
