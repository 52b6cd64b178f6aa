"""Annotating games without a loss."""

from __future__ import annotations

import io
import re

import chess
import chess.pgn

from openings.pgn import pgn_text
from tests.benchmarks.judged_games import contradictions
from tests.uci.analysis.made import GAME, made_analysis, made_review
from uci.analysis.judgement import Mark, review
from uci.analysis.lines import Analysis, Line, Reasons
from uci.analysis.pgn import annotate


def read_back(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    return game


class TestAnnotating:
    def test_scores_marks_and_best_lines_are_there(self) -> None:
        reviewed = made_review()
        annotate(reviewed)
        game = read_back(pgn_text([reviewed.game]))
        nodes = list(game.mainline())
        scores = [node.eval() for node in nodes]
        found = [analysis.line.centipawns for analysis in reviewed.analyses]
        assert [score.white().score() for score in scores[:-1]] == found[1:-1]
        assert None not in scores[:-1]  # PGN has no score for a position that is mate
        blunder = nodes[8]
        assert blunder.san() == "Nxf7" and blunder.nags == {4}
        assert blunder.comment.startswith("Blunder (48% to 10%): ")
        assert "Bxf7+ was best." in blunder.comment
        assert [one.san() for one in blunder.parent.variations] == ["Nxf7", "Bxf7+"]
        assert game.headers["ECO"] == "C50"
        assert "Italian" in game.headers["Opening"]
        accuracies = (game.headers[f"{side}Accuracy"] for side in ("White", "Black"))
        white, black = (re.fullmatch(r"(\d+\.\d)% of \d+ moves?", one) for one in accuracies)
        assert white and black and float(white[1]) < float(black[1]) <= 100

    def test_comments_variations_and_marks_of_the_input_are_kept(self) -> None:
        reviewed = made_review()
        annotate(reviewed)
        game = read_back(pgn_text([reviewed.game]))
        assert game.comment == "before all"
        nodes = list(game.mainline())
        assert "the knight" in nodes[2].comment and nodes[2].clock() == 300
        variation = nodes[5].parent.variations[1]
        assert variation.san() == "Bc5" and variation.comment == "main"
        assert [one.san() for one in variation.variations] == ["c3", "b4"]
        assert variation.variations[0].next() is not None
        assert nodes[6].nags == {2}  # the page shows ?, too
        assert nodes[6].comment.startswith("Mistake (55% to 40%, !? in the file): ")
        assert nodes[9].comment.startswith("</script>")
        assert {"Event", "White", "Black", "Result"} <= set(game.headers)
        assert game.headers["White"] == "Anna <b>"

    def test_file_page_bar_and_words_agree(self) -> None:
        assert list(contradictions(made_review())) == []

    def test_annotating_again_adds_nothing(self) -> None:
        first = made_review()
        annotate(first)
        text = pgn_text([first.game])
        again = made_review(text)
        annotate(again)
        assert pgn_text([again.game]) == text

    def test_marks_of_an_earlier_analysis_go_with_its_sentence(self) -> None:
        earlier = "Blunder: chances\nfall from 50% to 10%, d4 was best. a line of mine"
        text = GAME.replace("1. e4 e5", f"1. e4 $4 {{{earlier}}} e5 $2", 1)
        reviewed = made_review(text)
        annotate(reviewed)
        first, second = list(read_back(pgn_text([reviewed.game])).mainline())[:2]
        assert (first.nags, second.nags) == (set(), {2})  # the other one was a person's
        assert first.comment.startswith("a line of mine")

    def test_chances_that_have_not_fallen_are_not_said_to_fall(self) -> None:
        fen = "7k/R7/8/8/8/8/8/1R4K1 w - - 0 1"
        game = read_back(f'[SetUp "1"]\n[FEN "{fen}"]\n\n1. Kg2 $4 *')
        mates = Line(None, 1, (1000, 0, 0), (chess.Move.from_uci("b1b8"),), 8)
        still = Line(None, 1, (1000, 0, 0), (chess.Move.from_uci("h8g8"),), 8)
        no_reasons = Reasons(words=[], terms=[], weighted_sum=0, network=None, pieces={})
        reviewed = review(game, [Analysis(line, no_reasons) for line in (mates, still)])
        annotate(reviewed)
        annotate(reviewed)  # finds its own sentence again
        assert game.next().comment.startswith(
            "Inaccuracy (still 100%, ?? in the file): It misses mate in 1. Rb8# was best. ["
        )


class TestReview:
    def test_the_best_move_loses_nothing_whatever_the_scores_say(self) -> None:
        game = read_back("1. e4 e5 *")
        analyses = [made_analysis(points, best) for points, best in
                    ((60, "e2e4"), (40, "d7d5"), (45, "g1f3"))]  # fmt: skip
        reviewed = review(game, analyses)
        assert [round(move.lost()) for move in reviewed.moves] == [0, 5]

    def test_black_loses_what_white_gains(self) -> None:
        game = read_back("1. a4 h5 2. h3 *")  # no opening that has a name
        analyses = [made_analysis(points, best) for points, best in
                    ((50, "e2e4"), (50, "d7d5"), (80, "b1c3"), (72, "b8c6"))]  # fmt: skip
        reviewed = review(game, analyses)
        assert [round(move.lost()) for move in reviewed.moves] == [0, 30, 8]
        assert (reviewed.count(chess.BLACK, Mark.BLUNDER), reviewed.count(True, Mark.BLUNDER)) == (
            1, 0,
        )  # fmt: skip
        assert reviewed.count(chess.WHITE, Mark.INACCURACY) == 1

    def test_forced_moves_do_not_count(self) -> None:
        fen = "7k/8/8/8/8/8/q7/7K w - - 0 1"  # White has one move only
        game = read_back(f'[SetUp "1"]\n[FEN "{fen}"]\n\n1. Kg1 Qa1+ *')
        analyses = [made_analysis(0, "h1g1"), made_analysis(0, "a2b2"), made_analysis(0, "g1f2")]
        reviewed = review(game, analyses)
        assert reviewed.accuracy(chess.WHITE) is None
