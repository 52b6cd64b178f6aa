"""The memory of the evaluation."""

from __future__ import annotations

from engine.eval.classical.memory import Classical
from engine.eval.kpk import KpkBitbase
from engine.eval.network.memory import NetworkEvaluator
from engine.native.memory import Struct, inline, pointer_to


class Evaluator(Struct):
    """What one thread needs to evaluate positions."""

    kpk = pointer_to(KpkBitbase)
    network = inline(NetworkEvaluator)
    classical = inline(Classical)
