"""Tablebases in the Syzygy format: names, layout, decoding kernels, and the generator.

The package works on bitboards. Of ours it imports only `engine.native`, the kernel language. The
engine probes it through `engine.tb`.
"""
