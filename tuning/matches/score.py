"""The score of a match, read from its PGN file while that grows."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from openings.game_text import GameText, split_games, text_lines
from tuning.adjudication import HALF_POINTS
from tuning.matches.elo import Sprt, elo, likelihood_of_superiority, normalised_elo

TIME_LEFT = re.compile(r"\btl=(-?[0-9.]+)s")  # seconds, in the comment of a move
# Words of match tools for games that chess did not decide.
_TROUBLE = ("time", "illegal", "disconnect", "abandon", "stall", "unterminated", "crash")


@dataclass
class Score:
    """The games of a match so far, from the first engine's view."""

    first: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)  # by half points
    ends: Counter[str] = field(default_factory=Counter)
    troubles: Counter[str] = field(default_factory=Counter)  # by engine and reason
    _half_pairs: dict[str, int] = field(default_factory=dict)  # half points, by round

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def add(self, game: GameText) -> None:
        """One game of a PGN file. An unfinished one counts as trouble only."""
        tags = game.tags
        comment = game.tokens[-1].text[1:] if game.tokens and game.tokens[-1].is_comment else ""
        termination = tags.get("Termination", "normal")
        reason = comment.split(",")[-1].split("(")[0].strip()
        if not reason or reason[0] in "+-0123456789":
            reason = "normal"
        end = termination if reason == "normal" else reason
        self.ends[end] += 1
        points = HALF_POINTS.get(tags.get("Result", "*"))
        words = f"{termination} {reason}".lower()
        if points is None or any(word in words for word in _TROUBLE):
            trouble = reason if reason != "normal" else termination
            loser = tags.get("Black" if points == 2 else "White")
            self.troubles[f"{loser}: {trouble}" if points in (0, 2) else trouble] += 1
        if points is None:
            return
        if tags.get("White") != self.first:
            points = 2 - points
        self.wins += points == 2
        self.draws += points == 1
        self.losses += points == 0
        first_game = self._half_pairs.pop(tags.get("Round", "?"), None)
        if first_game is None:
            self._half_pairs[tags.get("Round", "?")] = points
        else:
            self.pairs[first_game + points] += 1

    def report(self, sprt: Sprt | None = None) -> str:
        share = (self.wins + self.draws / 2) / self.games if self.games else 0.5
        lines = [
            f"{self.games} games: +{self.wins} -{self.losses} ={self.draws} ({share:.1%}), "
            f"pairs {' '.join(map(str, self.pairs))}",
            f"Elo {elo(self.pairs)}, normalised {normalised_elo(self.pairs)}, "
            f"LOS {likelihood_of_superiority(self.pairs):.1%}",
        ]
        if sprt:
            lines.append(
                f"LLR {sprt.llr(self.pairs):.2f} ({sprt.lower:.2f}, {sprt.upper:.2f}) "
                f"[{sprt.elo0:g}, {sprt.elo1:g}] normalised {sprt.verdict(self.pairs)}".rstrip()
            )
        lines.append("ends: " + ", ".join(f"{n} {end}" for end, n in self.ends.most_common()))
        if self.troubles:
            troubles = ", ".join(f"{n} {what}" for what, n in self.troubles.most_common())
            lines.append(f"NOT CLEAN: {troubles}")
        return "\n".join(lines)


class GameReader:
    """Reads a PGN file that another program is still writing."""

    def __init__(self, path: Path):
        self.path = path
        self._offset = 0
        self._rest = b""

    def new_games(self, all_written: bool = False) -> list[GameText]:
        """The games since the last call; the last one only if it is complete."""
        if self.path.exists():
            with open(self.path, "rb") as file:
                file.seek(self._offset)
                data = file.read()
            self._offset += len(data)
            self._rest += data
        end = len(self._rest) if all_written else self._rest.rfind(b"\n") + 1
        written = self._rest[:end]
        games = list(split_games(text_lines(io.BufferedReader(io.BytesIO(written)))))
        begun = b""
        if games and not games[-1].result and not all_written:
            begun = b"".join(written.splitlines(keepends=True)[games.pop().line - 1 :])
        self._rest = begun + self._rest[end:]
        return games
