"""Connections: heads have an end, requests a time, and a process a number of both."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from truekeep.server.connections import HEAD_BYTES

from .receiver import wait_for
from .served import OPERATOR, Served, at, serving

START = b"GET /health HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("hasty"), admin_key=OPERATOR, request_seconds=0.5) as running:
        yield running


@pytest.fixture(scope="module")
def brisk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Waits long enough for whoever means to be in time, however busy the machine is."""
    with serving(tmp_path_factory.mktemp("brisk"), admin_key=OPERATOR, request_seconds=2) as running:
        yield running


def line_to(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), timeout=20)


def heard(line: socket.socket) -> bytes:
    """All that comes until the server hangs up."""
    received = b""
    try:
        while piece := line.recv(65_536):
            received += piece
    except ConnectionResetError:  # it hung up while we were still talking
        pass
    return received


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize(
    "begin",
    [
        START + b"X-Long: ",
        b"GET /",
        b"GET /health?",
        START + b"X-One: two\r\n" * 3_000,
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX-Trailer: ",
    ],
    ids=["header", "path", "query", "many headers", "trailer"],
)
def test_what_is_not_understood_has_an_end(served: Served, begin: bytes) -> None:
    with line_to(served) as line:
        sent = 0
        try:
            line.sendall(begin)
            while sent < 64 * HEAD_BYTES:
                sent += line.send(b"a" * 16_384)
                time.sleep(0.001)
        except (ConnectionResetError, BrokenPipeError):
            pass

        assert sent < 32 * HEAD_BYTES, "all of it was taken in"


def test_a_head_that_is_too_large_is_refused_in_words(served: Served) -> None:
    with line_to(served) as line:
        line.sendall(START + b"X-Long: " + b"a" * (HEAD_BYTES - len(START) - 8))

        answer = heard(line)

    assert status(answer) == 431
    assert b"application/problem+json" in answer


def test_a_head_may_be_long(served: Served) -> None:
    with line_to(served) as line:
        line.sendall(START + b"Connection: close\r\nX-Long: " + b"a" * 60_000 + b"\r\n\r\n")

        assert status(heard(line)) == 200


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        START + b"X-Slow: a",
        b"POST /v1/spaces/x/import HTTP/1.1\r\nHost: x\r\nX-API-Key: " + OPERATOR.encode() + b"\r\n"
        b"Content-Length: 1000\r\n\r\n{",
    ],
    ids=["nothing", "half a head", "half a body"],
)
def test_half_a_request_is_not_waited_for(hasty: Served, begin: bytes) -> None:
    with line_to(hasty) as line:
        line.sendall(begin)

        assert b"HTTP/1.1 408 " in heard(line)


def test_half_of_a_second_request_is_not_waited_for_either(hasty: Served) -> None:
    with line_to(hasty) as line:
        line.sendall(START + b"\r\n" + START)

        assert status(heard(line)) == 200  # that of the first; then the server hangs up


def test_a_body_that_keeps_coming_is_waited_for(brisk: Served) -> None:
    value = b'{"value": "' + b"x" * 2_500_000 + b'"}'
    head = f"PUT {at('bot', 'values', 'k')} HTTP/1.1\r\nHost: x\r\nX-API-Key: {OPERATOR}\r\nConnection: close\r\n"
    with line_to(brisk) as line:
        line.sendall(head.encode() + f"Content-Length: {len(value)}\r\n\r\n".encode())
        for start in range(0, len(value), 100_000):
            line.sendall(value[start : start + 100_000])
            time.sleep(0.1)

        assert status(heard(line)) == 200


def test_a_connection_that_is_kept_serves_request_after_request(brisk: Served) -> None:
    with brisk.caller() as caller:
        assert caller.get("/v1/spaces").status_code == 200
        time.sleep(2.2)  # longer than a request may take
        assert caller.get("/v1/spaces").status_code == 200


def test_who_holds_a_connection_for_nothing_gives_way_to_who_asks(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR, connections=5) as running, ExitStack() as stack:
        lines = []
        for _ in range(5):
            lines.append(stack.enter_context(line_to(running)))
            lines[-1].sendall(START)
            if len(lines) == 1:  # several that come at once are taken in any order
                with running.caller() as caller:
                    assert caller.get("/v1/spaces").status_code == 200
                time.sleep(0.01)
        for _ in range(3):
            with running.caller() as caller:
                assert caller.get("/v1/spaces").status_code == 200

        assert status(heard(lines[0])) == 503
        lines[-1].sendall(b"Connection: close\r\n\r\n")
        assert status(heard(lines[-1])) == 200


def test_more_connections_at_work_than_a_process_holds_are_refused(tmp_path: Path) -> None:
    events = f"GET {at('bot', 'events')}?wait=20 HTTP/1.1\r\nHost: x\r\nX-API-Key: {OPERATOR}\r\n\r\n"
    with serving(tmp_path, admin_key=OPERATOR, connections=3) as running, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(line_to(running)).sendall(events.encode())
        registry = running.app.state.desk.metrics._registry
        wait_for(lambda: registry.get_sample_value("truekeep_requests_running") == 3)

        assert status(heard(stack.enter_context(line_to(running)))) == 503


def test_a_process_keeps_files_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    from truekeep.server.connections import Patience
    from truekeep.server.settings import ServerSettings

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))

    assert Patience.of(ServerSettings()).connections == 156
    assert Patience.of(ServerSettings(connections=10)).connections == 10
