"""A folder with the engine that runs where no Python is installed: `python standalone/build.py`.

Run it in an environment with PyInstaller and an installed Wadjet (`WADJET_LEVELS=all pip install .`
for a folder that others use). It writes a folder `wadjet`, in which the file `wadjet`
(Windows: `wadjet.exe`) is the engine for a GUI, `README.txt` says how to use and to pass on the
folder, and `licences` are those of all that is inside.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path

START = "from wadjet import run_engine\n\nrun_engine()\n"
INSIDE = ("wadjet", "chess", "numpy", "llvmlite")  # and Python
README = """\
Wadjet {wadjet}, a chess engine

The program {program} is for a chess GUI (Arena, CuteChess, Scid ...): install it there as a UCI
engine. Leave it in this folder, which it needs; the folder may lie anywhere. A double click, or the
program in a terminal, lets you type: board opens a board in your browser, play starts a game there,
help lists the commands, quit ends.

Passing it on

Wadjet's own licence is MIT. The folder contains python-chess {chess}, whose licence is the GNU
General Public License, version 3 or later. So whoever passes on the folder does it under that
licence: with these texts, and with the sources. Those of Wadjet are in the folder {sources}, those
of python-chess in licences/chess. Python {python}, numpy {numpy} and llvmlite {llvmlite}, whose
licences permit this, are as their projects publish them. If you pass on Wadjet's sources or its
packages alone, the MIT licence is all that counts.
"""
# What a game never imports, and developers have.
LEFT_OUT = ("numba", "scipy", "matplotlib", "rich", "PIL", "tkinter", "pytest", "setuptools")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("dist"), help="where to write")
    folder = parser.parse_args().folder.absolute()
    try:
        from PyInstaller.__main__ import run

        import wadjet
    except ImportError as error:
        sys.exit(f"{error}: pip install . pyinstaller")
    package = Path(wadjet.__file__).parent
    if not (package / "engine" / "native" / "machine_code").is_dir():
        sys.exit(f"{package} has no compiled kernels: install it, and not as editable")
    with tempfile.TemporaryDirectory() as temporary:
        script = Path(temporary, "start.py")
        script.write_text(START, encoding="utf-8")
        options = [f"--exclude-module={name}" for name in LEFT_OUT]
        # Sources too: the name of the compiled kernels contains their hash.
        options += [f"--add-data={package}{os.pathsep}wadjet", "--hidden-import=chess.polyglot"]
        options += [f"--distpath={folder}", f"--workpath={temporary}", f"--specpath={temporary}"]
        run([*options, "--name=wadjet", "--onedir", "--noconfirm", "--log-level=WARN", str(script)])
    add_licences(folder / "wadjet")
    print(folder / "wadjet")


def add_licences(folder: Path) -> None:
    """What those need who pass on the folder: licences, the sources of python-chess, README.txt."""
    import chess

    licences = folder / "licences"
    for package in INSIDE:
        for file in metadata.files(package) or ():
            if "LICEN" in file.name.upper() or file.name == "THIRD-PARTY.md":
                inner = [part for part in file.parts[1:] if part != "licenses"]
                own = licences.joinpath(package, *inner)
                own.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), own)
    without_cache = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(chess.__file__).parent, licences / "chess" / "chess", ignore=without_cache)
    for place in (sysconfig.get_path("stdlib"), sys.base_prefix):
        if (path := Path(place, "LICENSE.txt")).is_file():
            shutil.copyfile(path, licences / "Python.txt")
    (sources,) = {path.parent.relative_to(folder) for path in folder.rglob("wadjet/__init__.py")}
    windows = sys.platform == "win32"
    text = README.format(
        program="wadjet.exe" if windows else "wadjet",
        sources=sources.as_posix(),
        python=platform.python_version(),
        **{package: metadata.version(package) for package in INSIDE},
    )
    (folder / "README.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
