"""Tablebases in the engine: probing positions, scores in the search, the choice at the root.

`tablebases` looks values up; this room tries captures, ranks moves and plays out lines.
"""
