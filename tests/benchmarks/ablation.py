"""What each group of terms of the evaluation adds: validation loss with more and more of them.

    python -m tests.benchmarks.ablation FILE.positions [--positions N] [--epochs N]

Each row is a fit of its own, from zero, on the same positions, split between games; what has no row
yet weighs nothing. The second column of losses leaves out one group of the full set. The file comes
from `python -m tuning import`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from engine.eval.classical.features import FEATURES, PIECE_SQUARE
from engine.eval.classical.loading import shipped_weights
from tuning.data.dataset import Dataset, load_all
from tuning.fitting.model import Array, Model, model_of
from tuning.fitting.objective import Objective
from tuning.fitting.optimiser import fit
from tuning.fitting.state import FitSettings, State, weights_without_knowledge
from tuning.fitting.targets import fitted_k, source_scales, split, targets
from tuning.fitting.trace import Features

FIRST = ["material", "piece_square"]  # features; the rest is added group by group
ORDER = (
    *("Piece squares", "Material", "Tempo", "Mobility", "Pawns", "Passed pawns", "Pieces"),
    *("Threats", "Space", "King shelter", "King attack"),
)


def names_of(group: str) -> set[str]:
    return {feature.name for feature in FEATURES.values() if feature.group == group}


def validation_loss(
    model: Model, wanted: Array, training: int, k: float, used: set[str], epochs: int
) -> float:
    """The best of a fit from zero in which only these features have weights."""
    initial = weights_without_knowledge()
    if "material" not in used:  # it is in the boards
        boards = initial[FEATURES["piece_square"].indices].reshape(6, 64, 2)
        boards[:] = initial[FEATURES["material"].indices][:, np.newaxis]
    free = np.zeros(initial.shape, np.bool_)
    for name, feature in FEATURES.items():
        if name in used:
            free[feature.indices] = True
        else:
            initial[feature.indices] = 0
    settings = FitSettings(epochs=epochs, patience=epochs, l2=1e-10)
    state = State(settings, initial, initial.copy(), initial.copy(), k=k)
    fit(state, Objective(model, wanted, k, settings, initial, free), training, lambda state: None)
    return min(epoch.validation for epoch in state.history)


def plain_boards(dataset: Dataset, used: Array, model: Model) -> Model:
    """The model of the same positions with nothing but ordinary piece-square tables, which do not
    care for kings; material is in them."""
    positions = dataset.positions[used]
    occupied = np.ascontiguousarray(positions["occupied"]).view(np.uint8).reshape(-1, 8)
    row, square = np.nonzero(np.unpackbits(occupied, axis=1, bitorder="little"))
    starts = np.searchsorted(row, np.arange(len(positions) + 1))
    number = np.arange(len(row)) - starts[row]
    pairs = np.ascontiguousarray(positions["pieces"]).view(np.uint8).reshape(-1, 16)
    code = (pairs[row, number // 2] >> (4 * (number % 2))) & 15
    black = code >> 3
    column = PIECE_SQUARE + 64 * (code & 7).astype(np.int16) + (square ^ (56 * black))
    counts = 1 - 2 * black.astype(np.int16)
    return Model(Features(model.rows, starts, column.astype(np.int16), counts), positions)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument("--epochs", type=int, default=20)
    arguments = parser.parse_args()
    dataset = load_all([arguments.file])
    wanted = targets(dataset, source_scales(dataset), 0.5)
    training, validating = split(dataset, 0.1, 1)
    training = training[: arguments.positions * 9 // 10]
    validating = validating[: arguments.positions // 10]
    chosen = np.concatenate([training, validating])
    sample = Dataset(dataset.records[chosen], dataset.sources)
    model, used = model_of(sample.positions, shipped_weights())
    wanted = wanted[chosen][used]
    count = int(np.count_nonzero(used[: len(training)]))
    scores = model.scores(shipped_weights().astype(np.float64))
    k = fitted_k(scores, wanted)
    print(f"{len(model)} positions, {count} to train on, {arguments.epochs} epochs each")

    def loss(names: set[str], which: Model = model) -> float:
        return validation_loss(which, wanted, count, k, names, arguments.epochs)

    plain = loss({"piece_square"}, plain_boards(sample, used, model))
    print(f"{'material and piece squares':28} {plain:.5f}", flush=True)
    names = set(FIRST)
    print(f"{'the same by king side':28} {loss(names):.5f}", flush=True)
    for group in ORDER:
        names |= names_of(group)
        together = loss(names)
        without = loss(set(FEATURES) - (names_of(group) - set(FIRST)))
        print(f"{'+ ' + group:28} {together:.5f}   without {without:.5f}", flush=True)
    print(f"everything: {1 - together / plain:.1%} below material and piece squares")


if __name__ == "__main__":
    main()
