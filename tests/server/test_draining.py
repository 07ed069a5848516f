"""How a server stops: nobody is cut off, nothing waits for it, and what it did not do is done by the next one."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from truekeep import Memory

from .balancer import Balancer, balancing
from .processes import PATIENCE, Running, running

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]
SPACE = "/v1/spaces/team"
CLIENTS = 4


def test_a_restart_of_every_server_behind_a_balancer_resets_no_connection(tmp_path: Path) -> None:
    answers: Counter[int | str] = Counter()
    enough, ended = threading.Event(), threading.Event()
    with ExitStack() as stack, balancing() as balancer, ThreadPoolExecutor(CLIENTS) as threads:
        stack.callback(ended.set)
        servers = [_started(stack, tmp_path, balancer) for _ in range(2)]
        asking = [threads.submit(_ask, balancer.url, answers, enough, ended) for _ in range(CLIENTS)]

        for old in list(servers):
            enough.clear()
            assert enough.wait(PATIENCE)  # under load
            old.end()
            balancer.remove(old.port)
            servers = [*(server for server in servers if server is not old), _started(stack, tmp_path, balancer)]
            balancer.wait_for({server.port for server in servers})
        ended.set()
        for one in asking:
            one.result(PATIENCE)

    assert answers.keys() == {200, 201}


def _started(stack: ExitStack, folder: Path, balancer: Balancer) -> Running:
    server = stack.enter_context(running(folder))
    balancer.add(server.port)
    return server


def _ask(url: str, answers: Counter[int | str], enough: threading.Event, ended: threading.Event) -> None:
    """Write and read on one connection as long as it lasts, until the test ends."""
    with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client:
        turn = 0
        while not ended.is_set():
            turn += 1
            try:
                wrote = client.post(f"{SPACE}/memories", json={"content": f"Thing {turn} of {threading.get_ident()}"})
                read = client.get(f"{SPACE}/memories/{wrote.json()['id']}")
            except (httpx.TransportError, KeyError) as error:
                answers[repr(error)] += 1
                continue
            answers[wrote.status_code] += 1
            answers[read.status_code] += 1
            if turn % 10 == 0:
                enough.set()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_serves_on_and_says_that_it_is_stopping_before_it_stops(tmp_path: Path, workers: str) -> None:
    with running(tmp_path, "--workers", workers, TRUEKEEP_DRAIN_SECONDS=str(PATIENCE)) as server:
        serving = server.wait_for_workers(int(workers)) if workers != "1" else [server.process.pid]
        _wait_until(server, ready=True)

        server.process.send_signal(signal.SIGTERM)
        _wait_until(server, ready=False)
        served = server.ask("GET", "/v1/spaces")
        for process in serving:
            os.kill(process, signal.SIGINT)  # enough of that
        server.process.wait(PATIENCE)

        assert served.status_code == 200
        assert served.headers["connection"] == "close"
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", server.port)):
            pass


def _wait_until(server: Running, *, ready: bool) -> None:
    deadline = time.monotonic() + PATIENCE
    while server.ask("GET", "/readyz").is_success is not ready:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_whoever_could_connect_is_answered_until_nobody_can(tmp_path: Path, workers: str) -> None:
    """A proxy that knows of no probes asks until it is refused; one that is refused asks another server."""
    with running(tmp_path, "--workers", workers) as server, ThreadPoolExecutor(2 * CLIENTS) as threads:
        if workers != "1":
            server.wait_for_workers(int(workers))
        asking = [threads.submit(_ask_until_refused, server) for _ in range(2 * CLIENTS)]
        server.end()

        assert {one.result(PATIENCE) for one in asking} == {"refused"}


def _ask_until_refused(server: Running) -> str:
    while True:
        try:
            server.ask("GET", f"{SPACE}/memories").raise_for_status()
        except httpx.ConnectError:
            return "refused"
        except httpx.HTTPError as error:
            return repr(error)


def test_waiting_work_is_left_to_the_next_start(tmp_path: Path) -> None:
    many = [{"content": f"The lamp of room {number} is {number % 97} years old"} for number in range(3000)]
    with running(tmp_path) as server:
        answer = server.ask("POST", f"{SPACE}/memories", json={"items": many})
        assert answer.status_code == 201, answer.text

        server.end()

    with Memory("team", at=tmp_path / "truekeep.db", background=False) as memory:
        stats = memory.stats()
    assert stats.items == len(many)
    assert stats.pending > 0
