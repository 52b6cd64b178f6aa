"""The text side of Wadjet: reads commands, asks `engine.api`, writes answers. It knows no chess."""
