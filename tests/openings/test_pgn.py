"""Reading games: where one ends, what is kept of it, and what is said about the rest."""

from __future__ import annotations

import io
import random

import chess
import chess.pgn
import pytest

from openings.pgn import FoundGame, pgn_of, pgn_text, read_games


def read(text: str | bytes) -> list[FoundGame]:
    return list(read_games(text.encode() if isinstance(text, str) else text))


def moves_of(found: FoundGame) -> str:
    """The moves as text, side lines, comments and marks included, without tags."""
    return " ".join(pgn_of(found.game).partition("\n\n")[2].split())


def said_of(text: str | bytes) -> list[str]:
    return [sentence for found in read(text) for sentence in found.left_out("x.pgn", "read")]


@pytest.mark.parametrize(
    "text, games",
    [
        (
            '[Event "a"]\n[Result "*"]\n\n1. e4 e5 *\n'
            '[Event "Round 2: Nf3"]\n[Result "0-1"]\n\n1. d4 d5 0-1\n',
            ["1. e4 e5 *", "1. d4 d5 0-1"],
        ),
        ('[Event "a"]\n1. e4 e5\n[Event "b"]\n1. d4', ["1. e4 e5 *", "1. d4 *"]),
        ('[Event "a"] [Site "b"] 1. e4 * [Event "c"] 1. d4 *', ["1. e4 *", "1. d4 *"]),
        ("1. e4 e5 *\n1. d4 1-0\n1. c4 *", ["1. e4 e5 *", "1. d4 1-0", "1. c4 *"]),
        ("1. e4 e5\n1. d4 d5\n\n1. c4 c5", ["1. e4 e5 *", "1. d4 d5 *", "1. c4 c5 *"]),
        ("1. e4\n\n1... e5\n\n2. Nf3\n\n*", ["1. e4 e5 2. Nf3 *"]),
        ('1. e4 {\n[Event "b"] 1. d4 1-0\n} e5 *', ['1. e4 { [Event "b"] 1. d4 1-0 } 1... e5 *']),
        ('1. e4 {see\n\n[Event "b"]\n\n1. d4 *}', ['1. e4 { see [Event "b"] 1. d4 * } *']),
        ('1. e4 ; [Event "b"] 1-0\ne5 *', ['1. e4 { [Event "b"] 1-0 } 1... e5 *']),
        ("1. e4 (1. d4 1-0) e5 (1... c5 *) *", ["1. e4 ( 1. d4 { 1-0 } ) 1... e5 ( 1... c5 ) *"]),
        ('[Event "a"]\n\n*\n\n[Event "b"]\n\n[Event "c"]\n[Event "d"]\n*', ["*"] * 4),
        ('[Event "a"]\n\n[Site "b"]\n\n1. e4', ["1. e4 *"]),  # one section with a blank line in it
        ("1. e4 {last} 1-0 {after it}\n{before} 1. d4", ["1. e4 { last after it } 1-0",
                                                         "{ before } 1. d4 *"]),
    ],
)  # fmt: skip
def test_where_games_end(text: str, games: list[str]) -> None:
    found = read(text)
    assert [moves_of(one) for one in found] == games
    assert said_of(text) == []
    crlf, cr = text.replace("\n", "\r\n"), text.replace("\n", "\r")
    for other in (crlf, cr, f"\ufeff{text}", text.replace("\n", "\r\r\n")):
        assert [moves_of(one) for one in read(other)] == games
    assert [one.number for one in found] == list(range(1, len(games) + 1))


@pytest.mark.parametrize(
    "brace",
    ["{oops", "{oops (1. d4)", '{oops "', "{oops ; e5"],
    ids=lambda text: text[5:] or "bare",
)
def test_an_open_brace_swallows_no_later_game(brace: str) -> None:
    after = '[Event "b"]\n\n1. d4 {closed} d5 *\n\n[Event "c"]\n\n1. c4 *\n'
    for blank in ("\n", "\n\n"):
        found = read(f'[Event "a"]\n\n1. e4 {brace} e5 *{blank}{after}')
        assert [one.game.headers["Event"] for one in found] == ["a", "b", "c"]
        assert "e5 *" in found[0].game.end().comment
        assert [fault.line for fault in found[0].faults] == [3]
        assert "not closed" in found[0].faults[0].text
        assert moves_of(found[1]) == "1. d4 { closed } 1... d5 *"
    assert "not closed" in said_of(f"1. e4 {brace}")[0]


@pytest.mark.parametrize(
    "text, moves",
    [
        ("1.e4 e5 2.Nf3! Nc6 ?! 3 Bb5 $10 a6!?", "1. e4 e5 2. Nf3 $1 Nc6 $6 3. Bb5 $10 a6 $5 *"),
        ("1. e4 1. ... e5 2... Nf3", "1. e4 e5 2. Nf3 *"),
        ("1. e4! e5?? 2. Nf3!! $5 ± Nc6 =", "1. e4 $1 e5 $4 2. Nf3 $3 $5 $16 Nc6 $10 *"),
        ("1. e2-e4 e7e5 2. Ng1-f3 Nb8c6 3. Bf1b5", "1. e4 e5 2. Nf3 Nc6 3. Bb5 *"),
        ("1. ♘f3 ♞f6 2. ♙e4 ♞\u00d7e4 3. ♘\u2013g1 ♟d5", "1. Nf3 Nf6 2. e4 Nxe4 3. Ng1 d5 *"),
        ("1. e4 d5 2. e4:d5 Q:d5", "1. e4 d5 2. exd5 Qxd5 *"),
        ("1. e4 d5 2. ed5 Qxd5", "1. e4 d5 2. exd5 Qxd5 *"),
        ("1. e4 d5 2. e5 f5 3. exf6 e.p. g5", "1. e4 d5 2. e5 f5 3. exf6 g5 *"),
        ("1. e4 d5 2. e5 f5 3. exf6ep! *", "1. e4 d5 2. e5 f5 3. exf6 $1 *"),
        ("1. e4 d5 2. e5 f5 3. exf6 e.p.! *", "1. e4 d5 2. e5 f5 3. exf6 $1 *"),
        ("1. Nf3 d5 2. g3 e5 3. Bg2 e4 4. 0-0", "1. Nf3 d5 2. g3 e5 3. Bg2 e4 4. O-O *"),
        ("1. e4 (1. d4 -- 2. c4) e5", "1. e4 ( 1. d4 -- 2. c4 ) 1... e5 *"),
        ("1. e4 {[%clk 0:10:00]} {[%eval 0.3]}", "1. e4 { [%clk 0:10:00] [%eval 0.3] } *"),
        ("1. e4 ({remark} 1. d4 {x}) ({only})", "1. e4 { only } ( { remark } 1. d4 { x } ) *"),
        ("1. f3 e5 2. g4 Qh4++ 0-1", "1. f3 e5 2. g4 Qh4# 0-1"),
        ("1. f3 e5 2. g4 Qh4 # 0\N{EN DASH}1", "1. f3 e5 2. g4 Qh4# 0-1"),
        ("%private\n1. e4\n% data 1. d4\ne5", "1. e4 e5 *"),
        ("1. e4 e5\x1a", "1. e4 e5 *"),
        ("; one\n; two }\n1. e4 ; three\n", "; one ; two } 1. e4 { three } *"),
    ],
)  # fmt: skip
def test_what_people_write(text: str, moves: str) -> None:
    (found,) = read(text)
    assert moves_of(found) == moves and said_of(text) == []


@pytest.mark.parametrize(
    "written, result",
    [(written, result) for result, *several in (
        ("1-0", "1 - 0", "1- 0", "1 -0", "1\N{EN DASH}0", "1 \N{EM DASH} 0", "1\N{MINUS SIGN}0",
         "1:0", "1 : 0", "1-0.", "1-0,", "1-0!", "1-O", "1-o", "1-\N{CYRILLIC CAPITAL LETTER O}"),
        ("0-1", "0 - 1", "0-1.", "0\N{EN DASH}1", "0 : 1", "O-1", "o - 1"),
        ("1/2-1/2", "1/2", "½", "½-½", "½ - ½", "½\N{EN DASH}½", "½:½", "1/2 - 1/2", "1/2:1/2",
         "1/2-1/2.", "1/2\N{EN DASH}1/2", "½-1/2", "0.5-0.5", "0,5 : 0,5"),
        ("*", "*."),
    ) for written in [result, *several]],
)  # fmt: skip
def test_results_as_people_write_them(written: str, result: str) -> None:
    tags = f'[Event "a"]\n[Result "{written}"]\n\n'
    for text in (f"1. e4 c5 {written}", f"{tags}1. e4 c5 {written}\n\n", f"1. e4 c5 ( {written}"):
        games = read(f"{text}\n1. d4 d5 2. c4 *")
        assert [one.game.headers["Result"] for one in games] == [result, "*"]
        assert moves_of(games[0]) == f"1. e4 c5 {result}"
    (found,) = read(f"{tags}1. e4 ( 1. d4 {written} ) e5 2. Nf3{{x}}{written};y")
    remark = "" if result == "*" else f"{{ {result} }} "
    assert moves_of(found) == f"1. e4 ( 1. d4 {remark}) 1... e5 2. Nf3 {{ x y }} {result}"
    assert found.faults == ()


@pytest.mark.parametrize("word", ["0-0-1", "1/2-0", "1-1", "1-0-0", "l-0", "1-01", "½-0"])
def test_what_is_no_result(word: str) -> None:
    (found,) = read(f"1. e4 c5 {word}")
    assert moves_of(found) == "1. e4 c5 *"
    assert "is no move" in found.faults[0].text


@pytest.mark.parametrize(
    "word", ["e8=Q", "e8Q", "e8(Q)", "e8/Q", "e7e8q", "e7-e8=Q", "e8=q", "e8D"]
)
def test_promotions(word: str) -> None:
    (found,) = read(f'[FEN "8/4P2k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. {word} Kg7 *')
    assert moves_of(found) == "1. e8=Q Kg7 *"
    assert read('[FEN "8/4P2k/8/8/8/8/8/K7 w - - 0 1"]\n\n1. e8 *')[0].refused


RUY_LOPEZ = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 O-O 8. h3 Bb7 9. d3 "
)
RUY_LOPEZ += "d6 10. Qe2 Kh8 *"


@pytest.mark.parametrize(
    "letters", ["RDTAC", "RDTFC", "KDTLS", "KDTLP", "KDVSJ", "KHWGS", "KVBFH", "KDTLR", "RDTBC",
                "RDTNC", "\u041a\u0440 \u0424 \u041b \u0421 \u041a"],
)  # fmt: skip
def test_letters_of_other_languages(letters: str) -> None:
    table = dict(zip("KQRBN", letters.split() if " " in letters else letters, strict=True))
    text = "".join(table.get(character, character) for character in RUY_LOPEZ)
    (found,) = read(text)
    assert moves_of(found) == RUY_LOPEZ and not found.faults
    (broken,) = read(text.replace("d6", "d1"))
    assert moves_of(broken) == RUY_LOPEZ.partition(" d6")[0] + " *"
    assert broken.faults[0].text == "move 9, d1, is illegal"


@pytest.mark.parametrize(
    "text, moves, reason",
    [
        ("1. e4 e5 2. Zf3 Nc6 *", "1. e4 e5 *", "move 2, Zf3, is no move"),
        ("1. e4 e5 2. Nf3 Nc6 3. Cc3 *", "1. e4 e5 2. Nf3 Nc6 *", "move 3, Cc3, is no move"),
        ("1. e4 e5 2. nf3 *", "1. e4 e5 *", "move 2, nf3, is no move"),
        ("1. e4 e5 2. Re2 *", "1. e4 e5 *", "move 2, Re2, is illegal"),  # Spanish, or wrong
    ],
)
def test_letters_are_not_guessed(text: str, moves: str, reason: str) -> None:
    (found,) = read(text)
    assert moves_of(found) == moves
    assert [(fault.text, fault.is_end) for fault in found.faults] == [(reason, True)]


def test_letters_of_two_languages_are_refused_by_name() -> None:
    (found,) = read("1. e4 e5 2. Pf3 *")  # a pawn, or Dutch and a knight
    assert "Dutch" in found.refused and "English" in found.refused


@pytest.mark.parametrize(
    "text, moves, said",
    [
        (
            '[White "X"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6\n5. O-O Be7 6. Ke7 b5 *',
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *",
            ["x.pgn:4: game 1 (X - ?): move 6, Ke7, is illegal: read up to there"],
        ),
        (
            "1. e4 e5 2. Nf3 (2. Qh7 d6 (2... d5)) (2. Nc3 Nf6 3. Ke4 (3. f4) d5) Nc6 *",
            "1. e4 e5 2. Nf3 ( 2. Nc3 Nf6 ) 2... Nc6 *",
            [
                "x.pgn:1: game 1: move 2, Qh7, is illegal: the rest of a side line was left out",
                "x.pgn:1: game 1: move 3, Ke4, is illegal: the rest of a side line was left out",
            ],
        ),
        (
            "1. e4 -- 2. d4 *",
            "1. e4 *",
            ["x.pgn:1: game 1: move 1, --, is a pass: read up to there"],
        ),
        (
            "1. Nf3 a6 2. Nc3 a5 3. d3 a4 4. Nd2 a3 5. Nb5 axb2 6. Nc4 bxa1=Q 7. Nd6 *",
            "1. Nf3 a6 2. Nc3 a5 3. d3 a4 4. Nd2 a3 5. Nb5 axb2 6. Nc4 bxa1=Q *",
            ["x.pgn:1: game 1: move 7, Nd6, is ambiguous: read up to there"],
        ),
        ("1. e4 e5 ) 2. Nf3 *", "1. e4 e5 2. Nf3 *", ["side line is closed that was not opened"]),
        ("1. e4 (1. d4 d5 (1... c5 *", "1. e4 ( 1. d4 d5 ( 1... c5 ) ) *", ["is not closed"]),
        ("(1. d4) 1. e4 *", "1. e4 *", ["a side line before any move was left out"]),
        ("$1 1. e4 ($2 1. d4) *", "1. e4 ( 1. d4 ) *", ["mark before any move"] * 2),
        ("1. e4 [%clk 0:10:00] e5 *", "1. e4 e5 *", ["[%clk 0:10:00] is no tag"]),
        ("1. e4 } e5 *", "1. e4 e5 *", ["} is out of place"]),
        ("1. e4 e5 2. resigns 1-0", "1. e4 e5 1-0", ["move 2, resigns, is no move: read up"]),
        ('[Result "1-0"]\n\n1. e4 0-1', "1. e4 1-0", ["tag Result says 1-0, the marker 0-1"]),
        (
            '[Event abc]\n[Site "x"]\n\n1. e4 *',
            "1. e4 *",
            ["x.pgn:1: game 1: [Event abc] is no tag"],
        ),
        (
            '[White "a"]\n[White "b"]\n\n1. e4 *',
            "1. e4 *",
            ["x.pgn:2: game 1 (a - ?): a second tag"],
        ),
    ],
)
def test_what_cannot_be_read_is_said_and_the_rest_kept(
    text: str, moves: str, said: list[str]
) -> None:
    (found,) = read(text)
    assert moves_of(found) == moves and not found.refused
    sentences = said_of(text)
    assert len(sentences) == len(said)
    assert all(wanted in sentence for wanted, sentence in zip(said, sentences, strict=True))
    assert all(len(sentence.splitlines()) == 1 for sentence in sentences)
    after = read(f'{text}\n\n[White "Next"]\n\n1. d4 *\n')[1]
    assert (moves_of(after), after.faults) == ("1. d4 *", ())


@pytest.mark.parametrize(
    "text, reason",
    [
        ('[Variant "Atomic"]\n\n1. e4 *', "Atomic is not chess"),
        ('[Variant "Hexchess"]\n\n1. e4 *', "Hexchess is not chess"),
        ('[FEN "rubbish"]\n\n1. e4 *', "rubbish"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', "impossible"),
        ("hello world", "hello, is no move"),
        ("<html><body>e4</body></html>", "is no move"),
        ("1-0", "it is no game: 1-0"),
        ("{a comment}", "it is no game: a comment"),
        ("1. Ke5 *", "move 1, Ke5, is illegal"),
        (bytes(range(256)) * 50, "is no move"),
        (b"\x00\x01\xff\xfe" * 50, "is no move"),
    ],
)
def test_what_cannot_be_used_is_named_once(text: str | bytes, reason: str) -> None:
    (found,) = read(text)
    assert reason in found.refused
    (sentence,) = said_of(text)
    assert sentence.startswith("x.pgn:1: game 1 was left out: ") and sentence.isprintable()


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "% nothing\n", "\x1a"])
def test_an_empty_file(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "written, value",
    [
        (r"a \"q\" \\ b", r'a "q" \ b'),
        ('un"quo"ted', 'un"quo"ted'),
        ("C:\\games\\", "C:\\games\\"),
        ("a ] b [c", "a ] b [c"),
        ("{ ; 1-0 (", "{ ; 1-0 ("),
        ("", ""),
    ],
)
def test_values_of_tags(written: str, value: str) -> None:
    text = f'[Event "{written}"]\n[Own-Tag "x"]\n[result "1-0"]\n\n1. e4 *'
    for newline in ("\n", "\r\n"):
        (found,) = read(text.replace("\n", newline))
        assert (found.game.headers["Event"], found.game.headers["Result"]) == (value, "1-0")
        assert found.game.headers["Own-Tag"] == "x" and not found.faults
        (again,) = read(pgn_of(found.game))
        assert again.game.headers == found.game.headers


@pytest.mark.parametrize("tag", ["Variant", "FEN", "SetUp"])
@pytest.mark.parametrize("value", ["", "?", "-"])
def test_unknown_values_count_as_absent(tag: str, value: str) -> None:
    (found,) = read(f'[{tag} "{value}"]\n\n1. e4 *')
    assert moves_of(found) == "1. e4 *" and not found.refused


def test_positions_and_variants_of_tags() -> None:
    (found,) = read('[Variant "fischerandom"]\n[FEN "4k3/8/8/8/8/8/8/5KR1 w G - 0 9"]\n\n9. O-O *')
    assert found.game.board().chess960 and moves_of(found) == "9. O-O *"
    assert found.game.headers["Variant"] == "fischerandom"
    (found,) = read('[fen "4k3/8/8/8/8/8/8/4K2R w K - 0 40"]\n\n1. O-O *')  # without SetUp
    assert moves_of(found) == "40. O-O *"
    (found,) = read('[Variant "From Position"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. Rg1 *')
    assert not found.refused


ENCODED = '[White "Grünfeld"]\n\n1. d4 {Weiß} Nf6 *\n'


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_encodings(encoding: str) -> None:
    (found,) = read(ENCODED.encode(encoding))
    assert found.game.headers["White"] == "Grünfeld" and "Weiß" in moves_of(found)


def test_files_of_several_encodings_may_be_joined() -> None:
    parts = [ENCODED.encode(name) for name in ("utf-8", "latin-1", "utf-8-sig")]
    parts.append('[White "a \N{EN DASH} b"]\n\n1. e4 *'.encode("cp1252"))
    names = [found.game.headers["White"] for found in read(b"".join(parts))]
    assert names == ["Grünfeld"] * 3 + ["a \N{EN DASH} b"]


def test_lines_of_the_file_are_named() -> None:
    text = '\ufeff\r\n; first\r\n[White "a"]\r\n\r\n1. e4\r\ne5 2. Ke3 *\r\n\r\n\r\n1. d5 *'
    first, second = read(text)
    assert (first.line, first.faults[0].line) == (2, 6)
    assert (second.line, second.faults[0].line) == (9, 9)


def test_depth_and_length_have_no_limit() -> None:
    depth = 5000
    text = "1. e4 " + "(1. d4 " * depth + ")" * depth + " {" + "long " * 200_000 + "} e5 *"
    (found,) = read(text)
    assert not found.faults and len(found.game.end().parent.comment) == 999_999
    assert pgn_of(found.game).count("(") == depth


def test_no_text_is_beyond_reading() -> None:
    chance = random.Random(1)
    words = "1. e4 e5 Nf3 ( ) { } $1 ?! -- [ ] * 1-0 ; % O-O 0000 é Cf3 \\ \0 ½ $99999999999"
    pieces = [*words.split(" "), "\n", "\n\n", "1" * 30, '"']
    pieces += ['\n[FEN "x"]\n', '\n[Variant "y"]\n', '\n[Event "z"]\n']
    problems = 0
    for _ in range(500):
        text = " ".join(chance.choices(pieces, k=chance.randrange(40)))
        found = read(text)
        problems += sum(len(one.left_out("x", "read")) for one in found)
        good = [one.game for one in found if not one.refused]
        again = [moves_of(one) for one in read(pgn_text(good))]
        assert again == [" ".join(pgn_of(game).partition("\n\n")[2].split()) for game in good]
    assert problems > 250


def test_python_chess_reads_what_is_written() -> None:
    text = '[Event "a"]\n\n{before} 1. e4 {x} (1. d4 $1 {y} d5) e5 $5 2. Nf3 1-0'
    games = [read(text)[0].game] * 3
    source = io.StringIO(pgn_text(games))
    theirs = list(iter(lambda: chess.pgn.read_game(source), None))
    assert [str(game) for game in theirs] == [str(games[0])] * 3
