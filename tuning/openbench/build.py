"""One executable file that contains the engine, for OpenBench: `make EXE=NAME`.

The file is a Python archive (zipapp): a line that names this Python, and a zip file of the
installed package with its compiled kernels. Machine code, network and tables are read from real
files, so launcher.py unpacks them at the first start.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipapp
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NETWORK = Path("wadjet", "engine", "eval", "network", "wadjet.nnue")
NEEDED = ("numpy", "llvmlite", "chess")  # to run; pip fetches what is needed to build


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("file", type=Path, help="the executable file to write")
    parser.add_argument("--network", type=Path, help="the network instead of the built-in one")
    arguments = parser.parse_args()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"{sys.executable} lacks packages: pip install {' '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), arguments.file.absolute(), arguments.network)


def build(folder: Path, file: Path, network: Path | None) -> None:
    """Build the package in an empty folder, and write the file."""
    package = folder / "package"
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile")
    pip = [sys.executable, "-m", "pip", "install", *options, "--target", str(package)]
    subprocess.run([*pip, str(_copy_of_the_sources(folder))], check=True)
    if network is not None:
        shutil.copyfile(network, package / NETWORK)
    shutil.copyfile(HERE / "launcher.py", package / "__main__.py")
    unfinished = file.with_name(f"{file.name}.part")
    zipapp.create_archive(package, unfinished, interpreter=sys.executable, compressed=True)
    os.replace(unfinished, file)


def _copy_of_the_sources(folder: Path) -> Path:
    """pip would leave its build folder among them."""
    copy = folder / "sources"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "build", "*.egg-info", "tests"))
    return copy


if __name__ == "__main__":
    main()
