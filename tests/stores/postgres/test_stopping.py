"""A server stops soon although its database is away: who waits for that waits no longer than the server serves."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.postgres_server import Server, Unavailable, new_database
from tests.postgres_server import running as database
from tests.server.processes import PATIENCE, Running, running
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import SPACE, keep, put

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
WAITS = 10.0  # seconds that a request waits for a database that is away
ASKING = 4


@pytest.fixture
def server() -> Iterator[Server]:
    try:
        with database() as server:
            yield server
    except Unavailable as error:
        pytest.skip(f"NOT TESTED ON POSTGRESQL: {error}")


@pytest.mark.parametrize(("how", "workers"), [("gone", "2"), ("frozen", "1")])
def test_requests_that_wait_for_the_database_are_given_up_when_the_server_stops(
    tmp_path: Path, server: Server, how: str, workers: str
) -> None:
    with (
        new_database(server.url()) as url,
        running(tmp_path, "--at", url, "--workers", workers) as served,
        ThreadPoolExecutor(ASKING) as threads,
    ):
        if workers != "1":
            served.wait_for_workers(int(workers))
        assert served.ask("POST", "/v1/spaces/team/memories", json={"content": "Ana likes tea"}).status_code == 201
        _away(server, how)
        asked = [threads.submit(_asked, served, number) for number in range(ASKING)]
        time.sleep(1)  # all of them wait

        try:
            began = time.monotonic()
            served.process.send_signal(signal.SIGTERM)
            served.process.wait(2 * WAITS)
            took = time.monotonic() - began
        finally:
            _back(server, how)
        assert {one.result(PATIENCE) for one in asked} <= {503, None}
    print(f"\nstopped in {took:.1f} s, {how}, {workers} workers")
    assert took < WAITS / 2


def test_a_database_that_answers_is_not_given_up(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as store, ThreadPoolExecutor(1) as threads, store._driver.view() as held:
        slow = threads.submit(held.query, "SELECT pg_sleep(1)")

        store.give_up()
        keep(store, put("a"))

        assert slow.result(PATIENCE)
        assert [one.id for one in store.get(SPACE, ["a"])] == ["a"]


def _asked(served: Running, number: int) -> int | None:
    try:
        return served.ask("POST", "/v1/spaces/team/memories", json={"content": f"Robot {number} is red"}).status_code
    except httpx.TransportError:
        return None


def _away(server: Server, how: str) -> None:
    if how == "gone":
        server.kill()
    else:
        for process in _processes(server):
            os.kill(process, signal.SIGSTOP)


def _back(server: Server, how: str) -> None:
    if how == "gone":
        server.start()
    else:
        for process in _processes(server):
            os.kill(process, signal.SIGCONT)


def _processes(server: Server) -> list[int]:
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return [server.pid, *map(int, children)]
