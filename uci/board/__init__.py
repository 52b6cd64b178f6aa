"""`wadjet board`: the page of an analysis with an engine behind it, for a browser here."""
