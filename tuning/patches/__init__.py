"""A queue of patches: tested one after the other, bundled when they pass, resumable at any time.

`queue_file.py` reads what a user writes, `sources.py` merges and checks out commits, `trials.py`
keeps what was played and decides what is next, `playing.py` plays it, `results.py` shows it.
"""
