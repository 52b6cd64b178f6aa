"""Endgame tables in the Syzygy format: names, layout, decoding kernels, prober and generator.

Works on bitboards and imports nothing of ours but `engine.native`, the language of kernels. The
engine probes it through `engine.tb`.
"""
