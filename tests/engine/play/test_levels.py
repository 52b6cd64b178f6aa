"""Levels: the scale, the two options, and what a player sees and chooses."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import set_fen
from engine.board.game import push
from engine.board.notation import legal_moves, move_text, parse_move
from engine.board.position import MoveLists, Position
from engine.play.levels import (
    CLEARLY_WON_CP,
    FULL_STRENGTH,
    LEAST_ELO,
    LEVELS,
    LONGEST_WAIT_MS,
    WIDEST_LOSS,
    LimitedPlayer,
    hasty_scores,
    level_at,
    level_of,
    skill_elo,
    with_book_of_level,
)
from engine.scores import MATE
from engine.settings import DEFAULTS, Settings

LISTS = MoveLists()


def position(fen: str, *moves: str) -> Position:
    pos = new_position(new_attack_tables())
    set_fen(pos, fen)
    for move in moves:
        push(pos, parse_move(pos, LISTS, move))
    return pos


def player(elo: float, seed: int = 1) -> LimitedPlayer:
    return LimitedPlayer(level_at(elo), Random(seed))


# --- The scale


def test_the_rows_rise() -> None:
    elos = [level.elo for level in LEVELS]
    assert elos == sorted(set(elos))
    for weaker, stronger in pairwise(LEVELS):
        assert weaker.depth <= stronger.depth and weaker.nodes <= stronger.nodes
        assert weaker.book_moves <= stronger.book_moves
        assert weaker.temperature_cp >= stronger.temperature_cp
        assert weaker.overlooks >= stronger.overlooks and weaker.haste >= stronger.haste


def test_every_rating_has_a_level_between_its_neighbours() -> None:
    before = level_at(LEAST_ELO)
    for elo in range(LEAST_ELO, FULL_STRENGTH + 1, 10):
        level = level_at(elo)
        assert level.elo == elo
        assert level.depth >= before.depth and level.nodes >= before.nodes
        assert level.temperature_cp <= before.temperature_cp
        assert level.overlooks <= before.overlooks
        before = level
    for row in LEVELS:
        if LEAST_ELO <= row.elo <= FULL_STRENGTH:
            assert level_at(row.elo) == pytest.approx(row)


def test_skill_levels_rise_over_the_whole_scale() -> None:
    elos = [skill_elo(skill) for skill in range(21)]
    assert elos[0] == LEAST_ELO and elos[-1] == FULL_STRENGTH
    assert all(low < high for low, high in pairwise(elos))


# --- The options


@pytest.mark.parametrize(
    "settings, elo",
    [
        (DEFAULTS, None),
        (Settings(elo=1200), None),  # without UCI_LimitStrength
        (Settings(limit_strength=True), None),  # at the top of the scale
        (Settings(limit_strength=True, elo=1200), 1200),
        (Settings(skill_level=0), LEAST_ELO),
        (Settings(skill_level=10), 1750),
        (Settings(limit_strength=True, skill_level=10), 1750),  # with the default of UCI_Elo
        (Settings(limit_strength=True, elo=2000, skill_level=3), 2000),
        (Settings(limit_strength=True, elo=600, skill_level=10), 1750),
    ],
)
def test_either_option_sets_a_level_and_of_both_the_stronger_counts(
    settings: Settings, elo: int | None
) -> None:
    level = level_of(settings)
    assert (None if level is None else level.elo) == elo


def test_the_book_is_as_deep_as_the_level() -> None:
    assert with_book_of_level(DEFAULTS) is DEFAULTS
    depths = [
        with_book_of_level(Settings(limit_strength=True, elo=elo)).book_most_moves
        for elo in (500, 1200, 2000, 2900)
    ]
    assert depths == sorted(set(depths)) and depths[0] == 2
    shallow = Settings(limit_strength=True, elo=2900, book_most_moves=2)
    assert with_book_of_level(shallow).book_most_moves == 2


# --- What a player sees


def test_retreats_are_overlooked_more_often_and_good_captures_never() -> None:
    # White can take a free queen, advance the knight, or retreat it.
    pos = position("4k3/8/8/2q5/4N3/8/8/4K3 w - - 0 1")
    moves = legal_moves(pos, LISTS)
    sighted = player(800)
    seen: Counter[str] = Counter()
    for _ in range(600):
        seen.update(move_text(move, False) for move in sighted.seen(pos, moves, 0))
    assert seen["e4c5"] == 600
    assert 0 < 600 - seen["e4g5"] < 600 - seen["e4d2"]


def test_some_move_is_always_seen() -> None:
    pos = position("7k/8/8/8/8/8/8/K7 w - - 0 1")
    moves = legal_moves(pos, LISTS)
    weak = LimitedPlayer(LEVELS[0]._replace(overlooks=1.0), Random(1))
    for _ in range(20):
        assert len(weak.seen(pos, moves, 0)) == 1


def test_answers_to_a_check_and_won_positions_are_seen_whole() -> None:
    checked = position("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
    moves = legal_moves(checked, LISTS)
    assert player(500).seen(checked, moves, 0) == moves
    won = position("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1")
    moves = legal_moves(won, LISTS)
    assert player(1000).seen(won, moves, CLEARLY_WON_CP) == moves


def test_a_recapture_is_obvious() -> None:
    before = position("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1")
    pos = position("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1", "b5c6")
    quiet = player(900).effort(before, legal_moves(before, LISTS), 0)
    taken = player(900).effort(pos, legal_moves(pos, LISTS), 0)
    assert taken.is_obvious and not quiet.is_obvious
    assert taken.temperature_cp < quiet.temperature_cp
    for seed in range(30):
        moves = legal_moves(pos, LISTS)
        seen = [move_text(move, False) for move in player(500, seed).seen(pos, moves, 0)]
        assert {"d7c6", "b7c6"} <= set(seen)
        assert not player(500, seed).effort(pos, moves, 0).is_hasty


# --- What a player chooses


def test_the_choice_is_soft_but_never_far_from_the_best() -> None:
    chooser = player(1100)
    temperature = 60.0
    scores = [100, 90, 40, round(100 - WIDEST_LOSS * temperature) - 1]
    chosen = Counter(chooser.choose(scores, temperature) for _ in range(2000))
    assert chosen[0] > chosen[1] > chosen[2] > 0
    assert chosen[3] == 0


def test_the_best_move_is_chosen_more_often_by_the_stronger() -> None:
    shares = []
    for level in LEVELS:
        chooser = LimitedPlayer(level, Random(3))
        chosen = [chooser.choose([50, 20, 0, -30], level.temperature_cp) for _ in range(1000)]
        shares.append(chosen.count(0))
    assert shares[0] < shares[4] < shares[-1]


def test_a_mate_is_played_from_1000_on() -> None:
    scores = [900, MATE - 5, MATE - 9, 2500]
    assert {player(1000, seed).choose(scores, 500.0) for seed in range(30)} == {1}


def test_in_haste_a_guarded_pawn_looks_free() -> None:
    pos = position("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1")
    moves = legal_moves(pos, LISTS)

    def material(position: Position) -> int:
        ours, theirs = position.colours[position.side], position.colours[position.side ^ 1]
        return 100 * (int(ours).bit_count() - int(theirs).bit_count())

    scores = hasty_scores(pos, moves, material)
    best = moves[max(range(len(moves)), key=lambda index: scores[index])]
    assert move_text(best, False) == "d1d6"


def test_time_varies_and_stays_within_limits() -> None:
    thinker = player(1500)
    pos = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    effort = thinker.effort(pos, legal_moves(pos, LISTS), 0)
    times = [thinker.thinking_ms(1000.0, effort) for _ in range(500)]
    assert min(times) < 300 < 700 < max(times) <= 1600
    assert 450 < sorted(times)[250] < 650
    quick = effort._replace(is_obvious=True)
    assert sorted(thinker.thinking_ms(1000.0, quick) for _ in range(500))[250] < 250
    assert thinker.thinking_ms(1e9, effort) <= LONGEST_WAIT_MS
