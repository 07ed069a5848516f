"""A real uvicorn on a real socket that serves many stores, each under a path of its own.

One server for a whole run of tests: starting one takes longer than most of them.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any

import uvicorn
from fastapi import FastAPI

from truekeep import Limits
from truekeep.assembly import LOCAL_TENANT
from truekeep.engine import access
from truekeep.engine.runtime.opened import Opened
from truekeep.ports import Store
from truekeep.server.app import create_app

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]


class _Life:
    """From the start of an app to its end, in one task, as real servers have it: what begins there must end there."""

    async def begin(self, app: FastAPI) -> None:
        begun, self._over = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._live(app, begun))
        waiting = asyncio.create_task(begun.wait())
        await asyncio.wait([self._task, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._task.done():
            self._task.result()  # what went wrong

    async def _live(self, app: FastAPI, begun: asyncio.Event) -> None:
        async with app.router.lifespan_context(app):
            begun.set()
            await self._over.wait()

    async def end(self) -> None:
        self._over.set()
        await self._task


class Served:
    """The server, and what it serves by the first segment of the path."""

    def __init__(self) -> None:
        # By its protocol asyncio knows that answers must not wait for an acknowledgement of 40 ms (TCP_NODELAY).
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._listener.bind(("127.0.0.1", 0))
        self._apps: dict[str, tuple[FastAPI, _Life]] = {}
        self._numbers = count()
        self._loop = asyncio.new_event_loop()
        config = uvicorn.Config(
            self._app, interface="asgi3", lifespan="off", log_config=None, timeout_graceful_shutdown=5
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def add(self, opened: Opened) -> str:
        """Serve this store, too; at which address."""
        name = f"t{next(self._numbers)}"
        app, life = create_app(opened=opened), _Life()
        self._in_loop(life.begin(app))
        self._apps[name] = app, life
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/{name}"

    def remove(self, url: str) -> None:
        _, life = self._apps.pop(url.rpartition("/")[2])
        self._in_loop(life.end())

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._loop.close()
        self._listener.close()

    def _run(self) -> None:
        self._loop.run_until_complete(self._server.serve(sockets=[self._listener]))

    def _in_loop(self, work: Awaitable[Any]) -> None:
        async def awaited() -> None:
            await work

        asyncio.run_coroutine_threadsafe(awaited(), self._loop).result(60)

    async def _app(
        self, scope: Scope, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        name = scope["path"].split("/")[1]
        app, _ = self._apps[name]
        cut = len(name) + 1
        inner = {**scope, "path": scope["path"][cut:], "raw_path": scope["raw_path"][cut:]}
        await app(inner, receive, send)


@contextmanager
def served() -> Iterator[Served]:
    server = Served()
    try:
        yield server
    finally:
        server.stop()


def allowed(store: Store, *spaces: str) -> str:
    """A key for such spaces alone, of those who use the store themselves."""
    made = access.new_key(
        tenant=LOCAL_TENANT,
        name="test",
        scopes=None,
        spaces=spaces,
        operator=False,
        expires=None,
        now=datetime.now(UTC),
        limits=Limits(),
    )
    secret = access.new_secret()
    store.add_access_key(made, access.digest(secret))
    return secret
