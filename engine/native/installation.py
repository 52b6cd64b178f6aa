"""The object files of an installation: what a game needs, compiled into a folder.

    python -m engine.native.installation FOLDER          for the processor level of this machine
    python -m engine.native.installation FOLDER --all    for x86-64-v2 and up: a wheel

An object of the same sources and the same compiler is taken from the user's cache, and a new one is
saved there, so that another build after a change to anything else takes seconds.
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
    triple = processor.triple()
    files = {cpu: objects.cached_file(PLAY, triple, cpu) for cpu in cpus}
    cached = {cpu: found[1] for cpu, file in files.items() if (found := objects.find_cached(file))}
    compiled: dict[str, bytes] = {}
    if missing := [cpu for cpu in cpus if cpu not in cached]:
        from engine.native import compiler

        compiled = compiler.compile_object(PLAY, missing)
    for cpu, machine_code in compiled.items():
        objects.save_object(files[cpu], machine_code)
    for cpu, machine_code in {**cached, **compiled}.items():
        path = folder / objects.packaged_file(PLAY, triple, cpu)
        objects.write_object(path, machine_code)
        print(f"{path}: {len(machine_code)} bytes")


if __name__ == "__main__":
    main()
