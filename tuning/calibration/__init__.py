"""What scores and levels are worth: chances fitted to games, ratings of levels, games of people."""
