"""The page and its desk over HTTP, for the browsers of one person on this machine.

The standard library serves: a page, requests with a few words of JSON, and a stream of events
(server-sent events) need no more, and every other package would be one more for all users.

Who may speak: only loopback is listened to; the path begins with a token that nobody can guess; the
`Host` must be ours, which another name for this machine (DNS rebinding) is not; and what changes
something must come from our own page by `Origin`, as JSON. No request names a file.
"""

from __future__ import annotations

import hmac
import json
import queue
import secrets
import socket
import threading
import time
from contextlib import suppress
from functools import cache
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import Template
from typing import Any

from uci.analysis.page import page, policy
from uci.board.asked import LONGEST_TEXT, RefusedError
from uci.board.desk import Desk
from uci.game import newcomer
from uci.text import brief

ADDRESS = "127.0.0.1"
MOST_BODY = 6 * LONGEST_TEXT  # in JSON
PATIENCE_S = 15  # for a request to arrive, or an answer to be taken
HEARTBEAT_S = 1  # so a tab that has gone is noticed
WATCH_EVERY_S = 0.1


@cache
def desk_html() -> str:
    answers = "".join(
        f'<p><button value="{number}">{escape(answer)}</button></p>'
        for number, (answer, _) in enumerate(newcomer.ANSWERS, 1)
    )
    markup = Path(__file__).with_name("desk.html").read_text(encoding="utf-8")
    return Template(markup).substitute(
        question=newcomer.QUESTION, answers=answers, longest=LONGEST_TEXT
    )


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = False  # nobody else may take our port

    def __init__(self, desk: Desk, title: str, footer: str, port: int = 0) -> None:
        """Raises OSError if the port is taken. `port`: 0 is any."""
        super().__init__((ADDRESS, port), Handler)
        self.desk = desk
        self.title, self.footer = title, footer
        self.token = secrets.token_urlsafe(18)
        self.closing = False
        self.hosts = [f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")]
        self._waiting: dict[socket.socket, float] = {}  # for a request, since when
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def run(self, idle_s: float | None = None) -> None:
        """Serve until `shutdown`, or until nobody has watched for `idle_s`."""
        threading.Thread(target=self._watch, args=(idle_s,), daemon=True).start()
        self.serve_forever(poll_interval=0.2)
        self.closing = True
        self.server_close()
        self.desk.close()

    def _watch(self, idle_s: float | None) -> None:
        while not self.closing:
            time.sleep(WATCH_EVERY_S)
            self.desk.watch_clock()
            self._let_go()
            unwatched_s = time.monotonic() - self.desk.tabs.none_since
            if idle_s is not None and not self.desk.tabs and unwatched_s > idle_s:
                self.shutdown()
                return

    def waits(self, connection: socket.socket, waits: bool) -> None:
        """Note that a connection begins, or has finished, to send a request."""
        with self._lock:
            if waits:
                self._waiting[connection] = time.monotonic()
            else:
                self._waiting.pop(connection, None)

    def _let_go(self) -> None:
        """Of connections that take too long to send a request, byte by byte or not at all."""
        with self._lock:
            late = time.monotonic() - PATIENCE_S
            for connection in [one for one, since in self._waiting.items() if since < late]:
                del self._waiting[connection]
                with suppress(OSError):  # gone already
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is no error of ours."""


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "Wadjet", ""
    timeout = PATIENCE_S
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        self.server.waits(self.connection, True)
        try:
            super().handle_one_request()
        finally:
            self.server.waits(self.connection, False)

    def do_GET(self) -> None:
        self.server.waits(self.connection, False)
        what = self._asked()
        if what == "":
            self._answer(HTTPStatus.OK, "text/html", self._page())
        elif what == "events":
            self._stream()
        elif what is not None:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        body = self._body()
        self.server.waits(self.connection, False)
        if body is None:
            return
        what = self._asked()
        if what is None:
            return
        if what != "do":
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        if self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        if self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
            return
        self._do(body)

    def _asked(self) -> str | None:
        """What follows the token in the path; None after a refusal."""
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in self.server.hosts or (
            origin is not None and origin not in [f"http://{host}" for host in self.server.hosts]
        ):
            self._refuse(HTTPStatus.FORBIDDEN)
            return None
        token, slash, what = self.path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND)
            return None
        return what

    def _body(self) -> bytes | None:
        """What was sent, as far as it may be; None after a refusal."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, hangs_up=True)
            return None
        if len(length) > 9 or int(length) > MOST_BODY:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, hangs_up=True)
            return None
        return self.rfile.read(int(length))

    def _do(self, body: bytes) -> None:
        try:
            asked = json.loads(body)
            if not isinstance(asked, dict) or not isinstance(asked.get("act"), str):
                raise ValueError("no act")
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        status = HTTPStatus.OK
        try:
            answer = self.server.desk.act(asked["act"], asked)
        except RefusedError as reason:
            answer = {"problem": str(reason)}
        except Exception as error:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            answer = {"problem": f"Wadjet has failed: {brief(str(error))}"}
        self._answer(status, "application/json", json.dumps(answer))

    def _page(self) -> str:
        sheets, play = self.server.desk.state()
        return page(self.server.title, sheets, self.server.footer, play, desk_html())

    def _stream(self) -> None:
        """Events until the tab goes away or is let go."""
        try:
            with self.server.desk.watch() as heard:
                self._head(HTTPStatus.OK, "text/event-stream", None)
                while not self.server.closing and not (
                    heard.empty() and heard not in self.server.desk.tabs
                ):
                    try:
                        text = f"data: {heard.get(timeout=HEARTBEAT_S)}\n\n"
                    except queue.Empty:
                        text = ": still here\n\n"
                    self.wfile.write(text.encode())
        except OSError:  # the tab has gone
            pass
        self.close_connection = True

    # --- Answers

    def _answer(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode()
        self._head(status, f"{kind}; charset=utf-8", len(body))
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, kind: str, length: int | None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is None:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(length))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", policy(True) + "; frame-ancestors 'none'")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    def _refuse(self, status: HTTPStatus, hangs_up: bool = False) -> None:
        """`hangs_up`: what else was sent is not read."""
        self.close_connection = self.close_connection or hangs_up
        self._answer(status, "text/plain", f"{status.phrase}\n")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library itself refuses."""
        self.request_version = getattr(self, "request_version", self.protocol_version)
        self._refuse(HTTPStatus(code), hangs_up=True)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the terminal is the person's."""
