"""The object files of an installation: what a game needs, compiled into a folder.

    python -m engine.native.installation FOLDER          for the processor level of this machine
    python -m engine.native.installation FOLDER --all    for x86-64-v2 and up: a wheel

Two processes share the work. What the user's cache has already is not compiled again.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from engine.native import objects, processor
from engine.native.registry import symbol

OBJECT = "play"
PROCESSES = 2


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
    names = {cpu: objects.object_file(OBJECT, triple, cpu) for cpu in cpus}
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
    # The threads of Numba and LLVM would not survive a fork.
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as pool:
        texts: dict[str, list[str]] = {}
        for share in pool.map(_translate_share, range(PROCESSES)):
            texts |= share
        return dict(zip(cpus, pool.map(_emit, [texts] * len(cpus), cpus), strict=True))


def _translate_share(number: int) -> dict[str, list[str]]:
    """The LLVM modules of every second kernel, by symbol."""
    from engine.native import compiler

    functions = compiler.kernels_of(OBJECT)
    modules = compiler.translate(functions, functions[number::PROCESSES])
    return {symbol(function): texts for function, texts in modules.items()}


def _emit(texts: dict[str, list[str]], cpu: str) -> bytes:
    from engine.native import compiler

    modules = {function: texts[symbol(function)] for function in compiler.kernels_of(OBJECT)}
    return compiler.emit(modules, cpu)


if __name__ == "__main__":
    main()
