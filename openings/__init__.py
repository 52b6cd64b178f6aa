"""Opening books in the Polyglot format: reading, choosing a move, building.

Imports nothing of ours. The engine will reach it through `engine.book`.
"""
