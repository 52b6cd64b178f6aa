"""Do the tests notice when the code is wrong? Changes it in many places, one at a time.

    python -m tests.mutation --number 40 --seed 1
    python -m tests.mutation --rooms board protocol --report

Each mutant is tested on a copy of the tree until the first test fails. Results are kept, so that a
run goes on where it was interrupted. What survived is tried again with `--again`, after tests were
added, and with `--compiled`, by which kernels are compiled; a mutant of a file that has changed
since is another one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.mutation.equivalent import REASONS
from tests.mutation.operators import Mutant, mutants
from tests.mutation.rooms import COMPILED, INTERPRETED, ROOMS, Room
from tests.mutation.running import ROOT, TIME_LIMIT, Copy, Outcome

NEAREST_LIMIT_S = 90  # of processor time, for the tests nearest to a source file

Results = dict[str, dict[str, Any]]  # by Mutant.name


def chosen(room: Room, number: int, seed: int) -> list[Mutant]:
    """So many mutants of a room: each operator as likely as the others, then each place."""
    by_operator: dict[str, list[Mutant]] = defaultdict(list)
    for path in room.source_files(ROOT):
        for mutant in mutants(path, (ROOT / path).read_bytes()):
            by_operator[mutant.operator].append(mutant)
    rng = random.Random(f"{seed} {room.name}")
    for found in by_operator.values():
        rng.shuffle(found)
    picked: list[Mutant] = []
    while len(picked) < number and (left := [name for name in by_operator if by_operator[name]]):
        picked.append(by_operator[rng.choice(left)].pop())
    return picked


def digest(path: str) -> str:
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()[:16]


def reason(mutant: Mutant) -> str | None:
    return REASONS.get((mutant.path, mutant.function, mutant.before, mutant.after))


class Campaign:
    def __init__(self, file: Path, compiled: bool, again: bool):
        self.file = file
        self.compiled = compiled
        self.again = again or compiled
        self.results: Results = json.loads(file.read_text()) if file.exists() else {}
        self._copy: Copy | None = None
        self._limits: dict[str, float] = {}

    def known(self, mutant: Mutant) -> dict[str, Any] | None:
        result = self.results.get(mutant.name)
        return result if result and result["digest"] == digest(mutant.path) else None

    def _way(self, room: Room) -> str:
        return COMPILED if self.compiled or room.slow else INTERPRETED

    def run(self, room: Room, picked: list[Mutant], folder: Path) -> None:
        for number, mutant in enumerate(picked, 1):
            result = self.known(mutant)
            if reason(mutant) or (result and (result["killed_by"] or not self.again)):
                continue
            if self.compiled and not room.has_kernels:
                continue
            if self._copy is None:
                self._copy = Copy(folder)
            outcome = self._try(self._copy, room, mutant)
            self.results[mutant.name] = {
                "digest": digest(mutant.path),
                "killed_by": outcome.killed_by,
                "seconds": round(outcome.seconds, 1),
            }
            self.file.write_text(json.dumps(self.results, indent=1))
            print(
                f"{room.name} {number}/{len(picked)}  {mutant.path}:{mutant.line}  "
                f"{outcome.killed_by or 'SURVIVED'}  {outcome.seconds:.1f} s",
                flush=True,
            )

    def _try(self, copy: Copy, room: Room, mutant: Mutant) -> Outcome:
        nearest, others = room.test_files(copy.root, mutant.path)
        changed = mutant.apply((ROOT / mutant.path).read_bytes())
        if nearest and not self.compiled:
            outcome = copy.try_changed(mutant.path, changed, nearest, INTERPRETED, NEAREST_LIMIT_S)
            # Interpreted, a sound test may take as long; the limit of the room is measured.
            if outcome.killed_by and outcome.killed_by != TIME_LIMIT:
                return outcome
        way = self._way(room)
        limit_s = self._limit(copy, room)
        return copy.try_changed(mutant.path, changed, [*nearest, *others], way, limit_s)

    def _limit(self, copy: Copy, room: Room) -> float:
        """Three times the processor time that the tests take if nothing is wrong."""
        if room.name not in self._limits:
            nearest, others = room.test_files(copy.root, room.source_files(ROOT)[0])
            tests = [*nearest, *others]
            way = self._way(room)
            if way == COMPILED:
                copy.test(tests[:1], way, limit_s=1200)  # which compiles
            outcome = copy.test(tests, way, limit_s=1200)
            if outcome.killed_by:
                sys.exit(f"{room.name}: without any change {outcome.killed_by} fails")
            print(f"{room.name}: the tests take {outcome.seconds:.1f} s, {way}", flush=True)
            self._limits[room.name] = 3 * outcome.seconds
        return self._limits[room.name]


def report(campaign: Campaign, picked: dict[str, list[Mutant]]) -> None:
    survivors: list[Mutant] = []
    totals = [0, 0, 0, 0]
    print(f"\n{'room':16} {'mutants':>8} {'killed':>8} {'survived':>9} {'equivalent':>11}")
    for name, chosen_mutants in picked.items():
        known = [(m, campaign.known(m)) for m in chosen_mutants]
        equivalent = [m for m, _ in known if reason(m)]
        killed = [m for m, result in known if not reason(m) and result and result["killed_by"]]
        alive = [m for m, result in known if not reason(m) and result and not result["killed_by"]]
        survivors += alive
        row = (len(equivalent) + len(killed) + len(alive), len(killed), len(alive), len(equivalent))
        totals = [total + value for total, value in zip(totals, row, strict=True)]
        print(_row(name, row))
    print(_row("all", tuple(totals)))
    for mutant in survivors:
        print(f"\nSURVIVED {mutant.path}:{mutant.line} ({mutant.operator})")
        print(f"- {mutant.before}\n+ {mutant.after}")


def _row(name: str, row: tuple[int, ...]) -> str:
    number, killed, survived, equivalent = row
    share = 100 * killed / max(1, number - equivalent)
    return f"{name:16} {number:8} {killed:8} {survived:9} {equivalent:11}   {share:5.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutation", description=(__doc__ or "").split("\n")[0]
    )
    names = [room.name for room in ROOMS]
    parser.add_argument("--rooms", nargs="+", choices=names, default=names, metavar="ROOM")
    parser.add_argument("--number", type=int, default=30, help="mutants of each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="try survivors again")
    parser.add_argument("--compiled", action="store_true", help="compile the kernels of survivors")
    parser.add_argument("--report", action="store_true", help="only show what is known")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "wadjet-mutation",
        help="for the copy of the tree and the results",
    )
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(arguments.folder / "results.json", arguments.compiled, arguments.again)
    picked: dict[str, list[Mutant]] = {}
    for room in ROOMS:
        if room.name in arguments.rooms:
            picked[room.name] = chosen(room, arguments.number, arguments.seed)
            if not arguments.report:
                campaign.run(room, picked[room.name], arguments.folder)
    report(campaign, picked)


if __name__ == "__main__":
    main()
