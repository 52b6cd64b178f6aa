"""Fixtures of the network's tests."""

from __future__ import annotations

import pytest

from engine.eval.network.file import Network
from engine.eval.network.memory import NetworkEvaluator
from tests.engine.eval.network.networks import layers_of, random_network


@pytest.fixture(scope="session")
def network() -> Network:
    return random_network()


@pytest.fixture
def evaluator(network: Network) -> NetworkEvaluator:
    made = NetworkEvaluator()
    made.layers = layers_of(network)
    return made
