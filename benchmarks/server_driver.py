"""Drives a server over loopback: a client that does next to nothing, and what the server's process used meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")


class Answer(NamedTuple):
    status: int
    body: bytes

    @property
    def record(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What it took to answer some requests: milliseconds of each, and of all together."""

    each: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of the server's process
    failed: int = 0

    @property
    def per_second(self) -> float:
        return len(self.each) / self.seconds

    @property
    def cpu_each(self) -> float:
        """Milliseconds of CPU that the server used for one request."""
        return self.cpu_seconds / len(self.each) * 1000

    def at(self, percent: int) -> float:
        ordered = sorted(self.each)
        return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]

    def __add__(self, other: Load) -> Load:
        return Load(
            each=self.each + other.each,
            seconds=self.seconds + other.seconds,
            cpu_seconds=self.cpu_seconds + other.cpu_seconds,
            failed=self.failed + other.failed,
        )


class Line(asyncio.Protocol):
    """One kept-alive HTTP/1.1 connection that asks one thing at a time. Answers must say how long they are."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._answer: asyncio.Future[Answer] | None = None

    @classmethod
    async def open(cls, port: int) -> Line:
        _, line = await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port)
        return line

    async def ask(self, request: bytes) -> Answer:
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    async def clocked(self, request: bytes) -> Load:
        """How long one answer takes."""
        began = time.perf_counter()
        answer = await self.ask(request)
        seconds = time.perf_counter() - began
        return Load(each=[seconds * 1000], seconds=seconds, failed=int(answer.status >= 300))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = bytes(self._received).partition(b"\r\n\r\n")
        if not found:
            return
        announced = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if len(rest) >= int(announced) and self._answer is not None:
            self._received.clear()
            self._answer.set_result(Answer(int(head[9:12]), rest))

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error or ConnectionError("the server hung up"))


def request(method: str, path: str, body: Any = None) -> bytes:
    """A request, ready to be sent."""
    content = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A process that serves, and its port."""

    pid: int
    port: int

    def load(self, requests: Iterable[bytes], *, concurrency: int = 1) -> Load:
        """Send all of them, so many at a time."""
        return asyncio.run(self._load(iter(requests), concurrency))

    async def _load(self, requests: Iterator[bytes], concurrency: int) -> Load:
        lines = [await Line.open(self.port) for _ in range(concurrency)]

        async def ask(line: Line) -> list[Load]:
            return [await line.clocked(asked) for asked in requests]

        cpu, began = self.cpu_seconds(), time.perf_counter()
        answers = [one for own in await asyncio.gather(*map(ask, lines)) for one in own]
        seconds = time.perf_counter() - began
        for line in lines:
            line.close()
        return Load(
            each=[time for one in answers for time in one.each],
            seconds=seconds,
            cpu_seconds=self.cpu_seconds() - cpu,
            failed=sum(one.failed for one in answers),
        )

    def cpu_seconds(self) -> float:
        """Of all its threads, to a hundredth of a second: ask before and after many requests."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def resident(self) -> int:
        """Bytes that it holds in RAM."""
        [line] = [line for line in Path(f"/proc/{self.pid}/status").read_text().splitlines() if "VmRSS:" in line]
        return int(line.split()[1]) * 1024


@contextmanager
def serving(*arguments: str) -> Iterator[Served]:
    """`python -m` these arguments, as long as it is needed; it prints its port or its address first."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the log is written all the same
        text=True,
    )
    assert process.stdout is not None
    try:
        printed = process.stdout.readline().strip()
        yield Served(pid=process.pid, port=int(printed.rpartition(":")[2]))
    finally:
        process.terminate()
        try:
            process.wait(10)
        finally:
            process.kill()
            process.stdout.close()
