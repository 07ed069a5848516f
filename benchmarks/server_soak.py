"""A steady load on `truekeep serve` for minutes on end, over a set of steady size: what breaks, and what grows."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter, deque
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from .measure import Check
from .sentences import questions, sentences
from .server_driver import Line, Load, Served, request, serving

_HELD = 2_000  # memories at any time
_LINES = 8
_TTL = 30  # seconds
_KEYS = 100
_SAMPLE = 5.0  # seconds between two looks at the process
_WARM_UP = 60.0
_ROOT = "/v1/spaces/soak"
_MIX = ("recall", "remember", "recall", "forget", "context", "recall", "brief", "put", "read", "list")


class Caller:
    """Makes the requests one by one, and knows which memories there are."""

    def __init__(self, told: list[str], asked: list[str]) -> None:
        self._told = cycle(told)
        self._asked = cycle(asked)
        self._numbers = iter(range(10**9))
        self.held: deque[str] = deque()

    def requests(self) -> Iterator[tuple[str, bytes]]:
        """One after the other, in the same mix again and again."""
        return ((what, getattr(self, what)()) for what in cycle(_MIX))

    def recall(self) -> bytes:
        return request("POST", f"{_ROOT}/recall", {"query": next(self._asked)})

    def remember(self) -> bytes:
        return request("POST", f"{_ROOT}/memories", {"content": f"{next(self._told)} ({next(self._numbers)})"})

    def brief(self) -> bytes:
        content = f"{next(self._told)} ({next(self._numbers)})"
        return request("POST", f"{_ROOT}/memories", {"content": content, "ttl": _TTL, "kind": "temporary"})

    def forget(self) -> bytes:
        return request("DELETE", f"{_ROOT}/memories/{self.held.popleft()}")

    def context(self) -> bytes:
        return request("POST", f"{_ROOT}/context", {"query": next(self._asked), "max_tokens": 500})

    def put(self) -> bytes:
        number = next(self._numbers)
        return request("PUT", f"{_ROOT}/values/key-{number % _KEYS}", {"value": {"number": number}})

    def read(self) -> bytes:
        return request("GET", f"{_ROOT}/values/key-0")

    def list(self) -> bytes:
        return request("GET", f"{_ROOT}/memories?limit=20")


def soak(folder: Path, *, minutes: float, rate: int) -> None:
    """Print how it went."""
    asked = list(dict.fromkeys(questions(5_000)))
    caller = Caller(sentences(8_000), asked)
    with serving("truekeep.cli.main", "serve", "--port", "0", "--at", str(folder / "soak.db")) as server:
        report = asyncio.run(_run(server, caller, seconds=minutes * 60, rate=rate))
        print("\n".join(report))


async def _run(server: Served, caller: Caller, *, seconds: float, rate: int) -> list[str]:
    await _fill(server, caller)
    waiting: asyncio.Queue[tuple[float, str, bytes]] = asyncio.Queue()
    answered: Counter[tuple[str, int]] = Counter()
    each: list[float] = []
    lines = [asyncio.create_task(_work(server.port, waiting, caller, answered, each)) for _ in range(_LINES)]
    sizes: list[tuple[float, int]] = []
    looking = asyncio.create_task(_look(server, sizes))
    began, cpu = time.perf_counter(), server.cpu_seconds()
    for number, (what, made) in enumerate(caller.requests()):
        due = began + number / rate
        if due > began + seconds:
            break
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        waiting.put_nowait((due, what, made))
    await waiting.join()
    load = Load(
        each=each,
        seconds=time.perf_counter() - began,
        cpu_seconds=server.cpu_seconds() - cpu,
        failed=sum(count for (_, status), count in answered.items() if status >= 300),
    )
    for task in (*lines, looking):
        task.cancel()
    await asyncio.gather(*lines, looking, return_exceptions=True)
    return _report(load, answered, sizes)


async def _fill(server: Served, caller: Caller) -> None:
    line = await _reached(server.port)
    for _ in range(_HELD):
        caller.held.append((await line.ask(caller.remember())).record["id"])
    await line.ask(request("PUT", f"{_ROOT}/values/key-0", {"value": 0}))
    line.close()


async def _reached(port: int) -> Line:
    """A server tells its address before it answers."""
    while True:
        try:
            return await Line.open(port)
        except ConnectionRefusedError:
            await asyncio.sleep(0.05)


async def _work(
    port: int,
    waiting: asyncio.Queue[tuple[float, str, bytes]],
    caller: Caller,
    answered: Counter[tuple[str, int]],
    each: list[float],
) -> None:
    """Ask what is due; times count from when it was due, so a server that falls behind shows."""
    line = await Line.open(port)
    while True:
        due, what, made = await waiting.get()
        try:
            answer = await line.ask(made)
        except OSError:
            answered[what, 599] += 1
            line = await Line.open(port)
        else:
            each.append((time.perf_counter() - due) * 1000)
            answered[what, answer.status] += 1
            if what == "remember" and answer.status == 201:
                caller.held.append(answer.record["id"])
        waiting.task_done()


async def _look(server: Served, sizes: list[tuple[float, int]]) -> None:
    began = time.perf_counter()
    while True:
        sizes.append((time.perf_counter() - began, server.resident()))
        print(f"{sizes[-1][0]:6.0f} s  {sizes[-1][1] / 1e6:7.1f} MB", flush=True)
        await asyncio.sleep(_SAMPLE)


def _report(load: Load, answered: Counter[tuple[str, int]], sizes: list[tuple[float, int]]) -> list[str]:
    warm = [size for moment, size in sizes if moment >= min(_WARM_UP, sizes[-1][0] / 2)]
    share = max(1, len(warm) // 10)
    growth = (statistics.median(warm[-share:]) - statistics.median(warm[:share])) / 1e6
    checks = [Check(load.failed, 0, " errors"), Check(growth, 10, " MB more resident")]
    return [
        *(f"{what:9} {status}: {count:,}" for (what, status), count in sorted(answered.items())),
        f"{len(load.each):,} requests in {load.seconds:.0f} s ({load.per_second:.1f} a second)",
        f"p50 {load.at(50):.1f} ms, p99 {load.at(99):.1f} ms, longest {max(load.each):.0f} ms",
        f"{load.cpu_each:.2f} ms of CPU a request",
        *(f"{check.shown} ({check.target}): {'ok' if check.ok else 'NOT REACHED'}" for check in checks),
    ]
