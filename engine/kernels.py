"""The modules that contain kernels. A new module with kernels gets a line here.

Only names: the hash of the compiled objects is made from these files and what they import, and
nothing has to be imported for that.
"""

from __future__ import annotations

import importlib

# What a game needs. One object, compiled by the installation.
PLAY = (
    "engine.board.attacks",
    "engine.board.checks",
    "engine.board.cycles",
    "engine.board.draws",
    "engine.board.geometry",
    "engine.board.legality",
    "engine.board.makemove",
    "engine.board.move",
    "engine.board.movegen",
    "engine.board.perft",
    "engine.board.piece_square_sum",
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
    "engine.eval.rounding",
    "engine.search.corrections",
    "engine.search.endgames",
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
    "engine.search.textbook",
    "engine.search.tt",
    "engine.tb.probing",
    "tablebases.decoding",
    "tablebases.index",
)
# What programs for developers need besides. They and those above make a second object, which is
# compiled when one of them is first used, so that nobody waits for it who only wants to play.
TOOLS = (
    "engine.board.packing",
    "engine.eval.classical.recording",
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
OBJECTS = {"play": PLAY, "tools": PLAY + TOOLS}


def object_of(module: str) -> str:
    """The name of the object that Python calls the kernels of a module in."""
    return "tools" if module in TOOLS else "play"


def import_all(name: str = "tools") -> None:
    """Register every kernel of an object."""
    for module in OBJECTS[name]:
        importlib.import_module(module)
