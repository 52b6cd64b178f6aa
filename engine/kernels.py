"""The modules that contain kernels. A new module with kernels gets a line here.

This module only names them: the hash of the compiled objects comes from reading these files and
what they import, without importing anything.
"""

from __future__ import annotations

import importlib

# What a game needs: one object, compiled at installation.
PLAY = (
    "engine.board.attacks",
    "engine.board.checks",
    "engine.board.cycles",
    "engine.board.draws",
    "engine.board.game",
    "engine.board.geometry",
    "engine.board.legality",
    "engine.board.makemove",
    "engine.board.move",
    "engine.board.movegen",
    "engine.board.packed",
    "engine.board.perft",
    "engine.board.piece_square_sum",
    "engine.board.random",
    "engine.board.see",
    "engine.eval.classical.attack_map",
    "engine.eval.classical.king",
    "engine.eval.classical.packed",
    "engine.eval.classical.passed",
    "engine.eval.classical.pawns",
    "engine.eval.classical.piece_squares",
    "engine.eval.classical.pieces",
    "engine.eval.classical.scale_factor",
    "engine.eval.classical.threats",
    "engine.eval.classical.weigh",
    "engine.eval.classical.weighted_sum",
    "engine.eval.evaluate",
    "engine.eval.fifty_moves",
    "engine.eval.known_endings",
    "engine.eval.material",
    "engine.eval.network.accumulator",
    "engine.eval.network.inputs",
    "engine.eval.network.output",
    "engine.eval.rounding",
    "engine.search.corrections",
    "engine.search.deepening",
    "engine.search.extensions",
    "engine.search.histories",
    "engine.search.mate",
    "engine.search.negamax",
    "engine.search.node",
    "engine.search.ordering",
    "engine.search.pruning",
    "engine.search.quiescence",
    "engine.search.reductions",
    "engine.search.root_moves",
    "engine.search.samples",
    "engine.search.textbook",
    "engine.search.threats",
    "engine.search.tt",
    "engine.tb.probing",
    "engine.tb.scoring",
    "tablebases.decoding",
    "tablebases.index",
)
# What only tools for developers need. Together with those above they form a second object. The
# first call from a tool compiles it, so that players never wait for it.
TOOLS = (
    "engine.board.packing",
    "engine.eval.classical.recording",
    "engine.search.sampling",
    "engine.tb.sampling",
    "tablebases.cityhash",
    "tablebases.generator.arrange",
    "tablebases.generator.check",
    "tablebases.generator.memory",
    "tablebases.generator.moves",
    "tablebases.generator.pairing",
    "tablebases.generator.plies",
    "tablebases.generator.retrograde",
)
# Installed, all of them are inside the package `wadjet`, and so is this module.
_PREFIX = __name__.removesuffix("engine.kernels")
OBJECTS = {
    "play": tuple(_PREFIX + module for module in PLAY),
    "tools": tuple(_PREFIX + module for module in PLAY + TOOLS),
}


def object_of(module: str) -> str:
    """The name of the object from which Python calls the kernels of a module."""
    return "tools" if module.removeprefix(_PREFIX) in TOOLS else "play"


def import_all(name: str = "tools") -> None:
    """Register every kernel of an object."""
    for module in OBJECTS[name]:
        importlib.import_module(module)
