"""Fitting the weights of the evaluation: model, loss, optimisers, and what a report shows."""
