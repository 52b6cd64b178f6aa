"""Training of the network: data that do not fit into memory, kernels, runs, reports.

sampling        positions as searches see them
leaves          the kernels for it: what a search evaluates, and positions near others
labelling       labels of engines, which of them are kept, and whole files of them
examples        shuffled batches from many files
kernels         the arithmetic, compiled by Numba
model           parameters
training        a run: settings, schedules, checkpoints
averaging       the average of runs
demo            what `train --demo` learns from
worth           what each piece is worth to a network
errors          of networks, by kind of position and among the siblings after every legal move
quantisation    parameters as the engine's integers, compared with the floats
emitting        the file that the engine plays with
"""
