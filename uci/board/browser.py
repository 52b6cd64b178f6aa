"""Opening the person's browser, if there is one with windows."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping


def has_browser(environment: Mapping[str, str] = os.environ) -> bool:
    """Not one in the terminal, which is ours."""
    if sys.platform in ("win32", "darwin") or environment.get("BROWSER"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def open_browser(address: str) -> bool:
    """Whether one was found."""
    return has_browser() and webbrowser.open(address)
