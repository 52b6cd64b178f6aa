"""The kernels of a game for another kind of machine: python -m tests.other_machine TRIPLE FOLDER.

For emulators, in which the engine runs well but Numba needs very long to compile it. The engine
finds the object if FOLDER is engine/native/machine_code. docs/journal/arm.md lists all steps.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import llvmlite.binding as llvm

from engine.kernels import PLAY
from engine.native import objects, processor
from engine.native.registry import Kernel

GENERIC = "generic"  # the only processor level beyond x86-64


def main() -> None:
    from engine.native import compiler

    parser = argparse.ArgumentParser(prog="python -m tests.other_machine", description=__doc__)
    parser.add_argument("triple", help="LLVM's name, for example aarch64-unknown-linux-gnu")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    machine_code = compile_for(options.triple, compiler.entries_of(PLAY))
    path = options.folder / objects.packaged_file(PLAY, options.triple, GENERIC)
    objects.write_object(path, machine_code)
    print(f"{path}: {len(machine_code)} bytes")


def compile_for(triple: str, entries: Sequence[Kernel]) -> bytes:
    """Machine code of entries, and what they call, for a machine that is not x86-64."""
    from engine.native import compiler

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    with mock.patch.object(processor, "triple", return_value=triple):
        return compiler.compile_kernels(entries, [GENERIC])[GENERIC]


if __name__ == "__main__":
    main()
