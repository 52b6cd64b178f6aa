"""The chess engine itself. It prints nothing and reads no input."""

__version__ = "1.1.0"
