"""`wadjet analyse`: games annotated, positions explained. Started by `uci.__main__`."""
