"""Requests that no client sends: odd paths, headers, chunks, beginnings without an end. Never a 500, never a hang."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx
import pytest

from .served import OPERATOR, Served, at
from .unharmed import unharmed


@pytest.fixture(scope="module")
def caller(served: Served) -> Iterator[httpx.Client]:
    with served.caller(OPERATOR) as made:
        made.post(at("bot", "memories"), json={"content": "Ana likes tea"})
        made.put(at("bot", "values", "v"), json={"value": 1})
        yield made


@pytest.fixture(autouse=True)
def untouched(served: Served, caller: httpx.Client, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with unharmed(served, caller, caplog):
        yield


def exchange(served: Served, request: bytes, *, hang_up: bool = False) -> bytes:
    """What comes back for these bytes; nothing when the server hangs up without a word, as it may if we did."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        try:
            line.sendall(request)
            if hang_up:
                line.shutdown(socket.SHUT_WR)
            received = b""
            while piece := line.recv(65_536):
                received += piece
        except (ConnectionResetError, BrokenPipeError):
            return b""
    return received


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


KEY = f"Authorization: Bearer {OPERATOR}\r\n".encode()
CLOSE = b"Connection: close\r\n"
TARGETS: list[bytes] = [
    b"//",
    b"///v1///spaces",
    b"/v1/spaces/",
    b"/v1/spaces//memories",
    b"/v1/spaces/../../etc/passwd",
    b"/v1/spaces/%2e%2e/%2e%2e/etc/passwd",
    b"/v1/spaces/..%2f..%2fetc/memories/x/y",
    b"/v1/spaces/%00/memories",
    b"/v1/spaces/a%00b/memories",
    b"/v1/spaces/%ff/memories",
    b"/v1/spaces/%ed%a0%80/memories",
    b"/v1/spaces/%c0%80/memories",
    b"/v1/spaces/%0d%0aX-Evil:%20yes/memories",
    b"/v1/spaces/%20/memories",
    b"/v1/spaces/\xff\xfe/memories",
    b"/v1/spaces/" + b"n" * 300 + b"/memories",
    b"/v1/spaces/" + b"n" * 8_192 + b"/memories",
    b"/v1/spaces/" + b"%C3%A9" * 8_192 + b"/memories",
    b"/v1/spaces/bot/memories/" + b"%2F" * 1_000,
    b"/v1/spaces/bot/memories?limit=0",
    b"/v1/spaces/bot/memories?limit=1e400",
    b"/v1/spaces/bot/memories?limit=" + b"9" * 5_000,
    b"/v1/spaces/bot/memories?limit=NaN",
    b"/v1/spaces/bot/memories?limit=%00",
    b"/v1/spaces/bot/memories?limit=1&limit=x",
    b"/v1/spaces/bot/memories?cursor=%ff%fe",
    b"/v1/spaces/bot/memories?offset=99999999999999999999999999",
    b"/v1/spaces/bot/memories?session=%00",
    b"/v1/spaces/bot/memories?since=9999-12-31T23:59:59-23:59",
    b"/v1/spaces/bot/memories?since=0001-01-01T00:00:00%2B23:59",
    b"/v1/spaces/bot/events?after=-1",
    b"/v1/spaces/bot/events?after=99999999999999999999",
    b"/v1/spaces/bot/events?wait=inf",
    b"/v1/spaces/bot/events?wait=NaN",
    b"/v1/spaces/bot/events?wait=1e9",
    b"/v1/spaces?limit=100000",
    b"/v1/jobs/%00",
    b"/v1/jobs/" + b"x" * 5_000,
    b"/v1/keys/x",
    b"/v1/memory/recall",
    b"/v1/memory/recall?q=%00",
    b"/v1/memory/recall?q=tea&limit=-5",
    b"/memory/%00",
    b"/memory/bot/%ff",
    b"/api/v1/agents/%00/memories",
    b"/api/v1/agents/bot/memories?limit=1e9",
    b"/memories/extract/%00",
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: repr(target[:60]))
def test_odd_paths_are_refused(served: Served, target: bytes) -> None:
    answer = exchange(served, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n" + KEY + CLOSE + b"\r\n")

    assert 400 <= status(answer) < 500, answer[:300]
    assert b"X-Evil" not in answer.partition(b"\r\n\r\n")[0]


@pytest.mark.parametrize(
    "target",
    [
        b"/v1/spaces?" + b"x" * 100_000,
        b"/" + b"x" * 200_000,
        b"/v1/spaces?" + b"a=b&" * 20_000,
        b"*",
        b"x",
        b"http://",
    ],
    ids=lambda target: repr(target[:20]),
)
def test_addresses_without_measure_do_no_harm(served: Served, target: bytes) -> None:
    answer = exchange(served, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n" + KEY + CLOSE + b"\r\n")

    assert status(answer) < 500, answer[:300]


@pytest.mark.parametrize(
    "headers",
    [
        b"Authorization: Bearer x\r\n",
        b"Authorization: \xff\xfe\r\n",
        b"Authorization: Basic " + b"A" * 100_000 + b"\r\n",
        b"X-API-Key: \x01\r\n",
        KEY + b"Content-Length: -1\r\n",
        KEY + b"Content-Length: abc\r\n",
        KEY + b"Content-Length: 99999999999999999999999\r\n",
        KEY + b"Content-Length: 5\r\nContent-Length: 7\r\n",
        KEY + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        KEY + b"Transfer-Encoding: gzip, chunked\r\n",
        KEY + b"Content-Type: application/json; charset=utf-7\r\nContent-Length: 1\r\n",
        KEY + b"Content-Type: " + b"x" * 10_000 + b"\r\nContent-Length: 2\r\n",
        KEY + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n",
        KEY + b"Idempotency-Key: " + b"k" * 10_000 + b"\r\nContent-Length: 0\r\n",
        KEY + b"Idempotency-Key: \xff\xfe\r\nContent-Length: 0\r\n",
        KEY + b"Idempotency-Key: \r\nContent-Length: 0\r\n",
        KEY + b"No colon\r\n",
        KEY + b": no name\r\n",
        KEY + b"X: " + b"y" * 200_000 + b"\r\n",
        KEY + b"X: y\r\n" * 5_000,
        KEY + b" folded: x\r\n",
        KEY + b"X: a\rb\r\n",
        KEY + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n",
    ],
    ids=lambda headers: repr(headers.removeprefix(KEY)[:50]),
)
def test_odd_headers_are_refused(served: Served, headers: bytes) -> None:
    request = b"POST /v1/spaces/bot/memories HTTP/1.1\r\nHost: localhost\r\n" + CLOSE + headers + b"\r\n{}"

    assert 400 <= status(exchange(served, request)) < 500


@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"ffffffffffffffffff\r\n{}\r\n",
        b"2\r\n{}",
        b"-2\r\n{}\r\n0\r\n\r\n",
        b"2;" + b"x" * 100_000,
    ],
    ids=lambda chunks: repr(chunks[:20]),
)
def test_bad_chunks_are_refused(served: Served, chunks: bytes) -> None:
    head = b"POST /v1/spaces/bot/memories HTTP/1.1\r\nHost: localhost\r\n" + KEY + b"Transfer-Encoding: chunked\r\n\r\n"

    answer = exchange(served, head + chunks, hang_up=chunks.startswith(b"2"))

    assert not answer or 400 <= status(answer) < 500


@pytest.mark.parametrize(
    "line",
    [
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"BREW / HTCPCP/1.0\r\n\r\n",
        b"\x00" * 100,
    ],
    ids=repr,
)
def test_what_is_no_http_is_turned_away(served: Served, line: bytes) -> None:
    answer = exchange(served, line, hang_up=True)

    assert not answer or 400 <= status(answer) < 500


def test_old_http_is_served(served: Served) -> None:
    answer = exchange(served, b"GET /v1/spaces HTTP/1.0\r\n" + KEY + b"\r\n")

    assert status(answer) == 200


def test_unfinished_requests_do_not_stand_in_the_way(served: Served, caller: httpx.Client) -> None:
    beginnings = [
        b"",
        b"POST /v1/spaces/bot/mem",
        b"POST /v1/spaces/bot/memories HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /v1/spaces/bot/memories HTTP/1.1\r\nHost: localhost\r\n" + KEY + b"Content-Length: 100\r\n\r\n{",
        b"POST /v1/spaces/bot/import HTTP/1.1\r\nHost: localhost\r\n"
        + KEY
        + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    ]
    lines = []
    try:
        for beginning in beginnings * 20:
            line = socket.create_connection(("127.0.0.1", served.port), timeout=10)
            lines.append(line)
            line.sendall(beginning)

        assert caller.post(at("bot", "recall"), json={"query": "tea"}).status_code == 200
    finally:
        for line in lines:
            line.close()


def test_a_caller_who_hangs_up_in_the_middle_leaves_nothing(served: Served) -> None:
    head = b"POST /v1/spaces/bot/memories HTTP/1.1\r\nHost: localhost\r\n" + KEY + b"Content-Type: application/json\r\n"
    body = b'{"content": "half of what was to be said"}'

    answer = exchange(served, head + b"Content-Length: 100\r\n\r\n" + body, hang_up=True)

    assert not answer or 400 <= status(answer) < 500


@pytest.mark.parametrize(
    ("method", "path", "argument"),
    [
        ("GET", "/v1/usage?tenant=acme", "tenant"),
        ("GET", "/v1/spaces?limit=1&page=2", "page"),
        ("GET", at("bot", "memories") + "?kinds=fact&sorted=yes", "sorted"),
        ("GET", at("bot", "events") + "?since=1", "since"),
        ("POST", at("bot", "import") + "?overwrite=1", "overwrite"),
        ("DELETE", at("nowhere") + "?dry_run=true", "dry_run"),
    ],
)
def test_a_parameter_that_nobody_reads_is_refused(caller: httpx.Client, method: str, path: str, argument: str) -> None:
    answer = caller.request(method, path)

    assert answer.status_code == 422
    assert answer.json()["argument"] == argument
