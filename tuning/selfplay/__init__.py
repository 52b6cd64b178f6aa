"""Games of the engine against itself: players, start positions, tuning by games."""
