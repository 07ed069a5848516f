"""A real server on a free port of loopback, and callers for it."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from truekeep.assembly import open_parts
from truekeep.engine.runtime.opened import Opened
from truekeep.ports import Embedder, Extractor
from truekeep.server.app import create_app
from truekeep.server.connections import Connection
from truekeep.server.settings import ServerSettings
from truekeep.testing.fakes import FakeEmbedder, FixedClock

OPERATOR = "tk_the-operator-of-the-tests"
POSTGRES = os.environ.get("TEST_TRUEKEEP_STORE") == "postgres"  # make test-postgres
on_a_file = pytest.mark.skipif(POSTGRES, reason="looks into the file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running server, and what is behind it."""

    url: str
    app: FastAPI
    opened: Opened
    clock: FixedClock

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def caller(self, key: str | None = OPERATOR) -> httpx.Client:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)

    def new_key(self, **body: Any) -> dict[str, Any]:
        """A key that the operator makes; without a tenant it opens one."""
        with self.caller() as operator:
            made = operator.post("/v1/keys", json={"name": "test", **body})
        assert made.status_code == 201, made.text
        answer: dict[str, Any] = made.json()
        return answer

    def tenant(self, **body: Any) -> httpx.Client:
        """A caller of a tenant of its own."""
        return self.caller(self.new_key(**body)["key"])


_new_database: Callable[[], str] | None = None  # set where all servers shall work on PostgreSQL: make test-postgres
_databases: dict[Path, str] = {}


def work_on_postgres(new_database: Callable[[], str] | None) -> None:
    """From now on a folder stands for a database of its own; None: for a file again."""
    global _new_database
    _new_database = new_database
    _databases.clear()


def place_of(folder: Path) -> Path | str:
    """Where the store is that belongs to a folder."""
    if _new_database is None:
        return folder / "memory.db"
    if folder not in _databases:
        _databases[folder] = _new_database()
    return _databases[folder]


@contextmanager
def serving(
    folder: Path,
    *,
    clock: FixedClock | None = None,
    background: bool = True,
    embedder: Embedder | str | None = None,
    extractor: Extractor | None = None,
    **settings: Any,
) -> Iterator[Served]:
    clock = clock or FixedClock()
    opened = open_parts(
        at=place_of(folder),
        embedder=embedder or FakeEmbedder(),
        extractor=extractor,
        clock=clock,
        background=background,
    )
    app = create_app(ServerSettings(**{"reserve_bytes": 0, **settings}), opened=opened)
    try:
        with _running(app) as port:
            yield Served(url=f"http://127.0.0.1:{port}", app=app, opened=opened, clock=clock)
    finally:
        opened.close()


@contextmanager
def _running(app: FastAPI) -> Iterator[int]:
    config = uvicorn.Config(
        app, log_config=None, http=Connection, ws="none", lifespan="on", timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.01)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the server did not stop"


def at(space: str, *rest: str) -> str:
    """The path of something in a space: every name is one segment, percent-encoded."""
    return "/".join(["/v1/spaces", *(quote(name, safe="") for name in (space, *rest))])


def detail(answer: httpx.Response, status: int) -> Mapping[str, Any]:
    """The problem document of an answer, which is what every error looks like."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["type"].startswith("urn:truekeep:")
    assert problem["detail"]
    assert problem["title"]
    return problem
