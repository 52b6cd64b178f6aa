"""The modules that contain kernels. A new module with kernels gets a line here.

Only names: the hash of the compiled object is made from these files and what they import, and
nothing has to be imported for that.
"""

from __future__ import annotations

import importlib

KERNEL_MODULES = (
    "engine.board.attacks",
    "engine.board.checks",
    "engine.board.cycles",
    "engine.board.draws",
    "engine.board.legality",
    "engine.board.makemove",
    "engine.board.move",
    "engine.board.movegen",
    "engine.board.packing",
    "engine.board.perft",
    "engine.board.see",
    "engine.eval.attackmap",
    "engine.eval.endgames",
    "engine.eval.evaluate",
    "engine.eval.king",
    "engine.eval.noting",
    "engine.eval.packed",
    "engine.eval.passed",
    "engine.eval.pawns",
    "engine.eval.pieces",
    "engine.eval.place",
    "engine.eval.scaling",
    "engine.eval.threats",
    "engine.eval.weigh",
    "engine.search.corrections",
    "engine.search.endgames",
    "engine.search.histories",
    "engine.search.mate",
    "engine.search.negamax",
    "engine.search.ordering",
    "engine.search.quiescence",
    "engine.search.textbook",
    "engine.search.tt",
    "engine.tb.probing",
    "engine.tb.sampling",
    "tablebases.cityhash",
    "tablebases.decoding",
    "tablebases.generator.arrange",
    "tablebases.generator.check",
    "tablebases.generator.memory",
    "tablebases.generator.moves",
    "tablebases.generator.pairing",
    "tablebases.generator.plies",
    "tablebases.generator.retrograde",
    "tablebases.index",
)


def import_all() -> None:
    """Register every kernel."""
    for module in KERNEL_MODULES:
        importlib.import_module(module)
