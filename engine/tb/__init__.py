"""Tablebases in the engine: probing positions, scores in the search, the choice at the root.

The package `tablebases` looks up stored values; this one tries captures, ranks moves and extends
lines.
"""
