"""The gate: what every request passes before it is routed, and what is noted when it is answered."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import traceback
from typing import Any
from urllib.parse import unquote_to_bytes
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import logs
from .desk import Desk
from .metrics import Metrics
from .problems import METHODS, Forbidden, Refused, of_error, problem, routed
from .readiness import Readiness
from .settings import LOOPBACK, ServerSettings

log = logging.getLogger("truekeep.server")

_HOST = re.compile(r"(?:\[([^\[\]]*)\]|([^:\[\]]*))(?::\d*)?")
_PROBES = ("/livez", "/readyz")  # asked by address, and answered whatever the store is doing
_REQUEST_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)


class Gate:
    """An ASGI middleware: names in paths, Host and Origin, request ids, logs, metrics, and the last resort."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._hosts = LOOPBACK | {host.lower() for host in settings.allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        noted = _Noted(send, _request_id(scope), scope["method"], scope["app"].state.desk.readiness)
        known = logs.begin(noted.request_id)
        scope = {**scope, "method": routed(scope["method"])}
        self._metrics.begin()
        try:
            await self._answer(scope, receive, noted)
        finally:
            # In the loop's next turn: the answer is sent at the end of this one, and nobody should wait for our notes.
            asyncio.get_running_loop().call_soon(self._note, scope, noted, known, time.perf_counter() - began)

    def _note(self, scope: Scope, noted: _Noted, known: dict[str, str], seconds: float) -> None:
        method = noted.method if noted.method in METHODS else "OTHER"
        route = _route(scope)
        self._metrics.end(method, route, noted.status, seconds)
        if "reason" in known:
            self._metrics.refused(known["reason"], known.get("quota", ""))
        log.info(
            "answered",
            extra={
                **known,
                "method": method,
                "route": route,
                "status": noted.status,
                "ms": round(seconds * 1000, 2),
            },
        )

    async def _answer(self, scope: Scope, receive: Receive, noted: _Noted) -> None:
        try:
            scope["path"] = _path(scope)
            await self._check_host(scope)
            await self._app(scope, receive, noted)
        except Refused as error:
            await of_error(error)(scope, receive, noted)
        except Exception as error:  # a bug must not take the connection down, nor put what it saw into the log
            frames = "".join(traceback.format_tb(error.__traceback__))
            log.error("failed: %s\n%s", type(error).__name__, frames)
            if noted.status:
                raise  # the answer has begun: only an abrupt end tells the client
            await problem(500, "internal", f"something went wrong; the log has it as {noted.request_id}")(
                scope, receive, noted
            )

    async def _check_host(self, scope: Scope) -> None:
        """Without keys, a web page must not reach us under a name of its own choice, nor from its own origin."""
        if scope["path"] in _PROBES:
            return
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        is_ours = origin in (None, f"http://{host}", f"https://{host}") and not _is_of_a_page_elsewhere(scope)
        if _name(host or "") in self._hosts and is_ours:
            return
        desk: Desk = scope["app"].state.desk
        if await desk.run(desk.callers.is_open):
            raise Forbidden(
                "without a key this server answers to its loopback names only; see the setting allowed_hosts"
            )


class _Noted:
    """A `send` that remembers the status, adds the id of the request, and leaves out a body that nobody asked for."""

    def __init__(self, send: Send, request_id: str, method: str, readiness: Readiness) -> None:
        self._send = send
        self._readiness = readiness
        self.request_id = request_id
        self.method = method
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], (b"x-request-id", self.request_id.encode())]
            if self._readiness.is_draining:  # the next request shall look for another server
                message["headers"].append((b"connection", b"close"))
        elif self.method == "HEAD":
            message = {**message, "body": b""}
        await self._send(message)


def _request_id(scope: Scope) -> str:
    given = _header(scope, b"x-request-id")
    return given if given and _REQUEST_ID.fullmatch(given) else uuid4().hex


def _header(scope: Scope, name: bytes) -> str | None:
    """The first one of this name. Every request pays for this: hence no `Headers`, which decodes all of them."""
    for found, value in scope["headers"]:
        if found == name:
            text: str = value.decode("latin-1")
            return text
    return None


def _route(scope: Scope) -> str:
    """The pattern of the path: the path itself holds names that users chose."""
    route: Any = scope.get("route")
    return getattr(route, "path", "unknown")


def _path(scope: Scope) -> str:
    """The path with each segment decoded, but for slashes and percent signs, which routing would misread.

    `schemas.SpaceName` and its like undo the rest.
    """
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    if b"%" not in raw:
        path: str = scope["path"]
        return path
    try:
        segments = [unquote_to_bytes(segment).decode() for segment in raw.partition(b"?")[0].split(b"/")]
    except UnicodeDecodeError as error:
        raise Refused("the path is not UTF-8") from error
    return "/".join(segment.replace("%", "%25").replace("/", "%2F") for segment in segments)


def _is_of_a_page_elsewhere(scope: Scope) -> bool:
    """Whether a browser asks for a picture or the like on behalf of another site. A link that is followed is fine."""
    if _header(scope, b"sec-fetch-site") not in ("cross-site", "same-site"):
        return False
    return (_header(scope, b"sec-fetch-mode"), _header(scope, b"sec-fetch-dest")) != ("navigate", "document")


def _name(host: str) -> str:
    """The host without its port; nothing when anything else follows."""
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else ""
