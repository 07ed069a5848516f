"""Memories for the tests of adapters: real ones, on files, and a server that never answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from truekeep import Memory
from truekeep.adapters.common import AnyScopes, FailOpen, Spaces
from truekeep.model import MemoryItem
from truekeep.testing.fakes import FakeEmbedder

PATIENT = 60.0  # seconds: for tests in which nothing shall be late, on a busy machine


def opened(folder: Path, space: str = "ana") -> Memory:
    return Memory(space, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def spaces(folder: Path, scopes: AnyScopes) -> Spaces:
    return Spaces(scopes, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def patient(**options: object) -> FailOpen:
    return FailOpen(deadline=PATIENT, **options)  # type: ignore[arg-type]


def kept(folder: Path, space: str = "ana") -> list[MemoryItem]:
    """What is in a space, in the order in which it was said."""
    with opened(folder, space) as memory:
        return sorted(memory.items(limit=1000), key=lambda item: (item.created, item.id))


class Clock:
    """Monotonic seconds that move only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def silent_server() -> Iterator[str]:
    """Takes every connection and never says a word; its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connections.append(listener.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
        for connection in connections:
            connection.close()


def adapter_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "truekeep-adapter"}


def raising(error: Exception) -> Callable[[], str]:
    def work() -> str:
        raise error

    return work
