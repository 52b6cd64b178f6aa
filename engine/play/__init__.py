"""Playing: what an engine keeps between searches, one search run, its time, reports and levels.

The main worker iterates, reports and decides; helpers search the same position and share results
through the transposition table (Lazy SMP). Kernels release the GIL, so commands and all workers run
at the same time. Workers stop by themselves at their limit of nodes and at the deadline; only the
stop word reaches into a running kernel.
"""
