"""`wadjet-tablebases probe FEN`: the result, the way to it, and every move."""

from __future__ import annotations

import argparse

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.constants import WHITE
from engine.board.fen import set_fen, to_fen
from engine.board.notation import legal_moves, move_text
from engine.board.position import MoveLists, Position
from engine.command_line import UsageError
from engine.native.bits import popcount
from engine.tb.access import pieces_of
from engine.tb.memory import Prober
from engine.tb.probing import can_probe, probe_dtz, probe_wdl
from engine.tb.ranking import best_line, rank_moves
from tablebases.commands import add_path, open_path
from tablebases.decoding import NO_TABLE

RESULTS = {2: "win", 1: "cursed win", 0: "draw", -1: "blessed loss", -2: "loss"}
MOVES_SHOWN = 12  # of the line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fen", nargs="+", metavar="FEN", help="the position")
    add_path(parser)


def run(arguments: argparse.Namespace) -> int:
    pos, lists = new_position(new_attack_tables()), MoveLists()
    try:
        remark = set_fen(pos, " ".join(arguments.fen))
    except ValueError as reason:
        raise UsageError(str(reason)) from None
    tables = open_path(arguments.path)
    problems = tables.prepare(*pieces_of(pos))
    prober = Prober()
    prober.tablebases = tables.memory
    prober.most_men = tables.most_men
    for said in filter(None, [remark, *problems]):  # describe may miss what problems took away
        print(said)
    print("\n".join(describe(prober, pos, lists)))
    return 0


def describe(prober: Prober, pos: Position, lists: MoveLists) -> list[str]:
    """The values of the tables, in lines. Raises ValueError if there are none."""
    if pos.snapshots[pos.ply].castling:
        raise UsageError("tablebases contain no positions with castling rights")
    if not can_probe(prober, pos):
        men, most = int(popcount(pos.occupied)), int(prober.most_men)
        raise UsageError(f"the board has {men} men; the largest tables have {most}")
    wdl, dtz = int(probe_wdl(prober, pos, lists, 0)), int(probe_dtz(prober, pos, lists, 0))
    if wdl == NO_TABLE:
        white, black = pieces_of(pos)
        raise ValueError(f"a table for {white}v{black}, or for what it leads to, is missing")
    side = "White" if pos.side == WHITE else "Black"
    lines = [to_fen(pos), f"{side} to move: {RESULTS[wdl]}, DTZ {_number(dtz)}"]
    ranked = rank_moves(prober, pos, lists, legal_moves(pos, lists)) or []
    if ranked:
        lines.append("")
        lines.append("move    result         DTZ")
    for entry in ranked:
        move = move_text(entry.move, chess960=False)
        lines.append(f"{move:7} {RESULTS[entry.wdl]:12} {_number(entry.dtz):>5}")
    if ranked and ranked[0].rank:
        line = best_line(prober, pos, lists, ranked[0].move)
        shown = " ".join(move_text(move, chess960=False) for move in line[:MOVES_SHOWN])
        more = f" ... ({len(line)} plies)" if len(line) > MOVES_SHOWN else ""
        lines += ["", f"line: {shown}{more}"]
    return lines


def _number(dtz: int | None) -> str:
    return "?" if dtz is None or dtz == NO_TABLE else str(dtz)
