"""Running the server: sockets, workers, an orderly end."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors import Multiprocess

from truekeep.assembly import open_parts
from truekeep.errors import ConfigurationError

from . import logs
from .app import create_app
from .connections import Connection
from .settings import ServerSettings, handed_over, take_over

COUNTED = 1_000  # spaces: no start waits for more
BACKLOG = 2_048  # uvicorn's own
_M_ARENA_MAX = -8  # of malloc.h
_TURN = 0.01  # seconds in which the loop has closed what it was told to close
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What whoever starts a server wants to know."""

    address: str
    location: str  # of the store
    spaces: int  # that hold something, of all tenants; counted up to one more than COUNTED
    items: int  # in them
    has_keys: bool


def serve(settings: ServerSettings, announce: Callable[[Start], object]) -> None:
    """Announce the start, and serve until a signal ends it; what was acknowledged by then is kept."""
    found = _check(settings)
    listening = _bind(settings)
    logs.configure(settings)
    announce(Start(address=_address(settings, listening), **found))
    with handed_over(settings):
        config = uvicorn.Config(
            "truekeep.server.run:app",
            factory=True,
            workers=settings.workers,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=settings.shutdown_seconds,
            timeout_keep_alive=75,
            # A worker that waits for a core is not dead; one killed between question and answer is missed so late.
            timeout_worker_healthcheck=30,
            http=Connection,
            ws="none",
        )
        if settings.workers > 1:
            Workers(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])


def app() -> FastAPI:
    """What each worker runs."""
    settings = take_over()
    logs.configure(settings)
    _share_heaps()
    served = create_app(settings)
    _drain_at_the_end(served, settings.drain_seconds)
    return served


def _share_heaps() -> None:
    """Let all threads allocate from two heaps.

    By default glibc makes one for each thread, and what a thread no longer needs stays with it: at 50 requests a
    second, ten minutes took 28 MB more instead of 4.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _drain_at_the_end(app: FastAPI, seconds: float) -> None:
    """Be not ready as soon as a signal ends the server, and let go of those who wait for events.

    After SIGTERM, requests are taken in for some seconds more: a balancer shall look elsewhere before it is refused.
    From then on nobody waits for a database that is away.
    """
    for number, grace in ((signal.SIGINT, 0.0), (signal.SIGTERM, seconds)):
        uvicorns = signal.getsignal(number)
        if callable(uvicorns):
            signal.signal(number, partial(_drain, app, grace, uvicorns))
        server = getattr(uvicorns, "__self__", None)
        if isinstance(server, uvicorn.Server):
            server.shutdown = partial(_shut, server)  # type: ignore[method-assign]  # workers make their own servers


def _drain(app: FastAPI, grace: float, end: Callable[..., object], number: int, frame: FrameType | None) -> None:
    def begin() -> None:
        if hasattr(app.state, "watcher"):  # it has started
            app.state.desk.readiness.drain()
            app.state.deliveries.stop()
            app.state.watcher.release()
            loop.call_later(grace, app.state.desk.give_up)
        loop.call_later(grace, end, number, frame)

    loop = asyncio.get_running_loop()  # signals come between two steps of the loop's own thread
    loop.call_soon_threadsafe(begin)


async def _shut(server: uvicorn.Server, sockets: list[socket.socket] | None = None) -> None:
    """Take in those who have connected already, then nobody: closing a socket resets whoever waits in its queue."""
    last = [one.dup() for one in sockets or []]  # the loop closes its own in a later turn
    for listening in server.servers:
        listening.close()
    for one in sockets or []:
        one.close()
    await asyncio.sleep(_TURN)
    waiting: list[socket.socket] = []
    for one in last:
        with one, suppress(BlockingIOError):
            while True:
                waiting.append(one.accept()[0])
    await asyncio.gather(*(_connect(server, one) for one in waiting))
    await uvicorn.Server.shutdown(server)


async def _connect(server: uvicorn.Server, accepted: socket.socket) -> None:
    accepted.setblocking(False)
    made = partial(Connection, config=server.config, server_state=server.server_state, app_state=server.lifespan.state)
    with suppress(OSError):  # gone again
        await asyncio.get_running_loop().connect_accepted_socket(made, accepted)


def _check(settings: ServerSettings) -> dict[str, Any]:
    """What cannot be opened, or must not be, is said here and once, not by every worker. Migrates an older file."""
    opened = open_parts(
        at=settings.at, embedder=settings.embedder, extractor=settings.extractor, judge=settings.judge, background=False
    )
    try:
        store = opened.parts.store
        has_keys = settings.has_operators_key or store.is_closed()
        if not settings.is_loopback and not has_keys:
            raise ConfigurationError(
                f"refusing to listen on {settings.host} without a key: anybody who reaches it could read and change "
                "every memory. Set TRUEKEEP_ADMIN_KEY, or make a key with 'truekeep keys create --operator'."
            )
        overviews = (store.overview(tenant, limit=COUNTED + 1) for tenant in store.tenants())
        spaces = list(islice(chain.from_iterable(overviews), COUNTED + 1))
        items = sum(space.items for space in spaces)
        return {"location": store.location, "spaces": len(spaces), "items": items, "has_keys": has_keys}
    finally:
        opened.close()


def _bind(settings: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that no answer is held back
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(BACKLOG)  # from now on: whoever is quicker than the workers waits, and is not refused
    except OSError as error:
        listening.close()
        raise ConfigurationError(_refused(settings, error)) from error
    listening.set_inheritable(True)
    return listening


def _refused(settings: ServerSettings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {settings.port} of {settings.host} is taken, perhaps by a server that is running already; "
            "choose another one with --port (0 takes any that is free)"
        )
    place = f"{settings.host}:{settings.port}"
    if error.errno == errno.EACCES:
        return f"you may not listen on {place}; choose a port above 1023 with --port"
    return f"cannot listen on {place}: {error.strerror}; choose an address of this machine with --host"


def _address(settings: ServerSettings, listening: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listening.getsockname()[1]}"


class Workers(Multiprocess):
    """Its workers begin to drain when the signal comes, not when the supervisor looks next."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        signal.signal(signal.SIGTERM, self._pass_on)

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        self.signal_queue.append(number)
        for process in self.processes:
            if process.pid is not None and process.exitcode is None:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, number)

    def keep_subprocess_alive(self) -> None:
        if self.signal_queue:  # those that end now were told to
            return
        before = list(self.processes)
        super().keep_subprocess_alive()
        for old, new in zip(before, self.processes, strict=True):
            if new is not old:
                # What it holds no longer counts; what it counted does.
                mark_process_dead(old.pid)  # type: ignore[no-untyped-call]  # as it comes
                log.warning("worker %d ended with %s; worker %d takes its place", old.pid, old.exitcode, new.pid)

    def terminate_all(self) -> None:
        for listening in self.sockets:
            listening.close()  # before the workers close theirs: nobody shall connect to whom no one answers
        super().terminate_all()
