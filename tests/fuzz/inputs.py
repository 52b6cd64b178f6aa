"""Damaged input for every reader of the engine and its tools.

Input number N of a target is always the same, so a run is repeated or continued by its numbers. The
targets run in a process of their own, which is watched: it may neither die nor fall silent.
"""

from __future__ import annotations

import argparse
import mmap
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.targets import DEFAULT_SHARE, SHARES, TARGETS, mutated
from tests.soak.page import Row

HANG_S = 60.0  # for one input, on a busy machine
START_S = 900.0  # for the worker to begin: it may have to compile first
NOT_BEGUN = (1 << 64) - 1  # instead of the number of an input
MOST_FAULTS = 20  # of a target, then it is given up
CRASH, HANG = "the process died", "no answer"


@dataclass
class Findings:
    target: str
    tried: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)  # input, what happened


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--inputs", type=int, default=1_000_000,
        help="number of inputs, for all readers together (default: 1000000)")  # fmt: skip
    parser.add_argument("--first", type=int, default=0, help="first input (default: 0)")
    parser.add_argument("--only", nargs="+", choices=TARGETS, metavar="READER",
        help=f"readers to try: {', '.join(TARGETS)} (default: all)")  # fmt: skip
    parser.add_argument("--one", type=int, help="show this input of the reader in --only")
    parser.add_argument("--worker", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> Iterator[Row]:
    names = arguments.only or list(TARGETS)
    if arguments.worker:
        work(names[0], arguments.first, arguments.inputs, Path(arguments.worker))
        sys.exit(0)
    if arguments.one is not None:
        show(names[0], arguments.one)
        sys.exit(0)
    shares = {name: SHARES.get(name, DEFAULT_SHARE) for name in names}
    for name in names:
        count = max(1, arguments.inputs * shares[name] // sum(shares.values()))
        yield row_of(fuzz(name, arguments.first, count), arguments.first)


def row_of(findings: Findings, first: int) -> Row:
    name = findings.target
    last = first + findings.tried - 1
    return Row(
        test=f"fuzz: {name}",
        command=f"python -m tests.fuzz inputs --only {name} --first {first} "
        f"--inputs {findings.tried}",
        size=f"{findings.tried:,} inputs, {first} to {last}",
        result="read or refused" if not findings.faults else "see below",
        faults=len(findings.faults),
        order=50 + list(TARGETS).index(name),
        details=tuple(f"- input {number}: {what}" for number, what in findings.faults),
    )


def content_of(name: str, number: int, seeds: list[bytes]) -> bytes:
    return mutated(TARGETS[name], seeds, Random(f"{name} {number}"))


def fuzz(name: str, first: int, count: int) -> Findings:
    """Watch a process that tries the inputs; go on behind one that kills it."""
    findings = Findings(name)
    end = first + count
    with tempfile.TemporaryDirectory() as folder:
        while first < end and len(findings.faults) < MOST_FAULTS:
            stopped_at, reason = _watched(name, first, end - first, Path(folder))
            findings.tried += min(end, stopped_at + 1) - first
            if reason:
                findings.faults.append((stopped_at, reason))
            first = stopped_at + 1
    return findings


def _watched(name: str, first: int, count: int, folder: Path) -> tuple[int, str]:
    """The number of the last input that was begun, and what was wrong with it, if anything."""
    progress = folder / "progress"
    progress.write_bytes(NOT_BEGUN.to_bytes(8, "little"))
    words = ["inputs", "--only", name, "--first", str(first), "--inputs", str(count)]
    command = [sys.executable, "-m", "tests.fuzz", *words, "--worker", str(folder)]
    # By file: a worker that fills a pipe would look like one that hangs.
    with open(folder / "said", "w+b") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        at, since = NOT_BEGUN, time.monotonic()
        try:
            while process.poll() is None:
                time.sleep(0.05)
                now_at = int.from_bytes(progress.read_bytes(), "little")
                if now_at != at:
                    at, since = now_at, time.monotonic()
                elif time.monotonic() - since > (START_S if at == NOT_BEGUN else HANG_S):
                    return (first if at == NOT_BEGUN else at), HANG
        finally:
            process.kill()
            process.wait()
        at = int.from_bytes(progress.read_bytes(), "little")
        at = first if at == NOT_BEGUN else at
        if process.returncode == 0:
            return first + count - 1, ""
        said.seek(0)
        last_words = said.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        return at, f"{CRASH}: status {process.returncode}: {''.join(last_words)[:200]}"


def work(name: str, first: int, count: int, folder: Path) -> None:
    """Try inputs, and say before each which it is. An exception ends the process."""
    target = TARGETS[name]
    seeds = target.seeds(folder)
    target.check(seeds[0], folder)  # loads or compiles the kernels, which takes long
    with open(folder / "progress", "r+b") as file, mmap.mmap(file.fileno(), 8) as progress:
        for number in range(first, first + count):
            progress[:8] = number.to_bytes(8, "little")
            target.check(content_of(name, number, seeds), folder)


def show(name: str, number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        content = content_of(name, number, TARGETS[name].seeds(Path(folder)))
        print(repr(content[:2000]))
        try:
            TARGETS[name].check(content, Path(folder))
        except Exception:
            traceback.print_exc()
