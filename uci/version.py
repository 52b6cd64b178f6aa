"""The commit that the program was made from. setup.py runs this file too, so it imports nothing of
ours."""

from __future__ import annotations

import subprocess
from pathlib import Path

RECORD = "commit.txt"  # in this folder of an installation; setup.py writes it
PATIENCE_S = 5


def commit() -> str | None:
    """Its abbreviated hash, with `-dirty` if files differ from it; None if it is not known."""
    here = Path(__file__).resolve().parent
    record = here / RECORD
    if record.is_file():
        return record.read_text(encoding="ascii").strip()
    if not (here.parent / ".git").exists():  # else git would look further up
        return None
    command = ["git", "-C", str(here.parent), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
