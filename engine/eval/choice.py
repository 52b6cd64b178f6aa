"""The two evaluations, as users name them. Imports nothing: the front end lists them early."""

from __future__ import annotations

NETWORK = "network"
CLASSICAL = "classical"  # the weighted sum
EVALUATIONS = (NETWORK, CLASSICAL)
DEFAULT_EVALUATION = NETWORK

SHIPPED_NETWORK = "wadjet.nnue"  # beside engine/eval/network/loading.py
