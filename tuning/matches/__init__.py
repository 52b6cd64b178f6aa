"""Matches between UCI engines: their rules, the programs that play them, and what they prove."""
