"""The source files that the compiled kernels depend on, and their hash.

The name of an object file contains this hash, so an object that does not belong to the sources is
never found. The hash covers the roots of the object, what they import from our own packages, and
this package. Plain Python that no kernel module imports may change freely.

Imports, and the versions of the compiler, are found by reading, not by importing: the front end
asks before anything heavy is loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

from engine.kernels import PLAY, PREFIX, ROOTS

# Part of the hash. Raise it when objects must be rebuilt although no source has changed.
FORMAT = 1

_HERE = Path(__file__).resolve().parent
_PACKAGE = __name__.rpartition(".")[0]  # "engine.native", after "wadjet." if installed
_ROOT = _HERE.parents[_PACKAGE.count(".")]  # the folder that holds our outermost package

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"[\w.]+")


@functools.cache
def source_file(module: str) -> Path | None:
    """The file of one of our own modules, or None: in a clone they lie beside `engine`, installed
    beside it inside `wadjet`."""
    if not module.startswith(PREFIX):
        return None
    path = _ROOT.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def imported_modules(text: str) -> Iterator[str]:
    """The modules a source file imports, dotted. Some of the names may not be modules."""
    for package, members, modules in _IMPORT.findall(text):
        names = _NAME.findall(_COMMENT.sub("", members or modules))
        if not package:
            yield from names
            continue
        yield package
        file = source_file(package)
        if file is not None and file.name == "__init__.py":  # its members may be modules
            yield from (f"{package}.{name}" for name in names)


def roots_of(name: str) -> tuple[str, ...]:
    """The modules from whose imports the kernels of an object follow."""
    return ROOTS if name == PLAY else (name,)


@functools.cache
def kernel_sources(name: str) -> dict[str, bytes]:
    """The modules that the kernels of an object depend on, except this package, and their text."""
    found: dict[str, bytes] = {}
    waiting = list(roots_of(name))
    while waiting:
        module = waiting.pop()
        if module in found or f"{module}.".startswith(f"{_PACKAGE}."):
            continue
        path = source_file(module)
        if path is not None:
            found[module] = path.read_bytes()
            waiting += imported_modules(found[module].decode())
    return found


def object_of(module: str) -> str:
    """The name of the object from which Python calls the kernels of a module."""
    return PLAY if module in kernel_sources(PLAY) else module


@functools.cache
def build_id(name: str) -> str:
    """The hash of every source file that the compiled kernels of an object depend on.

    The same in a clone and installed: there only the imports differ, by the name of the package.
    """
    moved = re.compile(rb"^([ \t]*(?:from|import) )" + re.escape(PREFIX.encode()), re.MULTILINE)
    files = dict(kernel_sources(name))
    for path in _HERE.glob("*.py"):
        files[f"{_PACKAGE}.{path.stem}"] = path.read_bytes()
    digest = hashlib.sha256(str(FORMAT).encode())
    for module, content in sorted(files.items()):
        module = module.removeprefix(PREFIX)
        content = content.replace(b"\r\n", b"\n")  # a checkout on Windows is the same program
        content = moved.sub(rb"\1", content)
        digest.update(f"\n{module} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


@functools.cache
def build_id_here(name: str) -> str:
    """The same, and the versions of Numba and llvmlite that are installed here."""
    digest = hashlib.sha256(build_id(name).encode())
    for package in ("numba", "llvmlite"):
        specification = importlib.util.find_spec(package)
        for folder in (specification and specification.submodule_search_locations) or ():
            version = Path(folder, "_version.py")
            if version.is_file():
                digest.update(version.read_bytes())
    return digest.hexdigest()[:16]
