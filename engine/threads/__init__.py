"""The threads of an engine: what they share (pool), one search (search), its clock, its reports.

The main worker iterates, reports and decides; helpers search the same position and share what they
find through the transposition table (Lazy SMP). Kernels run without the interpreter lock, so the
user's commands, the clock and all workers run at the same time. Nothing reaches into a running
kernel but its stop word.
"""
