"""Games in process: reproducible, legal, ended by the right rule."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from engine.board.fen import START, PositionError
from engine.board.notation import move_text
from engine.eval.classical.loading import shipped_weights
from engine.search.params import tunables
from tuning.adjudication import DRAW, LOSS, NONE, TUNING, WIN
from tuning.data.games import GameRecord
from tuning.selfplay.play import play, play_pair
from tuning.selfplay.player import MoveLimit, Player, engine_hash

pytestmark = pytest.mark.jit_only  # engines take long to set up as plain Python


@pytest.fixture(scope="module")
def players() -> tuple[Player, Player]:
    return Player(hash_mb=1), Player(hash_mb=1)


def replay(game: GameRecord) -> chess.Board:
    board = chess.Board(game.fen)
    for move in game.moves:
        board.push_uci(move_text(move, False))  # ValueError if it is illegal
    return board


def test_a_game_is_legal_and_ends_as_the_rules_say(players: tuple[Player, Player]) -> None:
    game = play(*players, START, MoveLimit(nodes=200), NONE)
    outcome = replay(game).outcome(claim_draw=True)
    assert len(game.scores) == len(game.moves)
    if game.reason != "adjudicated draw":  # too long
        assert outcome is not None
        assert outcome.result() == {WIN: "1-0", DRAW: "1/2-1/2", LOSS: "0-1"}[game.result]


def test_games_at_fixed_nodes_repeat_themselves(players: tuple[Player, Player]) -> None:
    games = [play(*players, START, MoveLimit(nodes=300)) for _ in range(2)]
    assert games[0] == games[1]


def test_a_player_against_itself_needs_one_engine(players: tuple[Player, Player]) -> None:
    game = play(players[0], players[0], START, MoveLimit(soft_nodes=100))
    assert replay(game).ply() == len(game.moves) > 10


def test_equal_players_share_the_points_of_a_pair(players: tuple[Player, Player]) -> None:
    assert play_pair(*players, START, MoveLimit(nodes=200)) == 2


@pytest.mark.parametrize(
    "fen, moves, result, reason",
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, DRAW, "stalemate"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 0, WIN, "checkmate"),
        ("7K/6q1/6k1/8/8/8/8/8 w - - 0 1", 0, LOSS, "checkmate"),
        ("7k/8/6K1/8/8/8/8/6N1 b - - 0 1", 0, DRAW, "insufficient material"),
        ("7k/8/6K1/8/8/8/6p1/6R1 b - - 100 80", 0, DRAW, "fifty moves"),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 1, WIN, "checkmate"),
    ],
)
def test_ends(
    fen: str, moves: int, result: int, reason: str, players: tuple[Player, Player]
) -> None:
    game = play(*players, fen, MoveLimit(nodes=200))
    assert (len(game.moves), game.result, game.reason) == (moves, result, reason)


def test_a_clear_win_is_adjudicated(players: tuple[Player, Player]) -> None:
    fen = "6k1/8/8/8/8/8/1QR5/K7 b - - 0 1"
    game = play(*players, fen, MoveLimit(nodes=50), replace(TUNING, lost_score=500, lost_moves=2))
    assert (len(game.moves), game.result, game.reason) == (3, WIN, "adjudicated win")


def test_equal_scores_are_adjudicated_as_a_draw(players: tuple[Player, Player]) -> None:
    rule = replace(NONE, draw_score=10_000, draw_moves=1, draw_from=2)
    game = play(*players, START, MoveLimit(nodes=50), rule)
    assert (game.result, game.reason) == (DRAW, "adjudicated draw") and 4 <= len(game.moves) < 60


def test_params_reach_the_kernels_and_go_back() -> None:
    player = Player(hash_mb=1)
    player.set_params({"reduction_scale": 2500})
    late = int(player.shared.reduction_table.reductions[10])
    player.set_params({})
    assert int(player.shared.params.reduction_scale) == tunables()["reduction_scale"].default
    assert int(player.shared.reduction_table.reductions[10]) < late


def test_the_hash_of_the_engine_tells_weights_and_constants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = shipped_weights()
    weights[-1, 1] += 1
    ranges = tunables()
    name, values = list(ranges.items())[-1]
    hashes = [engine_hash(), engine_hash()]
    with monkeypatch.context() as patched:
        patched.setattr("tuning.selfplay.player.shipped_weights", lambda: weights)
        hashes.append(engine_hash())
    changed = {**ranges, name: values._replace(default=values.default + 1)}
    monkeypatch.setattr("tuning.selfplay.player.tunables", lambda: changed)
    hashes.append(engine_hash())
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3


def test_bad_input(players: tuple[Player, Player]) -> None:
    with pytest.raises(ValueError, match="no_such_constant"):
        players[0].set_params({"no_such_constant": 1})
    with pytest.raises(PositionError):
        play(*players, "8/8/8/8/8/8/8/8 w - - 0 1", MoveLimit(nodes=100))
    with pytest.raises(ValueError, match="limit"):
        MoveLimit()
