"""A real browser for tests: Chromium, driven through its debugging pipe. It needs no package."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
     if (path := shutil.which(name))), None
)  # fmt: skip
CAN_DRIVE = CHROMIUM is not None and os.name == "posix"
# The browser reads its descriptor 3 and writes 4. First away from there, where ours may be.
LAUNCHER = """
import fcntl, os, sys
reading, writing = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(reading, 3)
os.dup2(writing, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
KEY_CODES = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36,
             "End": 35, "Enter": 13, "f": 70, "m": 77}  # fmt: skip


class NavigatedError(Exception):
    """The page went elsewhere while it was asked."""


class Browser:
    """One page of a headless browser. Every method waits until the page has done it."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        assert CHROMIUM is not None
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        commands, self._to_browser = os.pipe()
        self._from_browser, events = os.pipe()
        switches = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
            f"--user-data-dir={self._profile}", f"--window-size={width},{height}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, str(commands), str(events), CHROMIUM, *switches],
            pass_fds=(commands, events), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(events)
        self._unread = b""
        self._number = 0
        self._loaded = 0  # how many pages
        self._session: str | None = None
        self.requests: list[str] = []  # its own and what it asked for
        self.errors: list[str] = []  # what went wrong in its script
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to_browser)
        os.close(self._from_browser)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, page: Path | str, place: str = "") -> None:
        """Load a file or an address, also again, and go to a place in it."""
        url = page.as_uri() if isinstance(page, Path) else page
        # By way of nothing: another place alone would load nothing, and what the page before still
        # complains of, such as a program that was killed, is no error of the next one.
        for address in ("about:blank", url + place):
            self.errors.clear()
            self.requests.clear()
            loaded = self._loaded
            self._call("Page.navigate", url=address)
            while self._loaded == loaded:
                self._note(self._read())

    def run(self, script: str) -> Any:
        """The value of an expression; promises are awaited."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True}
        try:
            answer = self._call("Runtime.evaluate", **asked)
        except NavigatedError:
            answer = self._call("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)}).textContent"))

    def click(self, selector: str, across: float = 0.5) -> None:
        """Press and release the mouse on an element, at a share of its width."""
        element = f"document.querySelector({json.dumps(selector)})"
        box = self.run(f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); "
                       f"return e.getBoundingClientRect().toJSON(); }})({element})")  # fmt: skip
        self._mouse(box["left"] + across * box["width"], box["top"] + box["height"] / 2)

    def _mouse(self, x: float, y: float, *kinds: str) -> None:
        for kind in kinds or ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def square(self, name: str) -> tuple[float, float]:
        """Where the middle of a square of the board is on the screen."""
        x, y = self.run(
            "(() => { board.scrollIntoView({block: 'nearest'}); "
            "const box = board.getBoundingClientRect(), "
            f"[x, y] = corner('{name}'); return [box.left + (x + 50) * box.width / 800, "
            "box.top + (y + 50) * box.height / 800]; })()"
        )
        return float(x), float(y)

    def tap(self, square: str) -> None:
        """Click a square of the board."""
        self._mouse(*self.square(square))

    def touch(self, square: str) -> None:
        x, y = self.square(square)
        self._call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self._call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def drag(self, start: str, end: str) -> None:
        """Move a piece with the mouse."""
        self._mouse(*self.square(start), "mousePressed")
        x, y = self.square(end)
        self._mouse(x - 9, y, "mouseMoved")
        self._mouse(x, y, "mouseMoved", "mouseReleased")

    def resize(self, width: int, height: int = 900) -> None:
        self._call("Emulation.setDeviceMetricsOverride",
                   width=width, height=height, deviceScaleFactor=1, mobile=False)  # fmt: skip

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent",
                       type=kind, key=key, windowsVirtualKeyCode=KEY_CODES[key])  # fmt: skip

    def picture(self, path: Path) -> None:
        """A screenshot of the whole page."""
        answer = self._call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "navigated" in str(answer.get("error")):
                    raise NavigatedError
                assert "error" not in answer, (method, answer)
                return dict(answer["result"])
            self._note(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            more = os.read(self._from_browser, 1 << 16)
            assert more, "the browser has ended"
            self._unread += more
        message, _, self._unread = self._unread.partition(b"\0")
        return dict(json.loads(message))

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Page.loadEventFired":
                self._loaded += 1
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(str(parameters["exceptionDetails"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(parameters["entry"]["text"])
