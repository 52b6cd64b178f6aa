"""`wadjet play`: a game between a person and the engine at a terminal. It uses python-chess."""
