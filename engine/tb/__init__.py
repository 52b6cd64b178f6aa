"""Endgame tables for the engine: what the tables leave to the prober, and the choice at the root.

`tablebases` looks positions up; here captures are tried, moves ranked and lines played out.
"""
