"""Connections: how many there are, how much of a request is taken in before it is understood, and how long it may take.

h11 has a limit for heads, but costs 35 microseconds more a request than httptools, which has none; these cost 2.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from .problems import Busy, HeadTooLarge, Refused, TooSlow, of_error
from .settings import ServerSettings

PATIENCE = "truekeep.patience"  # in the state of the app's lifespan, which every connection is given
HEAD_BYTES = 64 * 1024  # of the first line and the headers, of trailers, of one chunk's extension
_BODY_BYTES = 256 * 1024  # that a body brings each time that its time is over, or it ends: 13 KB/s
_SPARE_BYTES = 256 * 1024  # that whoever was refused may still send, and
_SPARE_SECONDS = 2.0  # for so long: a connection that is cut off while they do loses the answer on its way
_LAST_SECONDS = 0.2  # for whoever has just connected, when nobody else may
_OTHER_FILES = 100  # of a process: the store, its log, the model, what is being sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """What one process puts up with."""

    seconds: float  # for a request to arrive
    connections: int

    @classmethod
    def of(cls, settings: ServerSettings) -> Patience:
        return cls(seconds=settings.request_seconds, connections=min(settings.connections, _files()))


def _files() -> int:
    """Connections for which there are files: a process that has used up its last one serves nobody."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 2**31
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if most == resource.RLIM_INFINITY else max(1, most - _OTHER_FILES)


class Connection(HttpToolsProtocol):
    """One connection of uvicorn's, with limits."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._patience: Patience = self.app_state[PATIENCE]
        self._since = 0.0
        self._is_awaited = True  # the rest of a request, or the first one
        self._is_understood = False  # something of what came in last
        self._unread = 0  # bytes since anything was understood
        self._brought = 0  # bytes of a body since the timer was set
        self._spare: int | None = None  # bytes that may still come, once it was refused
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._since = self.loop.time()
        self._set_timer()
        if len(self.connections) > self._patience.connections:
            waiting = [one for one in self.connections if isinstance(one, Connection) and one._is_idle()]
            min(waiting, key=lambda one: one._since, default=self)._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server ends: one that is idle may have a request on its way, which would be lost with it."""
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(_LAST_SECONDS, super().shutdown)
        else:
            super().shutdown()

    def data_received(self, data: bytes) -> None:
        if self._spare is not None:
            self._spare -= len(data)
            if self._spare < 0:
                self.transport.close()
            return
        for start in range(0, len(data), HEAD_BYTES):
            if self._spare is not None or self.transport.is_closing():
                return
            self._take_in(data[start : start + HEAD_BYTES])
        if not self._is_awaited:
            self._stop_timer()
        elif self._timer is None:
            self._set_timer()

    def _take_in(self, piece: bytes) -> None:
        self._is_understood = False
        super().data_received(piece)
        self._unread = 0 if self._is_understood else self._unread + len(piece)
        if self._unread >= HEAD_BYTES:
            self._refuse(HeadTooLarge(f"the first line and headers may have {HEAD_BYTES:,} bytes", Connection="close"))

    def on_message_begin(self) -> None:
        self._is_awaited = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_understood = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._is_understood = True
        self._brought += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_understood = True
        self._is_awaited = False
        super().on_message_complete()

    def _is_idle(self) -> bool:
        """Whether a request was begun, or not even that, and nobody works on it: somebody else needs the place more."""
        is_free = self.cycle is None or self.cycle.response_complete
        return self._is_awaited and is_free and self._spare is None

    def _give_way(self) -> None:
        self._refuse(Busy("too many connections at once; try again", Connection="close"))
        self.transport.close()

    def _set_timer(self) -> None:
        self._brought = 0
        self._timer = self.loop.call_later(self._patience.seconds, self._look)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Whether to wait on: for a body that comes, or that we do not take in, being busy."""
        if self.flow.read_paused or self._brought >= _BODY_BYTES:
            self._set_timer()
        elif not self.transport.is_closing():
            waited = f"the request was not there after {self._patience.seconds:g} seconds"
            self._refuse(TooSlow(waited, Connection="close"))

    def _refuse(self, error: Refused) -> None:
        """Answer, unless that was done already, take in nothing more, and hang up soon."""
        self._stop_timer()
        self._spare = _SPARE_BYTES
        if self.cycle is None or not self.cycle.response_started:
            answer = of_error(error)
            head = b"".join(name + b": " + value + b"\r\n" for name, value in answer.raw_headers)
            self.transport.write(STATUS_LINE[error.status] + head + b"\r\n" + bytes(answer.body))
        if self.cycle is not None:  # whoever waits for the rest need not
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._timer = self.loop.call_later(_SPARE_SECONDS, self.transport.close)
