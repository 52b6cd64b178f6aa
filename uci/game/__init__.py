"""A game between a person and the engine, for the terminal and for the board in the browser."""
