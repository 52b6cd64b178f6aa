"""Data: sets of positions, files of games, and what reads, filters and writes them."""
