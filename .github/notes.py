"""`python .github/notes.py v1.2.3`: what CHANGELOG.md says about the version of a tag."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(version: str) -> str:
    """The section of a version, without its heading. Raises ValueError if this is not the version
    of the sources, or the changelog does not know it."""
    source = (ROOT / "engine" / "__init__.py").read_text(encoding="utf-8")
    if f'__version__ = "{version}"' not in source:
        raise ValueError(f"engine/__init__.py has another version than {version}")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    pattern = rf"^## {re.escape(version)} . \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
    section = re.search(pattern, changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        raise ValueError(f"CHANGELOG.md has no section of {version} with a date")
    return section[1].strip()


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        print(notes(sys.argv[1].removeprefix("v")))
    except ValueError as error:
        sys.exit(str(error))
