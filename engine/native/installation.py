"""The object files of an installation: what a game needs, compiled into a folder.

    python -m engine.native.installation FOLDER          for the processor level of this machine
    python -m engine.native.installation FOLDER --all    for x86-64-v2 and up: a wheel

What the user's cache has already is not compiled again.
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
    names = {cpu: objects.object_file(PLAY, triple, cpu) for cpu in cpus}
    found = {cpu: objects.find_object(name) for cpu, name in names.items()}
    made = _compile([cpu for cpu in cpus if found[cpu] is None])
    for cpu, name in names.items():
        already = found[cpu]
        if already is None:
            machine_code, origin = made[cpu], "compiled"
            objects.save_object(name, machine_code)
        else:
            path, machine_code = already
            origin = f"from {path.parent}"
        objects.write_object(folder / name, machine_code)
        print(f"{folder / name}: {len(machine_code)} bytes, {origin}")


def _compile(cpus: Sequence[str]) -> dict[str, bytes]:
    if not cpus:
        return {}
    from engine.native import compiler

    return compiler.compile_object(PLAY, cpus)


if __name__ == "__main__":
    main()
