"""A proxy before the server that cuts a connection at the worst moment: around a commit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

When = Literal["before", "after"]  # the commit reaches the server


class CuttingProxy:
    """Passes everything on, but the next commit; `cut` says how often that shall happen."""

    def __init__(self, socket_file: Path) -> None:
        self.cuts: list[When] = []
        self._target = str(socket_file)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                for work in (self._ask, self._answer):
                    threading.Thread(target=work, args=(client, server), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 16):
                if b"COMMIT" in data and self.cuts:
                    when = self.cuts.pop(0)
                    client.shutdown(socket.SHUT_RDWR)  # whatever is answered, nobody hears it
                    if when == "after":
                        server.sendall(data)
                        server.shutdown(socket.SHUT_WR)
                        return
                    break
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)

    def _answer(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                with suppress(OSError):
                    client.sendall(data)
        client.close()
        server.close()

    def close(self) -> None:
        self._listening.close()


@contextmanager
def cutting(socket_file: Path) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(socket_file)
    try:
        yield proxy
    finally:
        proxy.close()
