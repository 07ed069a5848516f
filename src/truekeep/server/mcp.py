"""`/mcp`: the memories of this server for hosts that speak the Model Context Protocol over streamable HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import anyio
from anyio.abc import TaskGroup, TaskStatus
from fastapi import FastAPI, Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from truekeep.adapters.common import Scopes, Spaces
from truekeep.adapters.common.adapter import Current
from truekeep.engine import admit
from truekeep.engine.access import covers
from truekeep.errors import ConfigurationError
from truekeep.memory import Memory
from truekeep.model import AccessKey
from truekeep.model import Scope as KeyScope

from .bodies import json_value, raw
from .callers import credential
from .desk import Caller, Desk, address_of
from .problems import Forbidden, NotSetUp, Refused

if TYPE_CHECKING:
    from truekeep.adapters.mcp import Needs, Reach, SpaceLine

PATHS = ("/mcp", "/mcp/{space}")
DEFAULT_SPACE = "default"
_T = TypeVar("_T")
_MOST_LISTED = 1_000
_ALLOWED: Mapping[Needs, tuple[KeyScope, str]] = {
    "read": ("read", "free"),
    "recall": ("read", "recall"),
    "write": ("write", "write"),
}


@dataclass(frozen=True, slots=True)
class _Call:
    """The request that a tool works for."""

    desk: Desk
    key: AccessKey
    space: str


_call: Current[_Call] = Current("MCP request")


def install(app: FastAPI) -> None:
    """Take requests at `/mcp`."""
    app.state.mcp = _Endpoint(app.state.settings.body_bytes)
    app.router.routes.extend(app.state.mcp.routes)


@asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """Answer them until the end of the block; inside of it, the app has its desk."""
    async with anyio.create_task_group() as tasks:
        app.state.mcp.tasks = tasks
        yield
        tasks.cancel_scope.cancel()


class _Endpoint:
    """Finds out who asks about which space, and lets the SDK answer. What the gate checks is checked by then."""

    tasks: TaskGroup

    def __init__(self, body_bytes: int) -> None:
        self.routes = [Route(path, self, methods=["POST"], include_in_schema=False) for path in PATHS]
        self._body_bytes = body_bytes
        self._starting = anyio.Lock()
        self._manager: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        scope["route"] = self.routes["space" in request.path_params]  # for the log and the metrics
        desk: Desk = request.app.state.desk
        secret = credential(request.headers)
        key = await desk.run(lambda: desk.callers.who(secret, address_of(request)))
        space = unquote(request.path_params.get("space", "")) or _usual(key)
        admit.name(space, "space", desk.opened.limits)
        if not covers(key, space):
            raise Forbidden("this key does not cover that space")
        body = await raw(request, self._body_bytes)
        _check(body)
        manager = await self._started()
        with _call.set_to(_Call(desk, key, space)):
            await manager.handle_request(scope, _replayed(body, receive), send)

    async def _started(self) -> Any:
        """What answers. The first request waits for it: the SDK costs half a second and 28 MB, which not all need."""
        async with self._starting:
            try:
                self._manager = self._manager or await self.tasks.start(self._run)
            except ConfigurationError as error:  # no secret of the operator's: a package is missing here
                raise NotSetUp(str(error)) from error
        return self._manager

    async def _run(self, *, task_status: TaskStatus[Any]) -> None:
        await anyio.to_thread.run_sync(import_module, "truekeep.adapters.mcp")  # others are served meanwhile
        from truekeep.adapters.mcp import memory_server, session_manager

        manager = session_manager(memory_server(_ServedDoor()), max_bytes=self._body_bytes)
        async with manager.run():
            task_status.started(manager)
            await anyio.sleep_forever()


def _check(body: bytes) -> None:
    """Refuse what the SDK would stumble over; 1.x also logs what it cannot read, and that may be anybody's text."""
    message = json_value(body)
    if not isinstance(message, dict) or not isinstance(message.get("method", ""), str):
        raise Refused("the body must be one JSON-RPC message")
    if not isinstance(message.get("id", 0), str | int):
        raise Refused("the id of a JSON-RPC message must be text or a number")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A request whose body was read already; what comes after it is the end of the connection."""
    unread = [body]

    async def replay() -> Message:
        return {"type": "http.request", "body": unread.pop(), "more_body": False} if unread else await receive()

    return replay


def _usual(key: AccessKey) -> str:
    """The space of a key that covers one only; for all others the default."""
    only = key.spaces[0] if len(key.spaces) == 1 else DEFAULT_SPACE
    return DEFAULT_SPACE if set(only) & set("*?[") else only


class _ServedDoor:
    """The door of the server: every call needs the key of its request, and counts against its quotas."""

    async def run(self, work: Callable[[Reach], _T], *, needs: Needs, space: str | None = None) -> _T:
        from truekeep.adapters.mcp import Reach

        call = _call()
        name = call.space if space is None else space
        scope, counts = _ALLOWED[needs]

        def serve() -> _T:
            caller = call.desk.let_in(call.key, scope=scope, space=name, counts=counts)
            return work(Reach(_Served(caller, name), Scopes(name, name)))

        return await call.desk.run(serve)

    async def spaces(self) -> list[SpaceLine]:
        from truekeep.adapters.mcp import SpaceLine

        call = _call()

        def serve() -> list[SpaceLine]:
            caller = call.desk.let_in(call.key, scope="read", space=None, counts="free")
            return [SpaceLine(one.name, one.items) for one in caller.spaces(limit=_MOST_LISTED)]

        return await call.desk.run(serve)


class _Served(Spaces):
    """Spaces of a tenant, through the handles that the desk keeps open."""

    def __init__(self, caller: Caller, space: str) -> None:
        super().__init__(space)
        self._caller = caller

    def memory(self, name: str) -> Memory:
        return self._caller.memory(name)
