"""`wadjet-tablebases verify [PATH]`: checks tables.

It opens every file, computes its checksum, and compares random positions with the positions after
their moves: the result must be the best of theirs, and DTZ one more, except for rounding.
"""

from __future__ import annotations

import argparse

from engine.board.attack_tables import new_attack_tables, new_position
from engine.board.fen import to_fen
from engine.board.position import MoveLists
from engine.command_line import Whole
from engine.files import reason_of
from engine.tb.memory import Prober
from tablebases.checksum import checksum_fits
from tablebases.commands import add_path, open_path
from tablebases.commands.sampling import check_sample, new_sample
from tablebases.material import FormatError, sides

POSITIONS = 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_path(parser, positional=True)
    parser.add_argument(
        "--positions",
        type=Whole(0),
        default=POSITIONS,
        help=f"positions of each material to check; 0: only the files (default: {POSITIONS})",
    )


def run(arguments: argparse.Namespace) -> int:
    tables = open_path(arguments.path)
    problems = list(tables.found.problems)
    pos, lists, prober = new_position(new_attack_tables()), MoveLists(), Prober()
    prober.tablebases = tables.memory
    prober.most_men = tables.most_men
    for path in (*tables.found.wdl.values(), *tables.found.dtz.values()):
        try:
            if not checksum_fits(path):
                problems.append(f"{path}: the checksum is wrong")
        except (FormatError, OSError) as reason:
            problems.append(reason_of(reason))
    print("material       positions   loss    draw     win  (per cent)")
    for number, name in enumerate(sorted(tables.found.wdl)):
        problems += tables.prepare(*sides(name))
        sample = new_sample(name, number)
        if check_sample(sample, prober, pos, lists, arguments.positions, name in tables.found.dtz):
            problems.append(f"{name}: contradicts the tables after its moves: {to_fen(pos)}")
        counts = [int(count) for count in sample.results]
        known = sum(counts)
        if sample.incomplete:
            problems.append(f"{name}: {sample.incomplete} positions need a table that is missing")
        shares = [100 * part / max(known, 1) for part in (sum(counts[:2]), counts[2])]
        shares.append(100 * sum(counts[3:]) / max(known, 1))
        print(f"{name:12} {known:11} " + " ".join(f"{share:7.2f}" for share in shares), flush=True)
    print("\n".join(problems) or "no contradictions")
    return 1 if problems else 0
