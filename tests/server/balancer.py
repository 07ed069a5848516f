"""A small load balancer: connections go round those servers that say they are ready, as one does in front of many."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count

LOOK_EVERY = 0.05  # seconds
PATIENCE = 60.0


class Balancer:
    """Passes on bytes and looks at none of them. It repeats nothing: whatever a server breaks off, the client sees."""

    def __init__(self) -> None:
        self.url = ""
        self.ready: frozenset[int] = frozenset()
        self._ports: set[int] = set()
        self._serving: set[asyncio.Task[None] | None] = set()  # nobody else holds one whose client has hung up
        self._turn = count()

    def add(self, port: int) -> None:
        self._ports.add(port)

    def remove(self, port: int) -> None:
        self._ports.discard(port)

    def wait_for(self, ready: set[int]) -> None:
        """Until exactly these are sent to."""
        deadline = time.monotonic() + PATIENCE
        while self.ready != ready:
            assert time.monotonic() < deadline, f"{set(self.ready)} are ready, not {ready}"
            time.sleep(0.01)

    async def run(self, started: threading.Event, ended: threading.Event) -> None:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        looking = asyncio.create_task(self._look())
        await asyncio.to_thread(ended.wait)
        looking.cancel()
        server.close()
        await asyncio.sleep(LOOK_EVERY)  # whoever had just connected is a task now, and ends with all others

    async def _look(self) -> None:
        while True:
            found = {port: await _is_ready(port) for port in list(self._ports)}
            self.ready = frozenset(port for port, is_ready in found.items() if is_ready)
            await asyncio.sleep(LOOK_EVERY)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(asyncio.current_task())
        try:
            there, back = await self._connected()
            with closing(back):
                await asyncio.gather(_pass(reader, back), _pass(there, writer))
        finally:
            writer.close()
            self._serving.discard(asyncio.current_task())

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """To the next one that takes the connection."""
        while True:
            ready = sorted(self.ready)
            for _ in ready:
                with suppress(ConnectionRefusedError):
                    return await asyncio.open_connection("127.0.0.1", ready[next(self._turn) % len(ready)])
            await asyncio.sleep(LOOK_EVERY)


async def _is_ready(port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with closing(writer):
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n")
            answer = await reader.read()
    except OSError:
        return False
    return answer.startswith(b"HTTP/1.1 200 ")


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
        return
    writer.transport.abort()  # a connection that was reset shall be one on the other side, too


@contextmanager
def balancing() -> Iterator[Balancer]:
    balancer, started, ended = Balancer(), threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(balancer.run(started, ended)), daemon=True)
    thread.start()
    assert started.wait(PATIENCE)
    try:
        yield balancer
    finally:
        ended.set()
        thread.join(PATIENCE)
