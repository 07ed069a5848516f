"""Memories that fail in every way that they can: gone, answering 500, hanging, and locked by another process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import apsw

from tests.adapters.common.places import opened, silent_server
from truekeep.adapters.common import Spaces
from truekeep.testing.fakes import FakeEmbedder

WAYS = ["gone", "failing", "hanging", "locked"]


@contextmanager
def memory_that_is(way: str, folder: Path) -> Iterator[Spaces]:
    """Spaces on a memory that fails in this way."""
    if way == "locked":
        opened(folder).close()
        other = apsw.Connection(str(folder / "memory.db"))
        other.execute("BEGIN EXCLUSIVE")
        try:
            yield Spaces("ana", at=folder / "memory.db", embedder=FakeEmbedder(), background=False)
        finally:
            other.execute("ROLLBACK")
            other.close()
        return
    with {"gone": gone_server, "failing": failing_server, "hanging": silent_server}[way]() as address:
        yield Spaces("ana", at=address, key="tk_any")


@contextmanager
def gone_server() -> Iterator[str]:
    """The address of a server that was there a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    yield address


@contextmanager
def failing_server() -> Iterator[str]:
    """Answers everything with 500; its address."""

    class Failing(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(500)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
