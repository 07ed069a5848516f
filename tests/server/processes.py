"""`truekeep serve` in processes of its own, as an operator runs it; ended by their own ids."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

PROGRAM = [sys.executable, "-m", "truekeep.cli.main"]
PATIENCE = 60  # seconds; on a quiet machine everything takes a few


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server process, with its workers if it has any."""

    process: subprocess.Popen[str]
    url: str
    log_file: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8")

    def ask(self, method: str, path: str, *, key: str | None = None, **more: Any) -> httpx.Response:
        """On a connection of its own."""
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **more.pop("headers", {})}
        with httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False) as client:
            return client.request(method, path, headers=headers, **more)

    def workers(self) -> list[int]:
        """Process ids of those that serve; the supervisor also has a child that tracks its resources."""
        me = self.process.pid
        children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
        return [int(child) for child in children if b"spawn_main" in _command(child)]

    def wait_for_workers(self, count: int, *, without: int | None = None) -> list[int]:
        """So many of them, each ready: all of them have said so in the log."""
        deadline = time.monotonic() + 2 * PATIENCE  # the supervisor may take half of this to miss one
        while True:
            workers = [worker for worker in self.workers() if f"Started server process [{worker}]" in self.log]
            if len(workers) == count and without not in workers:
                return workers
            assert time.monotonic() < deadline, f"{len(workers)} workers instead of {count}:\n{self.log}"
            time.sleep(0.05)

    @contextmanager
    def only(self, worker: int) -> Iterator[None]:
        """All others stand still meanwhile: this one answers."""
        others = [other for other in self.workers() if other != worker]
        self._stop(others)
        try:
            yield
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)

    def _stop(self, workers: list[int]) -> None:
        """Where none of them is in the middle of a write, for which the one that goes on would wait in vain."""
        while True:
            for worker in workers:
                os.kill(worker, signal.SIGSTOP)
            if _can_be_written(self.log_file.with_name("truekeep.db")):
                return
            for worker in workers:
                os.kill(worker, signal.SIGCONT)
            time.sleep(0.05)

    def end(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def running(folder: Path, *arguments: str, **environment: str) -> Iterator[Running]:
    """A server that answers, with its store and its log in this folder."""
    log_file = folder / "log.jsonl"
    with log_file.open("a") as log:
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", *arguments],
            env=surroundings(folder, **environment),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip().replace("0.0.0.0", "127.0.0.1")
        assert url, log_file.read_text()
        _wait_for(url, process)
        yield Running(process=process, url=url, log_file=log_file)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # its own session: nothing else is in that group
            process.wait()
        process.stdout.close()


def said(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What `truekeep serve` with these arguments says when it does not stay."""
    return subprocess.run(
        [*PROGRAM, "serve", *arguments],
        env=surroundings(folder, **environment),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def surroundings(folder: Path, **environment: str) -> dict[str, str]:
    """All variables of a process: those of the machine, without settings that a developer may have, and these."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("TRUEKEEP_")}
    return {**others, "TRUEKEEP_HOME": str(folder), **environment}


def _can_be_written(store: Path) -> bool:
    with closing(sqlite3.connect(store, timeout=1, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        connection.execute("ROLLBACK")
        return True


def _wait_for(url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            httpx.get(f"{url}/health", timeout=PATIENCE, trust_env=False).raise_for_status()
        except httpx.TransportError:
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
        else:
            return


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # gone meanwhile
        return b""
