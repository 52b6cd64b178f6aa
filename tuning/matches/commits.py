"""Commits as engines: checked out by git into the user's cache, and run from there."""

from __future__ import annotations

import shutil
import subprocess
from io import BytesIO
from zipfile import ZipFile

from engine.native.objects import cache_folders
from tuning.engines import command_at


def resolve(revision: str) -> str | None:
    """The commit that a revision names, 40 digits. None if there is none, or no git."""
    if revision.startswith("-"):
        return None
    words = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    try:
        done = subprocess.run(["git", *words], capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def engine_of(commit: str) -> str:
    """The command line of a commit's engine. OSError if git cannot give its files."""
    cache = cache_folders()[0] / "commits"
    folder = cache / commit
    if not folder.exists():
        words = ["git", "archive", "--format=zip", commit]
        done = subprocess.run(words, capture_output=True, check=False)
        if done.returncode:
            raise OSError(f"git archive {commit}: {done.stderr.decode(errors='replace').strip()}")
        unfinished = cache / f".{commit}.part"
        shutil.rmtree(unfinished, ignore_errors=True)
        with ZipFile(BytesIO(done.stdout)) as files:
            files.extractall(unfinished)
        unfinished.rename(folder)
    return command_at(folder)
