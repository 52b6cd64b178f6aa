"""Openings: Polyglot books, names, and readers of game files.

Imports nothing of ours. The engine reaches it through `engine.book`.
"""

from pathlib import Path

SHIPPED_BOOK = "wadjet.bin"
SHIPPED_BOOK_PATH = Path(__file__).with_name(SHIPPED_BOOK)
