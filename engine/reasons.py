"""Why something failed, in words for the user."""

from __future__ import annotations


def reason_of(error: Exception) -> str:
    """Without the number of the system's error, which says nothing to anybody."""
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}"
    return str(error)
