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


NEVER = 1 << 20  # more plies than any search is deep


class Params(Struct):
    # --- What is not tuned
    quiesce = Constant(1, off=0)  # 0: no quiescence, only the static evaluation at the horizon
    extension_ratio = Constant(2, off=0)  # times the iteration's depth: no extensions from that ply
    table_cutoffs = Constant(1, off=0)  # 0: the transposition table ends no node
    # Margins are in centipawns, depths in plies.                default   min    max  step
    # --- Aspiration windows
    aspiration_min_depth = Tunable(3, 2, 10, 1)
    aspiration_margin = Tunable(11, 5, 60, 3)
    # --- Beyond this score the game is decided, and only a mate matters
    decided_score = Tunable(461, 200, 2000, 50)
    # --- Reverse futility: prune a node that is far above beta
    reverse_futility_max_depth = Tunable(10, 3, 14, 1, off=0)
    reverse_futility_margin = Tunable(30, 20, 150, 6)
    # --- Razoring: prune a node that is far below alpha
    razoring_max_depth = Tunable(3, 1, 6, 1, off=0)
    razoring_margin = Tunable(137, 80, 500, 25)
    # --- Null move
    null_move_min_depth = Tunable(3, 1, 6, 1, off=NEVER)
    null_move_reduction = Tunable(5, 2, 6, 1)
    null_move_depth_divisor = Tunable(6, 2, 8, 1)
    null_move_eval_divisor = Tunable(143, 80, 400, 20)
    null_move_eval_limit = Tunable(3, 1, 6, 1)
    null_move_verify_depth = Tunable(10, 6, 20, 1)
    # --- ProbCut: a capture that a shallow search finds far above beta
    probcut_min_depth = Tunable(4, 3, 8, 1, off=NEVER)
    probcut_margin = Tunable(122, 60, 360, 15)
    probcut_improving_margin = Tunable(25, 0, 150, 8)
    # --- Singular extensions: a tt_move far better than all others is searched deeper
    singular_min_depth = Tunable(5, 4, 10, 1, off=NEVER)
    singular_tt_depth = Tunable(1, 1, 6, 1)
    singular_margin = Tunable(2, 1, 6, 1)
    double_extension_margin = Tunable(13, 5, 60, 4)
    # --- Internal iterative reduction
    internal_reduction_min_depth = Tunable(6, 2, 8, 1, off=NEVER)
    # --- Late move reductions; base and divisor in hundredths
    reduction_min_depth = Tunable(3, 2, 5, 1, off=NEVER)
    reduction_base = Tunable(65, 0, 150, 10)
    reduction_divisor = Tunable(178, 120, 350, 15)
    # In 1/1024 plies, added to or taken from the reduction that depth and move number give
    reduction_cut_node = Tunable(1465, 0, 3072, 128)
    reduction_not_improving = Tunable(669, 0, 2048, 128)
    reduction_pv_node = Tunable(526, 0, 2048, 128)
    reduction_was_pv = Tunable(967, 0, 2048, 128)
    reduction_check = Tunable(781, 0, 2048, 128)
    reduction_killer = Tunable(1326, 0, 2048, 128)
    reduction_history = Tunable(94, 40, 320, 12)  # ... for 1024 points of history
    reduction_noisy = Tunable(824, 0, 1024, 64)  # losing captures: times this, / 1024
    # After a reduced search failed high: its score above the best by so much, or so little
    deeper_margin = Tunable(45, 10, 150, 8)
    shallower_margin = Tunable(15, 0, 40, 3)
    # --- Pruning of quiet moves, by the depth after the base reduction
    late_move_max_depth = Tunable(4, 3, 14, 1, off=0)
    late_move_base = Tunable(5, 1, 8, 1)
    futility_max_depth = Tunable(10, 3, 12, 1, off=-1)
    futility_base = Tunable(7, 0, 250, 12)
    futility_margin = Tunable(16, 15, 180, 6)
    history_pruning_max_depth = Tunable(6, 1, 8, 1, off=-1)
    history_pruning_margin = Tunable(3840, 800, 8000, 300)
    # --- Pruning of moves that lose material
    see_max_depth = Tunable(11, 3, 14, 1, off=-1)
    see_quiet_margin = Tunable(25, 5, 60, 4)
    see_noisy_margin = Tunable(101, 25, 200, 9)
    # --- Quiescence
    delta_margin = Tunable(82, 50, 400, 20)
    quiescence_captures = Tunable(3, 1, 8, 1)  # later ones only if they recapture or promote
    # --- Correction histories; hundredths of their sum
    correction_weight = Tunable(30, 8, 150, 8, off=0)
    # --- Histories
    history_bonus_factor = Tunable(176, 50, 400, 20)
    history_bonus_limit = Tunable(1748, 600, 3000, 120)
    history_malus_factor = Tunable(187, 50, 400, 20)
    history_malus_limit = Tunable(1190, 600, 3000, 120)
    previous_move_bonus = Tunable(91, 0, 200, 10)
    # --- Threats, in the points of histories: minor pieces; rooks twice, queens three times that
    threat_bonus = Tunable(6602, 0, 16000, 500)
    threat_malus = Tunable(2938, 0, 16000, 500)


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
