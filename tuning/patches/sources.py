"""Commits as engines: merged by git without a working copy, and checked out into a cache folder.

Nothing is written into the repository: merges go into a store of objects in the cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

# Who merges, and when: always the same, so that the same merge has the same name.
_MERGER = {
    f"GIT_{role}_{item}": value
    for role in ("AUTHOR", "COMMITTER")
    for item, value in (("NAME", "queue"), ("EMAIL", "queue"), ("DATE", "2000-01-01T00:00:00Z"))
}


class MergeConflictError(ValueError):
    """Commits that do not go together."""


class Sources:
    """The commits of a repository. Raises OSError if git or the repository is missing."""

    def __init__(self, repository: Path, cache: Path):
        self.repository, self.cache = repository, cache
        self._stores: dict[str, str] = {}
        objects = self._git("rev-parse", "--git-path", "objects").stdout.decode().strip()
        own = cache / "objects"
        own.mkdir(parents=True, exist_ok=True)
        self._stores = {
            "GIT_OBJECT_DIRECTORY": str(own.resolve()),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str((repository / objects).resolve()),
        }

    def resolve(self, revision: str) -> str:
        """The name of a commit, 40 digits. ValueError if there is none."""
        if revision.startswith("-"):
            raise ValueError(f"{revision} is an option, not a commit")
        words = ("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        done = self._git(*words, may_fail=True)
        if done.returncode:
            raise ValueError(f"{self.repository}: no commit is called {revision}")
        return done.stdout.decode().strip()

    def merged(self, base: str, revisions: Sequence[str]) -> str:
        """The commit that holds all of them. MergeConflictError if they do not go together."""
        result = base
        for revision in revisions:
            result = self._merged_pair(result, revision)
        return result

    def _merged_pair(self, one: str, other: str) -> str:
        if self._holds(one, other):
            return one
        if self._holds(other, one):
            return other
        done = self._git("merge-tree", "--write-tree", "--name-only", one, other, may_fail=True)
        lines = done.stdout.decode(errors="replace").splitlines()
        if done.returncode == 1:
            files = ", ".join(line for line in lines[1 : lines.index("")])
            raise MergeConflictError(f"{other[:10]} conflicts with {one[:10]} in {files}")
        if done.returncode:
            raise OSError(f"git merge-tree: {_last_words(done)}")
        words = ("commit-tree", lines[0], "-p", one, "-p", other, "-m", "Merge")
        return self._git(*words).stdout.decode().strip()

    def _holds(self, commit: str, ancestor: str) -> bool:
        words = ("merge-base", "--is-ancestor", ancestor, commit)
        return self._git(*words, may_fail=True).returncode == 0

    def checkout(self, commit: str) -> Path:
        """The folder with the files of a commit, whole."""
        folder = self.cache / commit
        if not folder.exists():
            unfinished = self.cache / f".{commit}.part"
            shutil.rmtree(unfinished, ignore_errors=True)
            archive = self._git("archive", "--format=zip", commit).stdout
            with ZipFile(BytesIO(archive)) as files:
                files.extractall(unfinished)
            unfinished.rename(folder)
        return folder

    def _git(self, *words: str, may_fail: bool = False) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, **_MERGER, **self._stores}
        command = ["git", "-C", str(self.repository), *words]
        try:
            done = subprocess.run(command, capture_output=True, env=environment, check=False)
        except FileNotFoundError:
            raise OSError("git: no such program") from None
        if done.returncode and not may_fail:
            raise OSError(f"git {words[0]}: {_last_words(done)}")
        return done


def _last_words(done: subprocess.CompletedProcess[bytes]) -> str:
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return said[-1] if said else f"exit status {done.returncode}"
