"""Every constant of the search that can be tuned: one line each.

`Params` is memory that the kernels read, so a changed value works at once, without compiling.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.native.structs import Integers, Struct


class Range(NamedTuple):
    """Default, limits and step size of a constant, for tuning."""

    default: int
    minimum: int
    maximum: int
    step: int


class Constant(Integers[int]):
    """One integer member that knows its default, and the value that switches its technique off."""

    def __init__(self, default: int, off: int | None = None):
        super().__init__("int64")
        self.default = default
        self.off = default if off is None else off


class Tunable(Constant):
    """A constant that games may tune."""

    def __init__(self, default: int, minimum: int, maximum: int, step: int, off: int | None = None):
        super().__init__(default, off)
        self.range = Range(default, minimum, maximum, step)


NEVER = 1 << 20  # more plies, or points, than there are


class Params(Struct):
    # --- What is not tuned
    quiesce = Constant(1, off=0)  # 0: no quiescence, only the static evaluation at the horizon
    exchange_pruning = Constant(1, off=0)  # 0: moves that lose material are searched too
    table_cutoffs = Constant(1, off=0)  # 0: the transposition table ends no node
    # Margins are in centipawns, depths in plies.                default   min    max  step
    # --- Aspiration windows
    aspiration_min_depth = Tunable(4, 2, 10, 1)
    aspiration_margin = Tunable(14, 2, 40, 2)
    fail_high_reduction = Constant(1, off=0)  # plies less for each search in a row that failed high
    # --- Beyond this score the game is decided, and only a mate matters
    decided_score = Tunable(461, 200, 2000, 50)
    # --- Centipawns of evaluation for 100 of static exchange
    piece_worth = Tunable(63, 20, 120, 5)
    # --- Razoring: prune a node that is far below alpha
    razoring_base = Tunable(82, 20, 300, 12, off=NEVER)
    razoring_margin = Tunable(58, 10, 200, 8)  # times depth * depth
    # --- Reverse futility: prune a node that is far above beta
    reverse_futility_max_depth = Tunable(6, 3, 14, 1, off=0)
    reverse_futility_margin = Tunable(18, 10, 150, 5)
    reverse_futility_history = Tunable(14, 0, 60, 3)  # centipawns for 20000 points of history
    # --- Null move
    null_move_base = Tunable(51, 0, 150, 8, off=NEVER)
    null_move_margin = Tunable(5, 0, 20, 1)
    null_move_improvement = Tunable(13, 4, 60, 3)
    null_move_history_limit = Tunable(17139, 5000, 40000, 1500)
    null_move_reduction = Tunable(5, 2, 6, 1)
    null_move_depth_divisor = Tunable(5, 2, 8, 1)
    null_move_eval_divisor = Tunable(19, 15, 200, 7)
    null_move_eval_limit = Tunable(6, 1, 10, 1)
    null_move_verify_depth = Tunable(14, 6, 20, 1)
    # --- ProbCut: a capture that a shallow search finds far above beta
    probcut_min_depth = Tunable(8, 3, 8, 1, off=NEVER)
    probcut_margin = Tunable(21, 15, 300, 8)
    probcut_improving_margin = Tunable(13, 0, 100, 4)
    probcut_check_margin = Tunable(88, 20, 400, 15, off=NEVER)
    # --- Internal reductions: without a tt_move
    internal_reduction_pv_node = Tunable(1, 0, 4, 1, off=0)
    internal_reduction_cut_node = Tunable(3, 0, 4, 1)
    internal_reduction_min_depth = Tunable(9, 2, 12, 1, off=NEVER)
    # --- Extensions; margins of singular moves in hundredths of centipawns a ply
    singular_min_depth = Tunable(5, 4, 10, 1, off=NEVER)
    singular_pv_depth = Tunable(4, 0, 4, 1)
    singular_tt_depth = Tunable(3, 1, 6, 1)
    singular_margin = Tunable(57, 10, 300, 12)
    singular_was_pv_margin = Tunable(41, 0, 200, 10)
    double_extension_margin = Tunable(8, 0, 60, 2)
    double_extension_limit = Tunable(9, 0, 20, 2)
    check_extension_min_depth = Tunable(10, 4, 20, 1, off=NEVER)
    check_extension_eval = Tunable(17, 0, 100, 5)
    quiet_extension_history = Tunable(5177, 1000, 20000, 800, off=NEVER)
    # --- Late move reductions; scale in hundredths
    reduction_min_depth = Tunable(2, 2, 5, 1, off=NEVER)
    reduction_scale = Tunable(1983, 1000, 3000, 60)
    # In 1/1024 plies, added to or taken from the reduction that depth and move number give
    reduction_base = Tunable(1740, 0, 3000, 100)
    reduction_window = Tunable(1092, 0, 2048, 100)
    reduction_not_improving = Tunable(1201, 0, 2048, 128)
    reduction_improving_limit = Tunable(1072, 0, 3000, 100)
    reduction_was_pv = Tunable(1784, 0, 4096, 160)
    reduction_late_number = Tunable(8, 1, 30, 1)
    reduction_after_late_move = Tunable(1068, 0, 2048, 128)
    reduction_cut_node = Tunable(1594, 0, 4096, 160)
    reduction_noisy_tt_move = Tunable(1005, 0, 2048, 128)
    reduction_pv_node = Tunable(1014, 0, 3072, 128)
    reduction_shallow_pv = Tunable(7166, 0, 20480, 1024)  # divided by the depth and 3
    reduction_singular = Tunable(1027, 0, 2048, 128)
    reduction_threatened = Tunable(1024, 0, 2048, 128)
    reduction_cutoffs = Tunable(861, 0, 2048, 128)
    reduction_history = Tunable(84, 20, 200, 6)  # ... for 1024 points of history
    reduction_history_deep = Tunable(14, 0, 60, 3)
    history_offset = Tunable(4132, 0, 10000, 400)
    # After a reduced search failed high: its score above the best by so much, or so little
    deeper_margin = Tunable(12, 5, 150, 4)
    deeper_depth_margin = Tunable(1, 0, 10, 1)
    shallower_margin = Tunable(23, 0, 100, 5)  # hundredths a ply
    alpha_raised_max_depth = Tunable(5, 1, 12, 1, off=0)
    # --- Pruning of quiet moves, by the depth after the base reduction
    late_move_base = Tunable(6, 1, 8, 1, off=NEVER)
    futility_max_depth = Tunable(9, 3, 16, 1, off=-1)
    futility_base = Tunable(25, 0, 150, 8)
    futility_margin = Tunable(35, 5, 120, 4)
    futility_history = Tunable(77, 0, 400, 15)  # centipawns for 20000 points of history
    history_pruning_max_depth = Tunable(5, 1, 8, 1, off=-1)
    history_pruning_margin = Tunable(3900, 800, 8000, 300)
    # --- Pruning of captures
    capture_futility_max_depth = Tunable(7, 2, 12, 1, off=-1)
    capture_futility_base = Tunable(62, 0, 200, 10)
    capture_futility_margin = Tunable(59, 10, 200, 8)
    capture_futility_history = Tunable(816, 0, 3000, 100)  # centipawns for 20000 points
    # --- Pruning of moves that lose material
    see_quiet_margin = Tunable(13, 2, 60, 3)
    see_quiet_depth_margin = Tunable(12, 0, 40, 3)
    see_noisy_margin = Tunable(88, 25, 200, 9)
    # --- Quiescence
    delta_margin = Tunable(53, 10, 200, 8)
    quiescence_moves = Tunable(5, 1, 8, 1)  # later ones only if they recapture, promote or check
    # --- Correction histories; hundredths of their sum
    correction_weight = Tunable(23, 8, 150, 8, off=0)
    # --- Histories: a bonus is (square * depth + factor) * depth - base
    history_bonus_square = Tunable(16, 0, 40, 2)
    history_bonus_factor = Tunable(314, 50, 600, 25)
    history_bonus_base = Tunable(332, 0, 800, 40)
    history_bonus_limit = Tunable(1495, 600, 3000, 120)
    history_surplus_margin = Tunable(32, 5, 150, 8)
    static_history_factor = Tunable(86, 0, 300, 10)
    static_history_limit = Tunable(1855, 500, 4000, 150)
    failed_low_margin = Tunable(18, 3, 60, 4)
    # --- Order of moves: what threats are worth, in the points of histories
    threat_minor = Tunable(12643, 0, 40000, 1500)
    threat_rook = Tunable(24063, 0, 60000, 2000)
    threat_queen = Tunable(38206, 0, 99000, 4000)
    check_bonus = Tunable(15058, 0, 40000, 1500)
    victim_weight = Tunable(9, 4, 40, 2)  # captures: points of history for a centipawn
    good_capture_margin = Tunable(15, 0, 80, 4)  # may lose 1/1024 of its score times this


def tunables() -> dict[str, Range]:
    return {
        name: member.range for name, member in Params.fields.items() if isinstance(member, Tunable)
    }


def new_params() -> Params:
    """The constants with which the engine plays."""
    params = Params()
    for name, member in _constants().items():
        setattr(params, name, member.default)
    return params


def full_width_params() -> Params:
    """For a search that prunes, reduces and extends nothing: its value is the minimax value."""
    params = Params()
    for name, member in _constants().items():
        setattr(params, name, member.off)
    return params


def _constants() -> dict[str, Constant]:
    return {name: member for name, member in Params.fields.items() if isinstance(member, Constant)}
