"""A receiver of webhooks on a free port of loopback: it notes what comes, and answers as it is told to."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds; on a quiet machine everything takes a few tenths, but for the end of a lease


@dataclass(frozen=True, slots=True)
class Came:
    """One request, as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> list[tuple[str, str]]:
        """Each event in short: its space, and what it tells."""
        events = json.loads(self.body)["events"]
        return [(one["space"], one["item"]["content"] if one["item"] else one["type"]) for one in events]


Behaviour = Callable[[BaseHTTPRequestHandler], None]


def answers(status: int, **headers: str) -> Behaviour:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


def never_ends(request: BaseHTTPRequestHandler) -> None:
    """Takes it, and goes on talking."""
    request.send_response(200)
    request.end_headers()
    with suppress(OSError):
        while True:
            request.wfile.write(b"x" * 65536)


class Receiver:
    """Does what `script` says, one entry a request, and then what is usual."""

    def __init__(self, certificate: Path | None = None) -> None:
        self._certificate = certificate  # with its key; None: plain HTTP
        self.came: list[Came] = []
        self.script: list[Behaviour] = []
        self.usual: Behaviour = answers(200)
        self.hangs = threading.Event()  # until it is set
        self._server: ThreadingHTTPServer | None = None
        self.port = 0
        self.open()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def hang(self, request: BaseHTTPRequestHandler) -> None:
        self.hangs.wait(PATIENCE)

    def open(self) -> None:
        """Listen, again on the same port if there was one."""
        receiver = self

        class Requests(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.came.append(Came(self.path, headers, body))
                behaviour = receiver.script.pop(0) if receiver.script else receiver.usual
                with suppress(OSError):
                    behaviour(self)

            do_GET = do_POST

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Requests)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        if self._certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self._certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def wait(self, count: int = 1) -> list[Came]:
        """What came, once so many requests have."""
        wait_for(lambda: len(self.came) >= count, lambda: f"{len(self.came)} of {count} came")
        return list(self.came)

    @property
    def told(self) -> list[tuple[str, str]]:
        return [one for came in self.came for one in came.told]

    def wait_for_told(self, *texts: str) -> None:
        wait_for(lambda: {text for _, text in self.told} >= set(texts), lambda: f"{self.told} came")


def wait_for(condition: Callable[[], bool], otherwise: Callable[[], str] = lambda: "it did not come true") -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, otherwise()
        time.sleep(0.01)


@contextmanager
def receiving(certificate: Path | None = None) -> Iterator[Receiver]:
    receiver = Receiver(certificate)
    try:
        yield receiver
    finally:
        receiver.hangs.set()
        receiver.close()
