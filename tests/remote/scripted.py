"""A real socket server that does what a script says: answer, refuse, hang, or drop the connection."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

HTML = b"<html><body><h1>Welcome to the hotel network</h1></body></html>"


class Asked(NamedTuple):
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Step = Callable[[socket.socket, Asked], None]


class Scripted:
    """Serves one request a connection; the last step of the script is repeated."""

    def __init__(self, *steps: Step, port: int = 0) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        self._steps = list(steps)
        self._listener = socket.create_server(("127.0.0.1", port))
        self._lock = threading.Lock()
        self.released = threading.Event()  # set at the end: whatever hangs lets go

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self.released.is_set():
                connection.close()
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection:
            with self._lock:
                self.connections += 1
                step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
            try:
                request = read_request(connection)
                with self._lock:
                    self.asked.append(request)
                step(connection, request)
            except (OSError, ValueError):
                return  # the client has hung up

    def close(self) -> None:
        self.released.set()
        with socket.create_connection(self._listener.getsockname()):
            pass  # wakes `accept`, which closing alone would not
        self._listener.close()


@contextmanager
def scripted(*steps: Step, port: int = 0) -> Iterator[Scripted]:
    server = Scripted(*steps, port=port)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def read_request(connection: socket.socket) -> Asked:
    """The next request of a connection; ValueError when it is none, or not all of it."""
    with connection.makefile("rb") as file:
        method, path, _ = file.readline().decode().split(" ")
        headers = {}
        while (line := file.readline().decode().strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if "chunked" in headers.get("transfer-encoding", ""):
            body = b""
            while size := int(file.readline(), 16):
                body += file.read(size)
                file.readline()
            file.readline()
        else:
            body = file.read(int(headers.get("content-length", "0")))
        return Asked(method, path, headers, body)


def answer(status: int, body: object = None, headers: Mapping[str, str] | None = None) -> Step:
    """Answers with JSON, or with bytes as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Whatever", "Connection: close", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]

    def step(connection: socket.socket, _: Asked) -> None:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + content)

    return step


def problem(status: int, slug: str, detail: str, headers: Mapping[str, str] | None = None, **more: object) -> Step:
    document = {"type": f"urn:truekeep:{slug}", "title": "-", "status": status, "detail": detail, **more}
    return answer(status, document, headers)


def drop(connection: socket.socket, _: Asked) -> None:
    """Takes the request and hangs up."""


def drop_in_the_middle(connection: socket.socket, _: Asked) -> None:
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"keys": ["a", ')


def forward(upstream: str) -> Step:
    """Has a real server answer."""
    place = urlsplit(upstream)

    def step(connection: socket.socket, asked: Asked) -> None:
        status, headers, body = _asked_upstream(place.netloc, place.path, asked)
        kept = {name: value for name, value in headers.items() if name in ("content-type", "etag", "retry-after")}
        answer(status, body, kept)(connection, asked)

    return step


def lose(upstream: str) -> Step:
    """Has a real server do it, and drops the connection before anybody hears of it."""
    place = urlsplit(upstream)

    def step(connection: socket.socket, asked: Asked) -> None:
        _asked_upstream(place.netloc, place.path, asked)

    return step


def _asked_upstream(host: str, prefix: str, asked: Asked) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection(host, timeout=30)
    try:
        headers = {name: value for name, value in asked.headers.items() if name != "transfer-encoding"}
        connection.request(asked.method, prefix + asked.path, asked.body, headers | {"accept-encoding": "identity"})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
