"""Where lost games were lost, by the scores in their comments."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import chess.pgn
import pytest

from tuning.__main__ import main
from tuning.matches.losses import Loss, loser_of, loss_of

# Black's score passes +1.00 at its second move, falls back, and passes it for good at the fourth.
LOST_BY_WHITE = """[Event "match"]
[White "wadjet"]
[Black "rival"]
[Result "0-1"]

1. e4 {+0.20/12 0.1s, tl=4.000s} e5 {-0.10/11 0.1s, tl=4.000s}
2. Nf3 {+0.10/12 0.1s, tl=3.000s} Nc6 {+1.20/11 0.1s, tl=3.500s}
3. Bb5 {-0.30/12 0.1s, tl=2.500s} a6 {+0.90/11 0.1s, tl=3.000s}
4. Bxc6 {-0.40/13 0.1s, tl=2.000s} dxc6 {+1.30/14 0.1s, tl=2.500s}
5. Nxe5 {-0.90/12 0.1s, tl=1.500s} Qd4 {+1.80/11 0.1s, tl=2.000s}
6. Nf3 {-1.50/12 0.1s, tl=1.000s} Qxe4+ {+M9/15 0.1s, tl=1.500s, White resigns} 0-1
"""


def game(text: str) -> chess.pgn.Game:
    found = chess.pgn.read_game(StringIO(text))
    assert found is not None
    return found


def test_the_turning_point_is_where_the_score_stays() -> None:
    lost = game(LOST_BY_WHITE)
    assert loser_of(lost) == "wadjet"
    loss = Loss(
        move=4, men=30, loser_cp=-40, winner_depth=14, loser_depth=13,
        moves_until_seen=2, loser_left_s=2.0,
    )  # fmt: skip
    assert loss_of(lost) == loss and loss.phase == "opening"
    assert loss_of(lost, 80) == Loss(
        move=2, men=32, loser_cp=10, winner_depth=11, loser_depth=12,
        moves_until_seen=3, loser_left_s=3.0,
    )  # fmt: skip
    assert loss_of(lost, 20_000) is None


def test_white_moves_first() -> None:
    """Of the same full move Black has not yet spoken when White's score turns."""
    text = LOST_BY_WHITE.replace("wadjet", "?").replace("rival", "wadjet")
    text = text.replace("?", "rival").replace("0-1", "1-0").replace("-1.50", "+1.50")
    won = game(text)
    loss = loss_of(won)
    assert loser_of(won) == "wadjet" and loss is not None
    assert (loss.move, loss.loser_cp) == (6, 180)


def test_the_command_counts_phases_and_clocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.pgn"
    drawn = LOST_BY_WHITE.replace("0-1", "1/2-1/2")
    silent = '[Event "x"]\n[White "rival"]\n[Black "wadjet"]\n[Result "1-0"]\n\n1. e4 1-0\n'
    path.write_text(f"{LOST_BY_WHITE}\n{drawn}\n{silent}\n", encoding="utf-8")
    assert main(["losses", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("games lost: 2; in 1 of them")
    assert "1 in the opening, 0 in the middlegame, 0 in the endgame" in lines[1]
    assert "median -0.40; depth 13.0 against 14.0" in lines[2]
    assert "a median of 2 moves later" in lines[3] and "median 2.0 s" in lines[4]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--engine", "nobody"], "nobody plays in no game"),
        (["--opponent", "x"], "x plays in no game"),
    ],
)
def test_a_file_without_losses_is_said(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.pgn"
    path.write_text(LOST_BY_WHITE, encoding="utf-8")
    assert main(["losses", str(path), *words]) == 1
    assert complaint in capsys.readouterr().err
    assert main(["losses", str(tmp_path / "none.pgn")]) == 1
    assert "no such file" in capsys.readouterr().err
