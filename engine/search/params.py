"""Every constant of the search that can be tuned: one line each.

`Params` is memory that the kernels read, so a changed value works at once, without compiling.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.native.memory import Integers, Struct


class Range(NamedTuple):
    """What a tuner may do with a constant."""

    default: int
    minimum: int
    maximum: int
    step: int


class Tunable(Integers[int]):
    """One integer member that knows its default and range."""

    def __init__(self, default: int, minimum: int, maximum: int, step: int):
        super().__init__("int64")
        self.range = Range(default, minimum, maximum, step)


class Params(Struct):
    # Margins are in centipawns, depths in plies.                default   min    max  step
    # --- Aspiration windows
    aspiration_min_depth = Tunable(5, 2, 10, 1)
    aspiration_margin = Tunable(18, 5, 60, 3)
    # --- Reverse futility: give up a node that is far above beta
    reverse_futility_max_depth = Tunable(8, 3, 14, 1)
    reverse_futility_margin = Tunable(75, 30, 150, 6)
    # --- Razoring: give up a node that is far below alpha
    razoring_max_depth = Tunable(3, 1, 6, 1)
    razoring_margin = Tunable(240, 80, 500, 25)
    # --- Null move
    null_move_min_depth = Tunable(3, 1, 6, 1)
    null_move_reduction = Tunable(3, 2, 6, 1)
    null_move_depth_divisor = Tunable(4, 2, 8, 1)
    null_move_eval_divisor = Tunable(200, 80, 400, 20)
    null_move_eval_limit = Tunable(3, 1, 6, 1)
    # --- Singular extensions: a hash move far better than all others is searched deeper
    singular_min_depth = Tunable(6, 4, 10, 1)
    singular_hash_depth = Tunable(3, 1, 6, 1)
    singular_margin = Tunable(2, 1, 6, 1)
    double_extension_margin = Tunable(20, 5, 60, 4)
    # --- Internal iterative reduction
    internal_reduction_min_depth = Tunable(4, 2, 8, 1)
    # --- Late move reductions; base and divisor in hundredths
    reduction_min_depth = Tunable(3, 2, 5, 1)
    reduction_base = Tunable(25, 0, 150, 10)
    reduction_divisor = Tunable(225, 120, 350, 15)
    reduction_history_divisor = Tunable(8192, 3000, 16384, 600)
    # --- Pruning of quiet moves, by the depth that is left after the usual reduction
    late_move_max_depth = Tunable(8, 3, 14, 1)
    late_move_base = Tunable(4, 1, 8, 1)
    futility_max_depth = Tunable(8, 3, 12, 1)
    futility_base = Tunable(90, 20, 250, 12)
    futility_margin = Tunable(80, 30, 180, 8)
    history_pruning_max_depth = Tunable(4, 1, 8, 1)
    history_pruning_margin = Tunable(3000, 800, 8000, 300)
    # --- Pruning of moves that lose material
    exchange_max_depth = Tunable(8, 3, 14, 1)
    exchange_quiet_margin = Tunable(60, 15, 150, 7)
    exchange_noisy_margin = Tunable(90, 25, 200, 9)
    # --- Quiescence
    delta_margin = Tunable(160, 50, 400, 20)
    # --- Correction histories; hundredths of their sum
    correction_weight = Tunable(28, 8, 150, 8)
    # --- Histories
    history_bonus_factor = Tunable(160, 50, 400, 20)
    history_bonus_limit = Tunable(1600, 600, 3000, 120)


def tunables() -> dict[str, Range]:
    return {
        name: member.range for name, member in Params.fields.items() if isinstance(member, Tunable)
    }


def new_params() -> Params:
    params = Params()
    for name, values in tunables().items():
        setattr(params, name, values.default)
    return params
