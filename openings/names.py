"""Names of openings: the ECO code and the name of a position, by its Polyglot key."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

NAMES_FILE = Path(__file__).with_name("eco.tsv")


class Opening(NamedTuple):
    code: str  # A00 to E99
    name: str

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


def read_names(path: Path = NAMES_FILE) -> dict[int, Opening]:
    """The table that `python -m tuning book --eco-output` writes."""
    names = {}
    with path.open(encoding="utf-8") as file:
        for row in file:
            if not row.startswith("#"):
                key, code, name = row.rstrip("\n").split("\t")
                names[int(key, 16)] = Opening(code, name)
    return names


def write_names(path: Path, names: dict[int, Opening], origin: str) -> None:
    """Writes the table, a line each, sorted by code and name; `origin` goes into its head."""
    rows = sorted((opening.code, opening.name, key) for key, opening in names.items())
    lines = [f"# {origin}", "# key of the position\tECO code\tname"]
    lines += [f"{key:016x}\t{code}\t{name}" for code, name, key in rows]
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")
    unfinished.replace(path)
