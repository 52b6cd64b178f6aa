"""Mutants that no test can kill, each with the reason: they do what the original does.

A mutant is named by its file, its function, and the line before and after, without indentation.
"""

from __future__ import annotations

REASONS: dict[tuple[str, str, str, str], str] = {
    (
        "tablebases/checksum.py",
        "_murmur",
        "if count <= 16:",
        "if count <= 17:",
    ): "`count` is a multiple of 8",
    (
        "tablebases/index.py",
        "list_squares",
        "while first < end:",
        "while first <= end:",
    ): "one more round finds no room, writes nothing and returns",
}
