"""The whole program around a FakeEngine, as a process: python -m tests.uci.fake_program [fault].

Faults: `load` (the engine cannot be loaded), `loading` (that never ends).
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from tests.uci.fake_engine import FakeEngine
from uci import __main__, loop
from uci.output import Output

FAULT = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def load(output: Output) -> Any:
    if FAULT == "load":
        raise ImportError("No module named 'llvmlite'")
    if FAULT == "loading":
        threading.Event().wait()
    return FakeEngine()


loop.load_engine = load
__main__.main()
