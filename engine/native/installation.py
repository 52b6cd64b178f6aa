"""The object files of an installation: what a game needs, compiled into a folder.

    python -m engine.native.installation FOLDER          for the processor level of this machine
    python -m engine.native.installation FOLDER --all    for x86-64-v2 and up: a wheel

The user's cache is neither read nor written: what is installed follows from its sources alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from engine.kernels import PLAY
from engine.native import objects, processor


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="every processor level")
    options = parser.parse_args(arguments)
    cpus = processor.shipped_levels() if options.all else processor.usable_levels()[:1]
    install(options.folder, cpus)


def install(folder: Path, cpus: Sequence[str]) -> None:
    """Write an object file for each processor level into the folder."""
    from engine.native import compiler

    for cpu, machine_code in compiler.compile_object(PLAY, cpus).items():
        path = folder / objects.packaged_file(PLAY, processor.triple(), cpu)
        objects.write_object(path, machine_code)
        print(f"{path}: {len(machine_code)} bytes")


if __name__ == "__main__":
    main()
