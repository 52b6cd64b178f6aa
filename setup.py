"""Build the wheel: one package `wadjet`, with compiled kernels. The rest is in pyproject.toml.

In the repository the folders `engine`, `uci`, `tablebases`, `openings` and `tuning` are packages
of their own. Installed under these names they would collide with other people's, so the wheel
contains them inside `wadjet`, and the imports of its copies use those names.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

PACKAGE = "wadjet"
LEVELS = "WADJET_LEVELS"  # a variable: `host`, the default, or `all` for a wheel for others
PAGES = "WADJET_PAGES"  # a variable: where the files of the repository can be read, ends in "/"
MAIN = f'"""`python -m {PACKAGE}`."""\n\nfrom {PACKAGE} import run_engine\n\nrun_engine()\n'


def inside_package(source: bytes, folders: Iterable[str]) -> bytes:
    """A source file with the imports of our folders changed to name them inside the package.

    tests/test_install.py forbids the one form that would bind another name: `import engine`.
    """
    names = "|".join(folders).encode()
    ours = re.compile(rb"^([ \t]*(?:from|import) )(?=(?:" + names + rb")\b)", re.MULTILINE)
    return ours.sub(rb"\1" + PACKAGE.encode() + b".", source)


class BuildKernels(build_py):
    """Copy the Python files, move them into one package, and compile the kernels of the copies."""

    def run(self) -> None:
        # Whatever an earlier build left here would be hashed and shipped too.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if not self.editable_mode:  # else the clone is used as it is, and compiles when it must
            root = Path(self.build_lib).resolve()
            _record_commit(root)
            _make_one_package(root, {name.partition(".")[0] for name in self.packages})
            _compile_kernels(root)


class RecordCommit(sdist):
    """A source distribution has no git to ask for the commit."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        _record_commit(Path(base_dir))


def _record_commit(root: Path) -> None:
    """For `wadjet --version`: write the commit, if it is known, into the copy at `root`."""
    version = runpy.run_path(str(Path(__file__).resolve().parent / "uci" / "version.py"))
    if commit := version["commit"]():
        (root / "uci" / version["RECORD"]).write_text(f"{commit}\n", encoding="ascii")


def _make_one_package(root: Path, folders: Iterable[str]) -> None:
    package = root / PACKAGE
    package.mkdir()
    (root / f"{PACKAGE}.py").rename(package / "__init__.py")
    for folder in folders:
        (root / folder).rename(package / folder)
    for path in package.rglob("*.py"):
        path.write_bytes(inside_package(path.read_bytes(), folders))
    (package / "__main__.py").write_text(MAIN, encoding="utf-8")
    (package / "py.typed").touch()


def _compile_kernels(root: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    for variable in ("WADJET_KERNEL_CHECKS", "NUMBA_DISABLE_JIT"):  # how to run, not to build
        environment.pop(variable, None)
    folder = root / PACKAGE / "engine" / "native" / "machine_code"
    program = f"{PACKAGE}.engine.native.installation"
    command = [sys.executable, "-B", "-m", program, str(folder)]
    if os.environ.get(LEVELS, "host") == "all":
        command.append("--all")
    subprocess.run(command, cwd=root, env=environment, check=True)


class PlatformWheel(bdist_wheel):
    """Machine code fits one platform, but any Python version."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


def readme(pages: str) -> str:
    """README.md, with links that work away from the repository if `pages` says where that is."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    if not pages:
        return text

    def absolute(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        return f"{picture}[{words}]({pages}{target}{'?raw=true' if picture else ''})"

    return re.sub(r"(!?)\[([^]]*)\]\((?!\w+:|#)([^)]+)\)", absolute, text)


class OnePackage(Distribution):
    """What the wheel is: for this platform, and one package."""

    def has_ext_modules(self) -> bool:
        return True

    def iter_distribution_names(self) -> Iterator[str]:
        """The names that an installation makes importable (top_level.txt)."""
        yield PACKAGE


if __name__ == "__main__":
    commands = {"build_py": BuildKernels, "bdist_wheel": PlatformWheel, "sdist": RecordCommit}
    pages = os.environ.get(PAGES, "")
    urls = {"Documentation": f"{pages}docs/quick_start.md", "Changelog": f"{pages}CHANGELOG.md"}
    setup(
        cmdclass=commands,
        distclass=OnePackage,
        long_description=readme(pages),
        long_description_content_type="text/markdown",
        project_urls=urls if pages else {},
    )
