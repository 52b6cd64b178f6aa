"""Games of any content are the same after writing and reading, however their files are joined."""

from __future__ import annotations

import io
from typing import Any

import chess
import chess.pgn
from hypothesis import given, note, settings
from hypothesis import strategies as st

from openings.pgn import pgn_of, pgn_text, read_games

FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 40",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
)
ODD = ["{", "}", "(", ")", ";", "%", '"', "\\", "1-0", "*", "$4", "e4", "1.", "\n", "\n\n", " ",
       '\n[Event "x"]\n', "[%clk 0:01:02]", "[%eval -1.25]", "Weiß", "\x1a"]  # fmt: skip
NO_CONTENT = str.maketrans("", "", "\r\ufeff")  # ends of lines, marks of encodings
plain_text = st.text("abc XYZ,[]%$;'.é♞1-0", max_size=20).map(str.strip)
odd_text = st.lists(st.sampled_from(ODD) | st.text(max_size=5), max_size=8).map(
    lambda parts: "".join(parts).translate(NO_CONTENT).encode("utf-8", "replace").decode().strip()
)
names = st.from_regex(r"\A[A-Z][A-Za-z0-9_+#=:-]{0,9}\Z")


@st.composite
def games(draw: Any, text: st.SearchStrategy[str] = odd_text) -> chess.pgn.Game:
    game = chess.pgn.Game()
    if fen := draw(st.none() | st.sampled_from(FENS)):
        game.setup(chess.Board(fen, chess960="HF" in fen))
    for name, value in draw(st.dictionaries(names, text, max_size=4)).items():
        if name.lower() not in ("fen", "setup", "variant", "result"):
            game.headers[name] = value.replace("\n", " ")
    game.headers["Result"] = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
    game.comment = draw(text)
    nodes: list[chess.pgn.GameNode] = [game]
    for _ in range(draw(st.integers(0, 12))):
        node = nodes[draw(st.integers(0, len(nodes) - 1)) if draw(st.booleans()) else -1]
        moves = [move for move in node.board().legal_moves if not node.has_variation(move)]
        if moves:
            child = node.add_variation(draw(st.sampled_from(moves)), comment=draw(text))
            child.nags.update(draw(st.sets(st.integers(0, 300), max_size=2)))
            if child.starts_variation():
                child.starting_comment = draw(text)
            nodes.append(child)
    return game


def content(game: chess.pgn.Game) -> list[object]:
    """All that is in a game; blanks at the ends of comments' lines count for nothing."""
    nodes: list[chess.pgn.GameNode] = [game]
    found: list[object] = [sorted(game.headers.items())]
    for node in nodes:  # grows
        comments = [
            "\n".join(line.rstrip() for line in comment.split("\n"))
            for comment in (node.starting_comment, node.comment)
        ]
        found.append((node.move, sorted(node.nags), comments, len(node.variations)))
        nodes += node.variations
    return found


def read(data: bytes) -> list[chess.pgn.Game]:
    found = list(read_games(data))
    assert not any(one.faults or one.refused for one in found)
    return [one.game for one in found]


@settings(max_examples=50, deadline=None)
@given(games())
def test_nothing_is_lost(game: chess.pgn.Game) -> None:
    text = pgn_of(game)
    note(text)
    (again,) = read(text.encode())
    assert content(again) == content(game)
    assert pgn_of(again) == text


@settings(max_examples=30, deadline=None)
@given(
    st.lists(games(), max_size=4),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["\n", "\n\n", "\n\n\n\n", "\n\ufeff"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_files_joined_in_any_layout_hold_the_same_games(
    written: list[chess.pgn.Game], newline: str, between: str, encoding: str
) -> None:
    text = between.join(map(pgn_of, written)) + "\n"
    again = read(text.replace("\n", newline).encode(encoding))
    assert list(map(content, again)) == list(map(content, written))
    assert list(map(content, read(pgn_text(written * 2).encode()))) == (
        list(map(content, written)) * 2
    )


@settings(max_examples=30, deadline=None)
@given(st.lists(games(plain_text), max_size=3))
def test_python_chess_reads_the_same(written: list[chess.pgn.Game]) -> None:
    source = io.StringIO(pgn_text(written))
    theirs = list(iter(lambda: chess.pgn.read_game(source), None))
    assert [content(game) for game in theirs if game] == list(map(content, written))
