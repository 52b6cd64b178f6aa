"""The compliance check of fastchess: exchanges of a match tool with an engine, step by step."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

from tests.soak.page import Row
from tuning.engines import command_of

TOOL = "fastchess"
LONGEST_S = 120
_STEP = re.compile(r"(Passed|Failed)\S* (Step \d+: .*)")


def is_possible() -> bool:
    """Is fastchess installed?"""
    return shutil.which(TOOL) is not None


def check(engine: str, command: str) -> Row:
    """Let fastchess check an engine. OSError if it is not installed, or does not end.

    Args:
        engine: a command line.
        command: what repeats this test.
    """
    tool = shutil.which(TOOL)
    if tool is None:
        raise OSError(f"the part `compliance` needs {TOOL}")
    program, *words = command_of(engine)
    arguments = [shlex.join(words)] if words else []
    try:
        done = subprocess.run(
            [tool, "--compliance", program, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=LONGEST_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise OSError(f"{TOOL}: no end of its check after {LONGEST_S} s") from None
    steps = _STEP.findall(done.stdout + done.stderr)
    failed = [step for result, step in steps if result == "Failed"]
    return Row(
        test="compliance: fastchess",
        command=command,
        size=f"{len(steps)} steps",
        result="all passed" if done.returncode == 0 and not failed else "not passed",
        faults=max(len(failed), int(done.returncode != 0 or not steps)),
        order=31,
        details=tuple(f"- {step}" for step in failed),
    )
