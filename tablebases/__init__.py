"""Tablebases in the Syzygy format: names, layout, decoding kernels, and the generator.

The package works on bitboards. Reading and generating use only the kernel language of ours,
`engine.native`; the commands are programs, which also use the engine's board and `engine.tb`. The
engine probes tablebases through `engine.tb`.
"""
