"""What the games of a match show: every move legal, how each game ended, how low the clocks sank,
and whether small endings were played as the tablebases say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import chess
import chess.pgn
import chess.syzygy

from openings.game_text import GameText
from openings.pgn import read_text
from tablebases.folders import BUILT_IN
from tuning.matches.score import TIME_LEFT, GameReader

_TIME_USED = re.compile(r"(?:^|[ /])([0-9]+(?:\.[0-9]+)?)s\b")
_LOST_ON_TIME = ("time", "flag")
_BROKEN = ("illegal", "disconnect", "abandon", "stall", "crash", "unterminated", "rules infraction")
_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}  # of White
_TABLE_MEN = 4  # in the shipped tables
_WON, _BARELY_LOST = 2, -1  # as tables say it: lost but for the fifty-move rule
_WARNING = re.compile(r"warning|exception|error", re.IGNORECASE)


@dataclass
class Audit:
    """Of the games of one engine against itself, by the names in `ours`, and against others."""

    ours: set[str]
    games: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    lowest_ms: dict[str, int] = field(default_factory=dict)  # clocks, by engine
    time_losses: Counter[str] = field(default_factory=Counter)  # by engine
    faults: list[str] = field(default_factory=list)  # ours, in words, without the time losses
    others_faults: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.own_time_losses + len(self.faults)

    @property
    def own_time_losses(self) -> int:
        return sum(self.time_losses[name] for name in self.ours)

    @property
    def others_time_losses(self) -> int:
        return self.time_losses.total() - self.own_time_losses

    def add(self, text: GameText, clock_s: tuple[float, float] | None) -> None:
        """One game. `clock_s`: time and increment, if clocks ran."""
        found = read_text(text)
        game = found.game
        self.games += 1
        where = f"{game.headers.get('White')} - {game.headers.get('Black')}"
        self.faults += [f"{where}: {fault.text}" for fault in found.faults]
        end = game.end()
        reason = self._reason(game, end)
        self.ends[reason] += 1
        self._check_result(game, end, where)
        words = f"{reason} {game.headers.get('Termination', '')}".lower()
        result = game.headers.get("Result", "*")
        loser = {"1-0": "Black", "0-1": "White"}.get(result)
        name = game.headers.get(loser, "?") if loser else "?"
        if any(word in words for word in _BROKEN) or result == "*":
            self._blame(name, f"{where}: {reason}")
        elif any(word in words for word in _LOST_ON_TIME):
            self.time_losses[name] += 1
        else:
            self._check_endings(game, where)
        if clock_s is not None:
            self._watch_clocks(game, *clock_s)

    def add_warnings(self, lines: Iterable[str]) -> None:
        """What the match tool said about the engines."""
        for line in lines:
            if _WARNING.search(line):
                named = (name for name in self.ours if name in line)
                self._blame(next(named, "?"), line.strip()[:200])

    def _blame(self, name: str, fault: str) -> None:
        (self.faults if name in self.ours else self.others_faults).append(fault)

    @staticmethod
    def _reason(game: chess.pgn.Game, end: chess.pgn.GameNode) -> str:
        last = end.comment.split(",")[-1].strip()
        if not last or last[0] in "+-0123456789" or last.startswith("tl="):
            return game.headers.get("Termination", "normal")
        return re.sub(r"^(White|Black) | \(.*\)$", "", last).split(":")[0]

    def _check_result(self, game: chess.pgn.Game, end: chess.pgn.GameNode, where: str) -> None:
        """A mate on the board is the result that the tool wrote."""
        outcome = end.board().outcome()
        if outcome is not None and outcome.result() != game.headers.get("Result"):
            self.faults.append(f"{where}: {outcome.result()} by the board")

    def _check_endings(self, game: chess.pgn.Game, where: str) -> None:
        """A won ending of ours must be won, and one that is not lost must not be. The engine has
        the same tables; python-chess reads them here by itself."""
        result = game.headers.get("Result", "*")
        board = game.board()
        for move in game.mainline_moves():
            board.push(move)
            if board.halfmove_clock or chess.popcount(board.occupied) > _TABLE_MEN:
                continue  # tables suppose a halfmove clock of 0
            said = _shipped_tables().get_wdl(board)
            if said is None:
                continue
            for colour, name in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
                if game.headers.get(name) in self.ours:
                    wdl = said if board.turn == colour else -said
                    points = _POINTS[result] if colour == chess.WHITE else 1 - _POINTS[result]
                    if (wdl == _WON and points < 1) or (wdl >= _BARELY_LOST and points == 0):
                        won = "won" if wdl == _WON else "drawn"
                        self.faults.append(f"{where}: {result} after a {won} {board.fen()}")
                        return

    def _watch_clocks(self, game: chess.pgn.Game, seconds: float, increment: float) -> None:
        clocks = {chess.WHITE: seconds, chess.BLACK: seconds}
        for node in game.mainline():
            mover = not node.turn()
            left = TIME_LEFT.search(node.comment)
            used = _TIME_USED.search(node.comment)
            if left:
                clocks[mover] = float(left[1])
            elif used:
                clocks[mover] -= float(used[1])
            else:
                continue  # a move of the opening
            name = game.headers.get("White" if mover else "Black", "?")
            lowest = min(self.lowest_ms.get(name, 1 << 30), round(1000 * clocks[mover]))
            self.lowest_ms[name] = lowest
            if not left:
                clocks[mover] += increment


@cache
def _shipped_tables() -> chess.syzygy.Tablebase:
    return chess.syzygy.open_tablebase(str(BUILT_IN))


def audit_file(pgn: Path, log: Path, audit: Audit, clock_s: tuple[float, float] | None) -> None:
    """Audit all games of a file, and the log of the tool that played them."""
    for text in GameReader(pgn).new_games(all_written=True):
        audit.add(text, clock_s)
    if log.exists():
        with open(log, encoding="utf-8", errors="replace") as lines:
            audit.add_warnings(lines)
