"""The inputs of attacked pieces: what hangs, and what only seems to.

The other inputs are pieces on squares. Whether one piece attacks another depends on what stands
between them, and no sum of such inputs can tell. So a piece that a pawn or a minor piece attacks,
or that is attacked and undefended, has a second row in each view, unless it is a king. Its least
attacker and its defence choose one of eight sets of rows:

                          by a pawn    by a minor piece    by a rook    by a queen or king
    undefended                0               1                2                3
    defended by a pawn        4               5
    defended otherwise        6               7

Within a set, kind, colour and square choose the row. The king's square does not. Defended pieces
that only rooks, queens or kings attack have no row: it told little, and takes time.

A move changes many attacks, but a search evaluates positions with two or three such pieces. So
their rows are added to the sums for each evaluation, and nothing is updated. Stockfish 18 has such
inputs for each pair of an attacker and its target; Monty has four sets of piece inputs, attacked or
not and defended or not.
"""

from __future__ import annotations

from engine.board.attacks import knight_attacks, pawn_attacks
from engine.board.constants import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from engine.board.position import Position
from engine.eval.network.inputs import input_row, orientation
from engine.eval.network.memory import (
    Accumulator,
    AttackedPieces,
    Attacks,
    CompleteSums,
    Layers,
)
from engine.eval.network.shape import PIECE_INPUTS
from engine.native.bits import add_rows, lsb, shr, slide, squares
from engine.native.jit import entry, kernel


@entry
def find_attacked(pos: Position, attacked: AttackedPieces) -> None:
    """List the rows of the attacked pieces of both sides, in both views."""
    find_attacks(pos, attacked)
    white_view = orientation(WHITE, lsb(pos.pieces[WHITE, KING])) & 63
    black_view = orientation(BLACK, lsb(pos.pieces[BLACK, KING])) & 63
    white_rows, black_rows = attacked.views[WHITE].rows, attacked.views[BLACK].rows
    count = 0
    for colour in range(2):
        ours, theirs = attacked.attacks[colour], attacked.attacks[colour ^ 1]
        having_rows = theirs.by_any & (theirs.by_pawns | theirs.by_minors | ~ours.by_any)
        for square in squares(having_rows & pos.colours[colour] & ~pos.pieces[colour, KING]):
            first = PIECE_INPUTS * attack_on(theirs, ours, square)
            kind = pos.board[square]
            white_rows[count] = first + input_row(white_view, WHITE, colour, kind, square)
            black_rows[count] = first + input_row(black_view, BLACK, colour, kind, square)
            count += 1
    attacked.count = count


@kernel
def find_attacks(pos: Position, attacked: AttackedPieces) -> None:
    """What both sides attack."""
    pieces, sliders, reached = pos.pieces, attacked.sliders, attacked.reached
    for colour in range(2):
        sliders[2 * colour] = pieces[colour, BISHOP]
        sliders[2 * colour + 1] = pieces[colour, QUEEN]
        sliders[2 * colour + 4] = pieces[colour, ROOK]
        sliders[2 * colour + 5] = pieces[colour, QUEEN]
    slide(sliders, ~pos.occupied, reached)
    for colour in range(2):
        by_pawns = pawn_attacks(colour, pieces[colour, PAWN])
        by_minors = knight_attacks(pieces[colour, KNIGHT]) | reached[2 * colour]
        by_rooks = reached[2 * colour + 4]
        by_others = reached[2 * colour + 1] | reached[2 * colour + 5]
        by_others |= pos.tables.king[lsb(pieces[colour, KING])]
        attacks = attacked.attacks[colour]
        attacks.by_pawns = by_pawns
        attacks.by_minors = by_minors
        attacks.by_rooks = by_rooks
        attacks.by_any = by_pawns | by_minors | by_rooks | by_others


@kernel
def attack_on(theirs: Attacks, ours: Attacks, square: int) -> int:
    """The set of rows of one of our pieces, if it has one. Without branches, because nothing would
    predict them."""
    attacker = shr(theirs.by_pawns, square) & 1
    attacker |= 2 * (shr(theirs.by_minors, square) & 1)
    attacker |= 4 * (shr(theirs.by_rooks, square) & 1)
    first = shr(~ours.by_any, square) & 1
    first |= 16 * (shr(ours.by_pawns, square) & 1)
    return lsb(attacker | 8) + lsb(first | 64)


@kernel
def add_attacked(
    layers: Layers, attacked: AttackedPieces, view: int, accumulator: Accumulator
) -> CompleteSums:
    """The sums of a view with the rows of the attacked pieces."""
    complete = attacked.views[view]
    rows = complete.rows
    add_rows(
        accumulator.sums, layers.attacked_weights, rows, attacked.count, rows, 0, complete.sums
    )
    return complete
