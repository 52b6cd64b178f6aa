"""Endgame tables made from nothing but the rules: retrograde analysis and compression."""
