"""Test suites: what a position asks for, and how an engine answers."""
