"""The threads of an engine: the pool and its shared memory, a search, its clock, its reports.

The main thread iterates, reports and decides; helpers search the same position and share results
through the transposition table (Lazy SMP). Kernels release the GIL, so commands, the clock and all
threads run at the same time. Only the stop word reaches into a running kernel.
"""
