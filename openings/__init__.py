"""Opening books in the Polyglot format: reading, choosing a move, building.

Imports nothing of ours. The engine reaches it through `engine.book`.
"""

SHIPPED_BOOK = "wadjet.bin"  # in this folder
