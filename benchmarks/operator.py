"""What an operator waits for: `python -m benchmarks.operator` (make bench-operator).

Probes under 64 clients, servers that are restarted, databases that go away, and a store of 50,000 that is restored.
Each server is a process of its own, and so are the clients; the balancer and PostgreSQL are on this machine, too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path

import httpx

from tests.postgres_server import Server as Database
from tests.postgres_server import new_database
from tests.postgres_server import running as database
from tests.server.ground import on_databases, on_files
from tests.server.operators_day import live
from tests.server.processes import PATIENCE, PROGRAM, Running, running, surroundings
from truekeep.ports import Store
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.sqlite import SqliteStore

from .sentences import questions, sentences
from .server_driver import Line, Load, request
from .workbench import SPACE, Workbench, apply

CLIENTS = 64
SECONDS = 20.0
ITEMS = 50_000
BATCH = 1_000
BETWEEN = 0.05  # seconds between two looks of a balancer
_ROOT = "/v1/spaces/team"
_PROBE = b"GET /readyz HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operator", description=__doc__.partition("\n")[0])
    cases = {"probes": probes, "outage": outage, "restore": restore, "day": day}
    parser.add_argument("--only", nargs="+", choices=cases, default=list(cases), help="these cases only")
    for name in parser.parse_args().only:
        with tempfile.TemporaryDirectory(prefix="truekeep-bench-") as folder:
            for told in cases[name](Path(folder)):
                print(f"{name}: {told} (load {os.getloadavg()[0]:.0f})", flush=True)


def probes(folder: Path) -> Iterator[str]:
    """`/readyz`, each on a connection of its own, while everybody recalls and remembers."""
    for workers in ("1", "2"):
        home = folder / workers
        home.mkdir()
        with running(home, "--workers", workers) as server:
            _wait(lambda server=server: _is_ready(server))  # type: ignore[misc]  # a default argument
            clients = get_context("spawn").Process(target=_crowd, args=(server.port, SECONDS + 2))
            clients.start()
            time.sleep(2)
            load = _probed(server, SECONDS)
            clients.join()
            began = time.monotonic()
            server.end()
            yield (
                f"{workers} workers, {CLIENTS} clients: p50 {load.at(50):.0f} ms, p99 {load.at(99):.0f} ms of "
                f"{len(load.each)}, {load.failed} not ready; stopped in {time.monotonic() - began:.1f} s"
            )


def outage(folder: Path) -> Iterator[str]:
    """PostgreSQL is killed and comes back; it is killed again, and the server is stopped while requests wait for it."""
    with database() as behind, new_database(behind.url()) as url:
        with running(folder, "--at", url) as server:
            _wait(lambda: _is_ready(server))
            behind.kill()
            noticed = _wait(lambda: not _is_ready(server))
            away = _probed(server, 5)
            behind.start()
            back = _wait(lambda: _is_ready(server))
            yield f"not ready {noticed:.1f} s after PostgreSQL was killed, ready {back:.1f} s after it answers again"
            yield f"meanwhile /readyz: p50 {away.at(50):.0f} ms, p99 {away.at(99):.0f} ms"
            yield f"with requests that wait for PostgreSQL, stopped in {_stopped(server, behind):.1f} s"
        behind.start()  # so that what was made there can be dropped


def restore(folder: Path) -> Iterator[str]:
    """Commands, from their start to their end."""
    with database(durable=True) as behind, ExitStack() as stack:
        databases = [stack.enter_context(new_database(behind.url())) for _ in range(2)]
        places = {"a file": [str(folder / f"{number}.db") for number in range(2)], "PostgreSQL": databases}
        for kind, (place, empty) in places.items():
            _fill(place, folder)
            backup = folder / f"backup of {kind}"
            took = _commanded(folder, "backup", str(backup), "--at", place)
            back = _commanded(folder, "restore", str(backup), "--to", empty)
            size = f"{ITEMS:,} memories of {kind} ({backup.stat().st_size / 1e6:.0f} MB)"
            yield f"{size}: backed up in {took:.1f} s, restored in {back:.1f} s"


def day(folder: Path) -> Iterator[str]:
    """The day that `make test-all` lives, on both kinds."""
    for kind in ("files", "databases"):
        with ExitStack() as stack:
            home = folder / kind
            home.mkdir()
            if kind == "files":
                ground = on_files(home)
            else:
                ground = stack.enter_context(on_databases(stack.enter_context(database()).url(), home))
            for what, seconds in live(ground, home).items():
                yield f"{kind}: {what}: {seconds:.2f} s"


def _crowd(port: int, seconds: float) -> None:
    """Three recalls to one write, from each client as fast as it is answered."""
    told, asked = cycle(sentences(4_000)), cycle(questions(2_000))
    made = (
        request("POST", f"{_ROOT}/recall", {"query": next(asked)})
        if number % 4
        else request("POST", f"{_ROOT}/memories", {"content": f"{next(told)} ({number})"})
        for number in range(10**9)
    )
    ends = time.monotonic() + seconds

    async def ask() -> None:
        line = await Line.open(port)
        while time.monotonic() < ends:
            assert (await line.ask(next(made))).status < 300
        line.close()

    async def ask_all() -> None:
        await asyncio.gather(*(ask() for _ in range(CLIENTS)))

    asyncio.run(ask_all())


def _probed(server: Running, seconds: float) -> Load:
    each: list[float] = []
    failed = 0
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        began = time.perf_counter()
        failed += not _is_ready(server)
        each.append((time.perf_counter() - began) * 1000)
        time.sleep(BETWEEN)
    return Load(each=each, seconds=seconds, failed=failed)


def _is_ready(server: Running) -> bool:
    """Asked as cheaply as can be: what is measured is the server."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(_PROBE)
        answer = b""
        while data := connection.recv(4096):
            answer += data
    return answer.startswith(b"HTTP/1.1 200 ")


def _wait(until: Callable[[], bool]) -> float:
    """How many seconds it takes."""
    began = time.monotonic()
    while not until():
        assert time.monotonic() < began + PATIENCE
        time.sleep(0.01)
    return time.monotonic() - began


def _stopped(server: Running, behind: Database) -> float:
    def ask(number: int) -> None:
        with suppress(httpx.TransportError):
            server.ask("POST", f"{_ROOT}/memories", json={"content": f"Robot {number} is red"})

    with ThreadPoolExecutor(8) as threads:
        behind.kill()
        for number in range(8):
            threads.submit(ask, number)
        time.sleep(1)  # all of them wait
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(PATIENCE)
        return time.monotonic() - began


def _fill(place: str, folder: Path) -> None:
    bench = Workbench(folder, quick=False)
    store: Store = PostgresStore(place) if place.startswith("postgresql:") else SqliteStore(place)
    for puts in bench.puts(ITEMS):
        for at in range(0, len(puts), BATCH):
            apply(store, SPACE, puts[at : at + BATCH], bench.embedder.name)
    store.close()
    bench.close()


def _commanded(folder: Path, *arguments: str) -> float:
    began = time.monotonic()
    subprocess.run([*PROGRAM, *arguments], env=surroundings(folder), check=True, stdout=sys.stderr)
    return time.monotonic() - began


if __name__ == "__main__":
    main()
