"""Opening books: scores of their positions, the choice of moves, and the audit."""
