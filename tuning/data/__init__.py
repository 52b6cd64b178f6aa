"""Data: sets of positions, files of games, and their readers, filters and writers."""
