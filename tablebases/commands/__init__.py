"""The commands of `wadjet-tablebases`, a module each.

Programs, not a library: they print, and know the engine's board.
"""
