"""The memory of a worker, one thread that searches, and of what all workers of an engine share."""

from __future__ import annotations

from engine.board.checks import CheckSquares
from engine.board.constants import EMPTY, MAX_MOVES, MAX_PLY
from engine.board.position import MoveLists, Position
from engine.eval.evaluate import Evaluator
from engine.native.structs import (
    Struct,
    array_of,
    atomic,
    inline,
    int16,
    int32,
    int64,
    pointer_to,
)
from engine.search.params import Params
from engine.search.tt import TranspositionTable
from engine.tb.memory import Prober

ROOT_NUMBER = 1 << 16  # factor of the number of a root move, from 1, in `root_progress`
REDUCTION_SIZE = 256  # more than any depth or move number
PLY = 1024  # one ply, in units of reductions
MAX_TRIED = 64  # moves of a kind remembered in a node
REPLY, FOLLOW_UP = 0, 1  # a move after one of the opponent, and after one's own earlier move
KIND_AND_TO = EMPTY * 64
NO_MOVE_ROW = 4 * KIND_AND_TO  # an earlier move may have been an evasion, and noisy
FARTHEST_BACK = 6  # plies to the earliest move that a history knows
CORRECTION_SIZE = 16384  # a power of two


class ReductionTable(Struct):
    """Computed from Params, then only read."""

    reductions = int64[REDUCTION_SIZE]  # a factor for the depth, and one for the move number


class Picker(Struct):
    """The state of the move picker at one ply; see ordering.py."""

    stage = int64
    tt_move = int64
    index = int64  # next move to look at
    count = int64  # moves generated so far
    bad_count = int64  # losing captures, kept at the beginning of the list
    skip_quiets = int64  # 1: no more quiet moves
    countermove = int64  # the last quiet move that refuted the opponent's move
    depth = int64  # of a node of quiescence; see there
    threatened = int64  # own pieces that lesser ones attack; valid from the quiet moves on
    has_checks = int64  # 1: `checks` is valid. In searches for mate it always is
    checks = inline(CheckSquares)


class RootMove(Struct):
    """A legal move of the root, and the results of the current iteration for it."""

    move = int64
    score = int64  # -INFINITE if it was not better than the best
    ceiling = int64  # the score, or the best one that it failed to beat; INFINITE if not searched
    nodes = int64  # spent below it in the whole search
    selective_depth = int64
    pv_length = int64
    pv = int32[MAX_PLY + 2]


class Window(Struct):
    """The aspiration window of the current iteration; see deepening.py."""

    alpha = int64
    beta = int64
    margin = int64  # by which it was last widened
    score = int64  # of the last search
    failed_high = int64  # index of the root move that was above the last window, or -1
    fail_highs = int64  # in a row


class Frame(Struct):
    """The state of one ply of the current line."""

    static_eval = int64  # corrected; NO_SCORE when in check
    excluded = int64  # the move whose singularity is being tested, or NO_MOVE
    in_check = int64  # conditions are 0 or 1
    known = int64  # the transposition table had an entry
    was_pv = int64  # in the principal variation, now or when the table's entry was stored
    double_extensions = int64  # in the line from the root to this node
    cutoffs = int64  # of the nodes of this ply since the one two plies above began
    history = int64  # of the last move that was reduced, by its histories
    # The node, from the search of its moves on
    depth = int64  # after internal reduction
    improving = int64
    pv_node = int64
    cut_node = int64
    raw_eval = int64  # before its correction; NO_SCORE when in check
    # The move being searched
    move = int64
    move_number = int64  # from 1
    # Other moves
    killers = int64[2]  # quiet moves that caused a cutoff at this ply
    pv_length = int64
    picker = inline(Picker)
    quiet_count = int64  # how many of `tried_quiets` are filled
    noisy_count = int64
    tried_quiets = int32[MAX_TRIED]  # for the malus after a cutoff
    tried_noisies = int32[MAX_TRIED]
    pv = int32[MAX_PLY + 2]  # the best line from here, `pv_length` moves


class Worker(Struct):
    stop = atomic(int64)  # set by Python or by the node limit to end the search
    nodes = atomic(int64)  # legal moves made
    node_limit = int64
    clock = int64  # address of the function that tells the time
    deadline = atomic(int64)  # in its ticks
    root_depth = int64  # of the current iteration
    selective_depth = int64  # deepest ply reached
    root_progress = atomic(int64)  # for `currmove`: the root move being searched, below its number
    root_best = int64  # index of the move that last raised alpha at the root, or -1
    root_count = int64
    root_first = int64  # the moves before it belong to earlier lines (MultiPV)
    window = inline(Window)
    root_moves = array_of(RootMove, MAX_MOVES + 1)  # the last one is for swapping
    position = inline(Position)
    lists = inline(MoveLists)
    stack = array_of(Frame, MAX_PLY + 3)  # by ply
    evaluator = inline(Evaluator)
    prober = inline(Prober)
    tablebase_hits = atomic(int64)  # positions that tablebases knew
    params = pointer_to(Params)
    reduction_table = pointer_to(ReductionTable)
    tt = pointer_to(TranspositionTable)
    null_move_from = int64  # no null moves at smaller plies, during verification
    history = int16[2, 64, 64]  # quiet moves: [side, from, to]
    capture_history = int16[2, KIND_AND_TO, 7]  # [side, piece and to, captured kind]
    # Quiet moves after an earlier move: [REPLY or FOLLOW_UP, side, its row, our piece and to]
    continuations = int16[2, 2, NO_MOVE_ROW + 1, KIND_AND_TO]
    # The rows of the moves of the line, from index FARTHEST_BACK on; before it NO_MOVE_ROW
    rows = int64[FARTHEST_BACK + MAX_PLY + 2]
    countermoves = int64[2, KIND_AND_TO]  # [side of the answer, piece and to of the move]
    root_delta = int64  # width of the window at the root
    corrections = int16[5, 2, CORRECTION_SIZE]  # [feature, side, key]; see corrections.py
