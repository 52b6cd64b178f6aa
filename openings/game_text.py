"""Files of games, cut into games. What is no game text, and what could not be read, is reported.

A game ends at its termination marker or at the next tag section, outside comments, whatever blank
lines there are; without a marker also where moves start again at number 1.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

RESULTS = {"white": "1-0", "black": "0-1", "draw": "1/2-1/2", "open": "*"}
_MARKS_OF_ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NOUGHT = "[0Oo\u041e\u043e]"  # zero, or a Latin or Cyrillic letter
_HALF = "(?:1/2|½|0[.,]5)"
_DASH = r"\s*[-:x\N{MULTIPLICATION SIGN}\u2010-\u2015\u2212]\s*"
_RESULT = re.compile(
    rf"(?:(?P<white>1{_DASH}{_NOUGHT})|(?P<black>{_NOUGHT}{_DASH}1)"
    rf"|(?P<draw>{_HALF}{_DASH}{_HALF}|1/2|½))[.,!]?(?![^\s(){{}};$\[\]*\x1a])"
    r"|(?P<open>\*)\.?"
)
_TOKEN = re.compile(
    rf"(?P<result>{_RESULT.pattern})"
    r"""
    |(?P<number>[0-9]{1,4}\s*[.…][.…\s]*|[0-9]{1,3}(?=\s|$)|[0-9]{1,3}(?=[a-hKQRBNO]))
    |(?P<word>[^\s(){};$\[\]*\x1a]+(?:(?<=[18])\([^\W\d_a-h]{1,2}\))?)
    |(?P<comment>\{)
    |(?P<rest>;.*)
    |(?P<bracket>\[)
    |(?P<other>[()]|\$[0-9]{1,9}|[}$\]])
    """,
    re.VERBOSE,
)
_NAME = r"\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s*"
_TAG = re.compile(_NAME + r'"((?:[^"\\]|\\.)*)"\s*\]')
_LOOSE_TAG = re.compile(r"\s*" + _NAME + r'"(.*)"\s*\]\s*$')  # quotes without backslashes
_ESCAPED = re.compile(r'\\(["\\])')
_NAMES = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant")
_USUAL_NAMES = {name.lower(): name for name in _NAMES}


class Fault(NamedTuple):
    """What was left out, and where."""

    line: int  # of the file, from 1
    text: str
    is_end: bool = False  # the rest of the game is left out


class Token(NamedTuple):
    """Of the moves: a word, a bracket, a NAG, or a comment with the `{` or `;` before it."""

    text: str
    line: int

    @property
    def is_comment(self) -> bool:
        return self.text[0] in "{;"


@dataclass
class GameText:
    """A game as it is written: tags, and the words of its moves without their numbers."""

    line: int  # of the file, from 1
    tags: dict[str, str] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    result: str = ""  # as its termination marker says; empty without one
    faults: list[Fault] = field(default_factory=list)
    last_line: int = 0  # of the moves
    _has_moves: bool = False  # or something in their place
    _is_after_blank: bool = False  # since the last tag
    _depth: int = 0  # of side lines
    _plies: int = 0
    _last_word: str = ""

    @property
    def words(self) -> list[str]:
        return [token.text for token in self.tokens if not token.is_comment]

    def ends_before(self, kind: str, text: str, line: int) -> bool:
        """Whether the next piece of text belongs to another game."""
        if self.result:
            return line != self.last_line or kind not in ("comment", "fault")
        if kind == "tag":
            name = text.partition(" ")[0]
            is_again = name in self.tags and (self._is_after_blank or name == "Event")
            return self._has_moves or is_again
        if kind == "number":  # 1
            return self._ends_inside() or (self._plies > 1 and self._depth == 0)
        return False

    def add(self, kind: str, text: str, line: int) -> None:
        if kind in ("word", "result") and self._depth == 0:
            self._plies += 1
        if kind == "result":
            text = plain_result(text)
            self.result = self.result if self._depth else text
        if kind in ("word", "result", "number", "other"):
            self._has_moves = True
            self.last_line = line
            if kind != "number" and not self.result:
                self._depth = max(0, self._depth + (text == "(") - (text == ")"))
                self._last_word = text
                self.tokens.append(Token(text, line))
        elif kind == "comment":
            self.tokens.append(Token(text, line))
        elif kind == "blank":
            self._is_after_blank = True
        elif kind == "fault":
            self.faults.append(Fault(line, text))
        else:
            name, _, value = text.partition(" ")
            if name in self.tags:
                self.faults.append(Fault(line, f"a second tag {name} was left out"))
            self.tags.setdefault(name, value)
            self._is_after_blank = False

    def close(self) -> GameText:
        """A marker in a side line that nobody closed ends the game."""
        if self._ends_inside():
            last = [token for token in self.tokens if not token.is_comment][-1]
            self.tokens.remove(last)
            self.result = last.text
        return self

    def _ends_inside(self) -> bool:
        return self._depth > 0 and self._last_word in RESULTS.values()


def plain_result(text: str) -> str:
    """With a result at its beginning as the standard writes it."""
    found = _RESULT.match(text)
    return RESULTS[found.lastgroup or ""] + text[found.end() :] if found else text


def text_lines(file: io.BufferedReader) -> Iterator[str]:
    r"""Lines that end in \n. UTF-8 if they are, else the Latin-1 of Windows, line by line: files
    may have been joined; UTF-16 or UTF-32 if the file begins so."""
    start = file.peek(4)[:4]
    encodings = (name for mark, name in _MARKS_OF_ENCODINGS.items() if start.startswith(mark))
    zeros = "".join("0" if byte == 0 else "x" for byte in start)
    unmarked = {"x0x0": "utf-16-le", "0x0x": "utf-16-be"}
    if encoding := next(encodings, unmarked.get(zeros)):
        text = file.read().decode(encoding, "replace")
        lines: Iterable[str] = io.StringIO(text, newline=None)
    else:  # splitlines: also at a bare \r
        lines = (_decoded(line) + "\n" for data in file for line in data.splitlines())
    for line in lines:
        yield line.lstrip("\ufeff")


def _decoded(data: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return data.decode("latin-1")


def split_games(lines: Iterable[str]) -> Iterator[GameText]:
    """What stands between two games and belongs to neither comes as a game without tags."""
    game: GameText | None = None
    for kind, text, line in _pieces(lines):
        if game is not None and kind != "blank" and game.ends_before(kind, text, line):
            yield game.close()
            game = None
        if game is not None or kind != "blank":
            game = game or GameText(line)
            game.add(kind, text, line)
    if game is not None:
        yield game.close()


def _pieces(lines: Iterable[str]) -> Iterator[tuple[str, str, int]]:
    """Kind, text and line of each tag, number 1, word, result, bracket, comment, fault and blank
    line."""
    source = _Source(lines)
    comment: list[str] = []  # the parts of one that goes on in the next line
    began = 0
    while (line := source.next()) is not None:
        at = 0
        if comment and _LOOSE_TAG.match(line) and not source.closes_comment():
            yield from _unclosed(comment, began)
            comment = []
        if comment:
            inside, brace, _ = line.partition("}")
            comment.append(inside)
            if not brace:
                continue
            yield "comment", _comment(comment), began
            comment, at = [], len(inside) + 1
        elif line.isspace():
            yield "blank", "", source.line
            continue
        elif line.startswith("%"):  # private data, says the standard
            continue
        while found := _TOKEN.search(line, at):
            kind, text, at = found.lastgroup or "", found[0], found.end()
            if kind == "comment":
                inside, brace, _ = line[at:].partition("}")
                at += len(inside) + 1
                comment, began = ["{", inside], source.line
                if not brace:
                    break
                text, comment = _comment(comment), []
            elif kind == "bracket":
                kind, text, at = _tag(line, found.start())
            elif kind == "rest":
                kind, text = "comment", text.rstrip()
            elif kind == "number" and text.rstrip() not in ("1", "1."):
                continue  # says nothing about where games begin
            yield kind, text, source.line
    if comment:
        yield from _unclosed(comment, began)


class _Source:
    """Lines, with a look ahead."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.line = 0
        self._lines = iter(lines)
        self._ahead: deque[str] = deque()
        self._closes = 0  # line up to which a comment is known to go on

    def next(self) -> str | None:
        self.line += 1
        return self._ahead.popleft() if self._ahead else next(self._lines, None)

    def closes_comment(self) -> bool:
        """Whether a comment with a line like a tag in it is closed later: whether the next brace
        does so, for comments do not contain comments."""
        if self.line <= self._closes:
            return True
        for number in count(self.line + 1):
            at = number - self.line - 1
            if at == len(self._ahead):
                line = next(self._lines, None)
                if line is None:
                    return False
                self._ahead.append(line)
            line = self._ahead[at]
            if not _LOOSE_TAG.match(line) and (brace := re.search("[{}]", line)):
                self._closes = number
                return brace[0] == "}"
        return False


def _tag(line: str, start: int) -> tuple[str, str, int]:
    """The tag, or the fault, that begins with a bracket there, and where it ends."""
    found = _TAG.match(line, start)
    if found is None and not line[:start].strip():
        found = _LOOSE_TAG.match(line)
    if found is not None:
        name = _USUAL_NAMES.get(found[1].lower(), found[1])
        value = _ESCAPED.sub(r"\1", found[2])
        return "tag", f"{name} {value}", found.end()
    end = (line.find("]", start) + 1) or len(line)
    return "fault", f"{line[start:end].strip()} is no tag", end


def _comment(parts: list[str]) -> str:
    """With the brace before it, without blanks around it."""
    return "{" + "".join(parts)[1:].strip()


def _unclosed(parts: list[str], line: int) -> Iterator[tuple[str, str, int]]:
    yield "comment", _comment(parts), line
    yield "fault", "a comment is not closed; what follows in it was not read as moves", line
