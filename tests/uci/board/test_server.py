"""Who may speak to the board, and what nobody can do to it."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from uci.board import server as module
from uci.board.desk import Desk
from uci.board.server import MOST_BODY, Server
from uci.board.tabs import MOST_TABS
from uci.game.game import Game


class Opponent:
    """Never asked to think: the person has the move."""

    engine = SimpleNamespace(stop=lambda: None, close=lambda: None)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    desk = Desk(Opponent)  # type: ignore[arg-type]
    desk.begin(Game())
    server = Server(desk, "Wadjet", "made by a test")
    thread = threading.Thread(target=server.run)
    thread.start()
    yield server
    server.shutdown()
    thread.join(20)
    assert not thread.is_alive()


def ask(
    board: Server,
    body: Any = None,
    path: str | None = None,
    method: str = "POST",
    **headers: str,
) -> tuple[int, str]:
    """A request as the page makes it, unless something else is wanted."""
    host = f"127.0.0.1:{board.server_port}"
    sent = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", board.server_port, timeout=60)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    place = f"/{board.token}/do" if path is None else path
    try:
        connection.request(method, place, data if method == "POST" else None, sent)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


LOOK = {"act": "look", "game": 0, "path": []}


class TestWhoMaySpeak:
    def test_the_page_may(self, board: Server) -> None:
        status, answer = ask(board, LOOK)
        assert status == 200 and json.loads(answer)["legal"]["e2"] == {
            "e3": ["e2e3"], "e4": ["e2e4"],
        }  # fmt: skip
        status, html = ask(board, path=f"/{board.token}/", method="GET")
        assert status == 200 and "made by a test" in html and "connect-src 'self'" in html

    @pytest.mark.parametrize("host", ["example.com", "127.0.0.1", "127.0.0.1:1", "", "localhost."])
    def test_other_names_of_this_machine_may_not(self, board: Server, host: str) -> None:
        assert ask(board, LOOK, Host=host, Origin=f"http://{host}")[0] == 403
        assert ask(board, path=f"/{board.token}/", method="GET", Host=host)[0] == 403

    @pytest.mark.parametrize("origin", ["http://example.com", "null", "", "https://{host}"])
    def test_other_pages_may_not(self, board: Server, origin: str) -> None:
        origin = origin.format(host=f"127.0.0.1:{board.server_port}")
        assert ask(board, LOOK, Origin=origin)[0] == 403

    @pytest.mark.parametrize("path", ["/do", "//do", "/x/do", "/", "/{cut}/do", "/{token}x/do",
                                      "/{token}", "/%e9/do"])  # fmt: skip
    def test_without_the_token_nobody_may(self, board: Server, path: str) -> None:
        path = path.format(cut=board.token[:-1], token=board.token)
        for method in ("GET", "POST"):
            assert ask(board, LOOK, path, method)[0] == 404

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
    def test_forms_of_other_pages_may_not(self, board: Server, kind: str) -> None:
        assert ask(board, LOOK, Content_Type=kind)[0] == 415

    @pytest.mark.parametrize("name", ["../../etc/passwd", "..%2f..%2fetc/passwd", "page.js",
                                      "%00", "events/", "do"])  # fmt: skip
    def test_no_path_names_a_file(self, board: Server, name: str) -> None:
        status, answer = ask(board, path=f"/{board.token}/{name}", method="GET")
        assert status == 404 and "root" not in answer

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "X" * 50])
    def test_other_methods(self, board: Server, method: str) -> None:
        assert ask(board, method=method)[0] == 501

    def test_another_program_cannot_listen_there(self, board: Server) -> None:
        with pytest.raises(OSError, match=r"in use|permission|Only one"):
            Server(board.desk, "", "", board.server_port)


class TestWhatIsSent:
    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"[]", b"null", b'"do"', b"\xff\xfe", b'{"act": 3}', b"[" * 100_000, b"{}"],
    )
    def test_what_is_no_act(self, board: Server, body: bytes) -> None:
        assert ask(board, body)[0] == 400
        assert ask(board, LOOK)[0] == 200

    @pytest.mark.parametrize(
        "body",
        [
            {"act": "format"},
            {"act": "__init__"},
            {"act": "look"},
            {"act": "look", "game": 1, "path": []},
            {"act": "look", "game": -1, "path": []},
            {"act": "look", "game": True, "path": []},
            {"act": "look", "game": 0, "path": "e2e4"},
            {"act": "look", "game": 0, "path": ["e2e5"]},
            {"act": "look", "game": 0, "path": [["e2e4"]]},
            {"act": "look", "game": 0, "path": ["0000"]},
            {"act": "move", "game": 0, "path": [], "move": 5},
            {"act": "move", "game": 0, "path": [], "move": "x" * 1000},
            {"act": "move", "game": 0, "path": [], "move": "e2e5"},
            {"act": "move", "game": 0, "path": [], "move": "<b>"},
            {"act": "live", "on": 1, "lines": 1},
            {"act": "live", "on": True, "lines": 0},
            {"act": "live", "on": True, "lines": 10**9},
            {"act": "new", "side": "green"},
            {"act": "new", "side": "white", "level": "high"},
            {"act": "new", "side": "white", "level": "99999"},
            {"act": "new", "side": "white", "level": "800", "clock": "5:00"},
            {"act": "new", "side": "white", "level": "800", "revision": 0},
            {"act": "load", "text": ""},
            {"act": "load", "text": "hello"},
            {"act": "load", "text": "1. Ke3 *"},
            {"act": "back", "revision": "1"},
            {"act": "resign"},
            {"act": "analyse", "game": 0},
        ],
    )
    def test_what_cannot_be_done_says_why_and_changes_nothing(
        self, board: Server, body: dict[str, Any]
    ) -> None:
        before = board.desk.state()
        status, answer = ask(board, body)
        assert status == 200 and json.loads(answer)["problem"]
        assert board.desk.state() == before

    def test_too_much(self, board: Server) -> None:
        with socket.create_connection(("127.0.0.1", board.server_port), 20) as connection:
            connection.sendall(
                f"POST /{board.token}/do HTTP/1.1\r\nHost: 127.0.0.1:{board.server_port}\r\n"
                f"Content-Length: {MOST_BODY + 1}\r\n\r\n".encode()
            )
            assert connection.recv(100).startswith(b"HTTP/1.1 413")
        assert ask(board, LOOK)[0] == 200

    @pytest.mark.parametrize("length", ["-1", "", "1e3", "\u0663", "9" * 5000])
    def test_a_senseless_length(self, board: Server, length: str) -> None:
        with socket.create_connection(("127.0.0.1", board.server_port), 20) as connection:
            connection.sendall(f"POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode())
            assert connection.recv(100).split()[1] in (b"411", b"413")

    @pytest.mark.parametrize("sent", [b"rubbish\r\n\r\n", b"GET /" + b"x" * 70_000, b"\x16\x03\x01",
                                      b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 3])  # fmt: skip
    def test_what_is_no_request(self, board: Server, sent: bytes) -> None:
        with socket.create_connection(("127.0.0.1", board.server_port), 20) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1000):
                pass
        assert ask(board, LOOK)[0] == 200


class TestManyAndSlow:
    def test_two_hundred_at_once(self, board: Server) -> None:
        with ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(lambda _: ask(board, LOOK)[0], range(200)))
        assert answers == [200] * 200

    def test_of_two_hundred_moves_one_is_made(self, board: Server) -> None:
        """The others come from a position in which it is not the person's turn any more."""
        move = {"act": "move", "game": 0, "path": [], "move": "e4"}
        with ThreadPoolExecutor(200) as pool:
            answers = set(pool.map(lambda _: ask(board, move), range(200)))
        assert answers == {(200, '{"path": ["e2e4"]}')}  # the same move once more changes nothing
        sheets, _ = board.desk.state()
        assert [one["san"] for one in sheets[0]["line"]] == ["e4"]
        assert ask(board, {**move, "path": ["e2e4"], "move": "e5"}) == (
            200, json.dumps({"problem": "It is Wadjet's move."}),
        )  # fmt: skip

    def test_who_sends_byte_by_byte_is_let_go(
        self, board: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "PATIENCE_S", 0.5)
        slow = [socket.create_connection(("127.0.0.1", board.server_port), 20) for _ in range(50)]
        try:
            for _ in range(15):
                for connection in slow:
                    try:
                        connection.sendall(b"G")
                    except OSError:  # let go
                        break
                time.sleep(0.1)
            assert ask(board, LOOK)[0] == 200
            for connection in slow:
                with suppress(ConnectionError):
                    assert connection.recv(10) == b""
        finally:
            for connection in slow:
                connection.close()

    def test_the_oldest_tab_of_too_many_is_let_go(
        self, board: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "HEARTBEAT_S", 0.05)
        tabs: list[socket.socket] = []
        head = f"GET /{board.token}/events HTTP/1.1\r\nHost: 127.0.0.1:{board.server_port}\r\n\r\n"
        try:
            for _ in range(MOST_TABS + 20):
                tabs.append(socket.create_connection(("127.0.0.1", board.server_port), 20))
                tabs[-1].sendall(head.encode())
                assert tabs[-1].recv(12) == b"HTTP/1.1 200"
            for tab in tabs[:-MOST_TABS]:
                with tab.makefile("rb") as heard:
                    assert heard.read().endswith(b'data: {"type": "away"}\n\n')
            assert all(b"away" not in tab.recv(100_000) for tab in tabs[-MOST_TABS:])
        finally:
            for tab in tabs:
                tab.close()
        for _ in range(200):
            if not board.desk.tabs:
                break
            time.sleep(0.05)
        assert not board.desk.tabs


def test_a_board_without_tabs_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    server = Server(Desk(Opponent), "", "")  # type: ignore[arg-type]
    thread = threading.Thread(target=server.run, kwargs={"idle_s": 0.3})
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
