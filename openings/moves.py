"""Moves as people write them: SAN, long algebraic notation and coordinates, with figurines or the
letters of a language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import chess

# King, queen, rook, bishop, knight, and where it has a letter the pawn.
_LANGUAGES = {
    "English": "K Q R B N",
    "English with P for pawns": "K Q R B N P",
    "Czech": "K D V S J",
    "Dutch": "K D T L P",
    "Estonian": "K L V O R",
    "Finnish": "K D T L R",
    "French": "R D T F C",
    "German": "K D T L S",
    "Hungarian": "K V B F H",
    "Icelandic": "K D H B R",
    "Polish": "K H W G S",
    "Portuguese": "R D T B C",
    "Romanian": "R D T N C",
    "Russian": "Кр Ф Л С К",  # noqa: RUF001
    "Spanish": "R D T A C",
    "Turkish": "Ş V K F A",
}
Letters = Mapping[str, str]  # to those of SAN
LANGUAGES: dict[str, Letters] = {
    name: {"": "", **dict(zip(letters.split(), ("K", "Q", "R", "B", "N", ""), strict=False))}
    for name, letters in _LANGUAGES.items()
}
ENGLISH = LANGUAGES["English"]

_PLAIN_SIGNS = str.maketrans({
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\N{MULTIPLICATION SIGN}:", "x"),
    **dict(zip("♔♕♖♗♘♚♛♜♝♞", "KQRBNKQRBN", strict=True)),
    **dict.fromkeys("♙♟\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}", ""),
})  # fmt: skip
_MARK_NAGS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_MARKED = re.compile(r"(.*?)([+#!?†‡]*)", re.DOTALL)
_MARK = re.compile(r"[!?]{1,2}")
_EN_PASSANT = re.compile(r"(?<=[36])\s*e\.?p\.?$")
_SAN = re.compile(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?")
_CASTLING = re.compile(r"([O0o\u041e\u043e])-\1(-\1)?")  # zero, or a Latin or Cyrillic letter
_LETTER = r"[^\W\d_a-hx]"
_MOVE = re.compile(
    rf"({_LETTER}{{0,2}})([a-h]?[1-8]?)[-x]?([a-h][1-8])(?:[=/(]?({_LETTER}{{1,2}}|b)\)?)?"
)


def without_marks(word: str) -> tuple[str, list[int]]:
    """A word without check signs and marks, and the NAGs of the marks."""
    if word[-1:].isalnum():
        return word, []
    found = _MARKED.fullmatch(word)
    assert found is not None
    return found[1], [_MARK_NAGS[mark] for mark in _MARK.findall(found[2])]


def plain_signs(word: str) -> str:
    """With letters for figurines, and the hyphens and crosses of SAN."""
    return word if word.isascii() and ":" not in word else word.translate(_PLAIN_SIGNS)


def read_move(board: chess.Board, word: str, letters: Letters = ENGLISH) -> chess.Move:
    """The move that a word without marks stands for. Raises chess.InvalidMoveError if it is no
    move, chess.IllegalMoveError, chess.AmbiguousMoveError."""
    if letters is ENGLISH and _SAN.fullmatch(word):  # usually, and the quickest
        return board.parse_san(word)
    plain = plain_signs(word)
    if castling := _CASTLING.fullmatch(plain):
        return board.parse_san("O-O-O" if castling[2] else "O-O")
    found = _MOVE.fullmatch(_EN_PASSANT.sub("", plain))
    if found is None or found[1] not in letters:
        raise chess.InvalidMoveError(f"{word} is no move")
    san = letters[found[1]] + found[2] + found[3]
    if promotion := found[4]:
        if promotion.upper() not in letters:
            raise chess.InvalidMoveError(f"{word} is no move")
        san += "=" + letters[promotion.upper()]
    return board.parse_san(san)


def letters_of(words: Iterable[str]) -> set[str]:
    """Those that stand for pieces in the words that look like moves."""
    letters = set()
    for word in words:
        plain, _ = without_marks(plain_signs(word))
        if found := _MOVE.fullmatch(_EN_PASSANT.sub("", plain)):
            letters |= {found[1], (found[4] or "").upper()}
    return letters
