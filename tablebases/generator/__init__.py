"""Makes tablebases from the rules of chess: retrograde analysis and compression."""
