"""The chess engine itself. It prints nothing and reads no input."""

__version__ = "0.1.0"
