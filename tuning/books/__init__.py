"""Opening books: a graph of games, the choice and weight of moves, and the audit."""
