"""Scores, clocks and chances in words."""

from __future__ import annotations

import chess

from engine.eval import explain
from uci.terminal.opponent import Verdict


def side_name(side: chess.Color) -> str:
    return "White" if side == chess.WHITE else "Black"


def standing(verdict: Verdict) -> str:
    """Who is better: `White is slightly better (+0.45).`"""
    if verdict.mate:
        side = side_name(verdict.mate > 0)
        return f"{side} mates in {abs(verdict.mate)}."
    score = verdict.centipawns or 0
    return f"{explain.verdict(score)} ({score / 100:+.2f})."


def chances(verdict: Verdict) -> str:
    white, draw, black = (round(share / 10) for share in verdict.chances)
    return f"Chances: White wins {white} %, draw {draw} %, Black wins {black} %."


def clock(left_ms: float) -> str:
    """4:59; tenths of a second below 20 seconds."""
    left_ms = max(0.0, left_ms)
    if left_ms < 20_000:
        return f"0:{left_ms / 1000:04.1f}"
    minutes, seconds = divmod(int(left_ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
