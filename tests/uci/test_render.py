"""uci.render: the exact words that GUIs and match runners read."""

from __future__ import annotations

from typing import Any

import pytest

from engine.bench import BenchResult
from engine.events import CurrentMove, Message, Score, SearchInfo, SearchResult
from uci import options, protocol, render

LINE = SearchInfo(
    depth=12,
    selective_depth=20,
    multi_pv=1,
    score=Score(centipawns=-34),
    bound="exact",
    nodes=123456,
    nodes_per_second=2000000,
    hash_full_per_mille=17,
    tablebase_hits=0,
    time_ms=61,
    pv=("e2e4", "e7e5"),
)


def test_info_has_every_field_in_the_usual_order() -> None:
    assert render.event(LINE) == (
        "info depth 12 seldepth 20 multipv 1 score cp -34 nodes 123456 nps 2000000 "
        "hashfull 17 tbhits 0 time 61 pv e2e4 e7e5"
    )


@pytest.mark.parametrize("bound, word", [("lower", "lowerbound"), ("upper", "upperbound")])
def test_bound_and_wdl_follow_the_score(bound: Any, word: str) -> None:
    line = LINE._replace(bound=bound, win_draw_loss=(10, 900, 90))
    assert f" score cp -34 {word} wdl 10 900 90 nodes " in render.event(line)


@pytest.mark.parametrize("moves", [3, 0, -2])
def test_mate_scores(moves: int) -> None:
    assert f" score mate {moves} nodes " in render.event(LINE._replace(score=Score(mate=moves)))


def test_numbers_are_whole_even_if_the_engine_divides() -> None:
    line = LINE._replace(nodes_per_second=1234.9, time_ms=5.5)  # type: ignore[arg-type]
    assert "." not in render.event(line)


def test_no_pv_no_word_pv() -> None:
    assert render.event(LINE._replace(pv=())).endswith(" time 61")


def test_current_move() -> None:
    assert render.event(CurrentMove(9, "g1f3", 4)) == "info depth 9 currmove g1f3 currmovenumber 4"


def test_a_message_cannot_fake_another_line() -> None:
    assert render.event(Message("one\nbestmove e2e4\r\n")) == (
        "info string one\ninfo string bestmove e2e4"
    )


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (SearchResult("e2e4", "e7e5"), "bestmove e2e4 ponder e7e5"),
        (SearchResult("e7e8q"), "bestmove e7e8q"),
        (SearchResult(None), "bestmove (none)"),
    ],
)
def test_best_move(result: SearchResult, text: str) -> None:
    assert render.best_move(result) == text


def test_identity_lists_all_options_between_id_and_uciok() -> None:
    lines = render.identity(option.listing() for option in options.OPTIONS).splitlines()
    assert lines[0].startswith("id name Wadjet ")
    assert lines[1] == "id author the Wadjet developers"
    assert [line.split(" type ")[0] for line in lines[2:-1]] == [
        f"option name {option.name}" for option in options.OPTIONS
    ]
    assert lines[-1] == "uciok"


def test_perft() -> None:
    assert render.perft([("e2e4", 20), ("d2d4", 22)]) == (
        "e2e4: 20\nd2d4: 22\n\nNodes searched: 42"
    )
    assert render.perft([]) == "\nNodes searched: 0"


def test_bench_ends_as_test_frameworks_expect() -> None:
    assert render.bench(BenchResult(3_000_000, 1500)).splitlines()[1:] == [
        "Total time (ms) : 1500",
        "Nodes searched  : 3000000",
        "Nodes/second    : 2000000",
    ]
    assert "Nodes/second    : 5000" in render.bench(BenchResult(5, 0))


def test_help_names_every_command() -> None:
    shown = render.commands(protocol.DOCUMENTED)
    for command in protocol.DOCUMENTED:
        assert command.usage in shown
