"""Programs that make the engine stronger: data sets, fitting of weights, matches, their statistics.

Uses the engine, and is never used by it.
"""
