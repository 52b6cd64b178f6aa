"""Fitting the weights of the evaluation: model, loss, optimisers, and the report."""
