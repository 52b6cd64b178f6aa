"""Games longer than the memory of a position."""

from __future__ import annotations

from collections.abc import Callable

from engine.board.constants import MAX_HISTORY
from engine.board.draws import repetitions
from engine.board.fen import to_fen
from engine.board.game import copy_snapshot, push
from engine.board.notation import move_text, parse_move
from engine.board.position import MoveLists, Position, Snapshot

SHUFFLE = ["a1a2", "g8g7", "a2a1", "g7g8"]


def test_a_long_game_forgets_only_what_is_long_ago(
    position: Callable[..., Position], lists: MoveLists
) -> None:
    pos = position("6k1/8/8/8/8/8/8/R5K1 w - - 0 1")
    rounds = 2 * MAX_HISTORY // len(SHUFFLE)
    for _ in range(rounds):
        for text in SHUFFLE:
            push(pos, parse_move(pos, lists, text))
        assert pos.ply < MAX_HISTORY
    assert to_fen(pos) == f"6k1/8/8/8/8/8/8/R5K1 w - - {2 * MAX_HISTORY} {1 + MAX_HISTORY}"
    assert MAX_HISTORY // 8 <= repetitions(pos) < rounds


def test_a_pawn_move_forgets_the_past(position: Callable[..., Position], lists: MoveLists) -> None:
    pos = position("6k1/8/8/8/8/8/7P/R5K1 w - - 0 1")
    for text in [*SHUFFLE, "h2h3"]:
        push(pos, parse_move(pos, lists, text))
    assert pos.ply == 0
    assert move_text(int(pos.snapshots[0].move), False) == "h2h3"
    for text in ["g8g7", "a1a2", "g7g8", "a2a1"]:
        push(pos, parse_move(pos, lists, text))
    assert repetitions(pos) == 1


def test_every_member_of_a_snapshot_is_copied() -> None:
    source, target = Snapshot(), Snapshot()
    for number, name in enumerate(Snapshot.fields, start=1):
        setattr(source, name, number)
    copy_snapshot(source, target)
    assert [int(getattr(target, name)) for name in Snapshot.fields] == list(
        range(1, len(Snapshot.fields) + 1)
    )
