"""Runs tests on a copy of the tree in which one file is changed."""

from __future__ import annotations

import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import chess.polyglot
import chess.syzygy
import hypothesis
import numpy.random
import pytest

from tests.mutation.rooms import INTERPRETED

# Loaded here once, so that no child has to.
assert chess and numpy
# A busy machine must not look like a failure.
_PROFILE = "mutation"
hypothesis.settings.register_profile(
    _PROFILE, deadline=None, suppress_health_check=list(hypothesis.HealthCheck), database=None
)

ROOT = Path(__file__).resolve().parents[2]
_MOST_MEMORY = 12 << 30  # bytes: a mutant may well fill a list for ever
_SECONDS_TO_START = 20  # of processor time
TIME_LIMIT = "the time limit"  # in place of a test that failed
_MOST_SECONDS = 3600  # of any time, for a test that waits for ever


@dataclass(frozen=True)
class Outcome:
    killed_by: str  # a test, or why there was no answer; empty: all tests passed
    seconds: float  # of processor time


class Copy:
    """A copy of what git knows of the tree, to be changed and tested."""

    def __init__(self, folder: Path):
        self.root = folder / "tree"
        self._cache = folder / "cache"
        shutil.rmtree(self.root, ignore_errors=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        self._cache.mkdir(mode=0o700, exist_ok=True)
        subprocess.run([sys.executable, "-m", "compileall", "-q", "."], cwd=self.root, check=True)

    def try_changed(
        self, path: str, changed: bytes, tests: list[str], way: str, limit_s: float
    ) -> Outcome:
        """What the tests say to `changed` in place of the file at `path`."""
        file = self.root / path
        original = file.read_bytes()
        try:
            file.write_bytes(changed)
            # Python tells compiled modules by time and size, and both could be the same.
            now = time.time() + 10
            os.utime(file, (now, now))
            return self.test(tests, way, limit_s)
        finally:
            file.write_bytes(original)
            shutil.copystat(ROOT / path, file)

    def test(self, tests: list[str], way: str, limit_s: float) -> Outcome:
        """Run the tests until the first failure, in a child of this process.

        A fork has NumPy, pytest and others' packages loaded already, which is most of the time
        that a new interpreter would take. Of ours it must know nothing yet.
        """
        before = _processor_time()
        with tempfile.TemporaryFile() as output:
            child = os.fork()
            if child == 0:
                _limit(limit_s + _SECONDS_TO_START)
                _run_pytest(self.root, self._cache, tests, way, output.fileno())
            status = _wait(child)
            output.seek(0)
            text = output.read().decode(errors="replace")
        seconds = _processor_time() - before
        if status in (None, -signal.SIGXCPU):
            return Outcome(TIME_LIMIT, seconds)
        if status == 0:
            return Outcome("", seconds)
        if status == pytest.ExitCode.USAGE_ERROR:
            raise RuntimeError(text)
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
        return Outcome(failed[1] if failed else f"exit status {status}", seconds)


def _processor_time() -> float:
    """Of the children that have ended. A busy machine must not look like a failure."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _limit(seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def _wait(child: int) -> int | None:
    """The exit status of a child; None if it had to be ended because it did nothing any more."""
    ended: list[int] = []
    waiter = threading.Thread(target=lambda: ended.append(os.waitpid(child, 0)[1]))
    waiter.start()
    waiter.join(_MOST_SECONDS)
    if waiter.is_alive():
        os.killpg(child, signal.SIGKILL)
        waiter.join()
        return None
    return os.waitstatus_to_exitcode(ended[0])


def _run_pytest(root: Path, cache: Path, tests: list[str], way: str, output: int) -> NoReturn:
    os.setsid()
    for stream in (1, 2):
        os.dup2(output, stream)
    os.environ["WADJET_CACHE"] = str(cache)
    os.environ.pop("NUMBA_DISABLE_JIT", None)
    arguments = ["-x", "-q", "--tb=no", "--no-header", "-p", "no:cacheprovider"]
    arguments += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    arguments += ["--hypothesis-seed=0", f"--hypothesis-profile={_PROFILE}"]
    if way == INTERPRETED:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        arguments += ["-m", "not jit_only"]
    os.chdir(root)
    sys.path[:] = [str(root), *(path for path in sys.path if path not in ("", str(ROOT)))]
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    status = 1
    try:
        status = int(pytest.main([*arguments, *tests]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
