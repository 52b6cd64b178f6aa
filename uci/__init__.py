"""The UCI front end: reads commands, calls `engine.api`, writes answers. Knows no chess."""
