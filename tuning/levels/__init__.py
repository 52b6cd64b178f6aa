"""What the levels are worth: games among them and against other engines, ratings, and how often
they choose the moves of people."""
