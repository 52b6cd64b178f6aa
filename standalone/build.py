"""A folder with the engine that runs where no Python is installed: `python standalone/build.py`.

Run it in an environment with PyInstaller and an installed Wadjet (`WADJET_LEVELS=all pip install .`
for a folder that others use). It writes a folder `wadjet`, in which the file `wadjet`
(Windows: `wadjet.exe`) is the engine for a GUI.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

START = "from wadjet import run_engine\n\nrun_engine()\n"
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
    print(folder / "wadjet")


if __name__ == "__main__":
    main()
