"""The text side of Wadjet: reads commands, calls `engine.api`, writes answers. Knows no chess."""
