"""What a mistyped word may mean."""

from __future__ import annotations

from collections.abc import Iterable

LEAST_LIKENESS = 0.66  # two letters swapped in a word of three still count
LONGEST = 40  # letters; longer words are no slips


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean depth?`, to end a message with; empty if no known word is like it."""
    from difflib import get_close_matches  # not at startup

    spelled = {one.casefold(): one for one in known}
    likely = get_close_matches(word[:LONGEST].casefold(), spelled, 1, LEAST_LIKENESS)
    return f", did you mean {spelled[likely[0]]}?" if likely else ""
