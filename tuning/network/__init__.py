"""Training of the network: data that do not fit into memory, kernels, runs, reports.

labels      the labels of a teacher, and which of them are kept
examples    shuffled batches from many files
kernels     the arithmetic, compiled by Numba
model       parameters, and how they become whole numbers
training    a run: settings, schedules, checkpoints
worth       what each piece is worth to a network
siblings    how networks order the positions after every legal move
pages       the report
"""
