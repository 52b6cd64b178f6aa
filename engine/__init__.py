"""Wadjet's thinking part: it prints nothing and reads no input."""

__version__ = "0.1.0"
