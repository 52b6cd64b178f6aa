"""The commands of `python -m tablebases`, a module each.

Programs, not a library: they print, and know the engine's board.
"""
