"""The connections of this process to the servers of one store: one pool for all handles with the same key."""

from __future__ import annotations

import logging
import os
import random
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, TypeVar

import httpx

from truekeep._version import __version__
from truekeep.errors import ConfigurationError, InvalidInput, StoreError, TruekeepError
from truekeep.patience import TooLate, whole

from .server import Address, Failed, failure_of, json_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The defaults let an agent outlast the restart of a server, and notice within seconds that there is none."""

    connect: timedelta = timedelta(seconds=5)
    answer: timedelta = timedelta(seconds=60)
    long_answer: timedelta = timedelta(minutes=10)  # of calls that read or write a whole space or store
    attempts: int = 4
    span: timedelta = timedelta(seconds=10)  # nothing is tried again that would begin later than this
    first_pause: timedelta = timedelta(milliseconds=200)  # doubled each time

    def pause(self, attempt: int, *, elapsed: float, asked: float, chance: float, servers: int = 1) -> float | None:
        """Seconds to wait after this attempt failed; None when it was the last.

        Of several servers each is asked at once, and a pause made when all have failed.

        Args:
            attempt: which one, from 1.
            elapsed: seconds since the first began.
            asked: what the server asks for (Retry-After).
            chance: between 0 and 1, so that many clients do not come back in step.
            servers: how many can be asked in turn.
        """
        rounds, others = divmod(attempt, servers)
        wait = asked + self.first_pause.total_seconds() * 2 ** (rounds - 1) * (0.5 + chance / 2) if not others else 0.0
        is_in_time = elapsed + wait <= self.span.total_seconds()
        return wait if rounds < self.attempts and is_in_time else None


log = logging.getLogger(__name__)

CLOSED = "this memory is closed; open it again with Memory(...)"
# Seconds that a connection is kept: less than servers keep it (uvicorn: 5), lest we write into a closed one.
_IDLE = 3.0
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request."""

    method: str
    path: str
    parameters: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Callable[[], Iterator[bytes]] = b""  # a callable gives it anew for every attempt
    answer: timedelta | None = None  # how long the answer may take; None: as long as patience says
    repeats: bool = True  # whether it does the same when it is sent again after it may have arrived

    def may_be_sent_again(self, failed: Failed) -> bool:
        lost = failed.__cause__
        return failed.may_pass and (
            self.repeats or not isinstance(lost, httpx.HTTPError) or isinstance(lost, _NEVER_SENT)
        )


class Line:
    """One pool of connections. Safe to use from several threads, and on both sides of a fork."""

    def __init__(self, addresses: Sequence[Address], patience: Patience) -> None:
        self.addresses = tuple(addresses)
        self.address = self.addresses[0]  # of the server that is asked now; the next one takes over when it fails
        self.patience = patience
        self.users: set[object] = set()
        self._client: httpx.Client | None = None
        self._calls = 0  # that have begun
        self._leaving: httpx.Client | None = None  # closed by the last of them
        self._lock = threading.Lock()

    def ask(self, call: Call) -> Any:
        """The JSON of the answer. Sends the call again while that is safe and there is hope and time."""
        return self.exchange(call, lambda response: json_of(self._whole(response, call), self.address))

    def exchange(self, call: Call, take: Callable[[httpx.Response], _T]) -> _T:
        """What `take` makes of the open response to the call; it closes the response, then or later."""
        began = time.monotonic()
        for attempt in count(1):
            address = self.address
            try:
                return self._once(address, call, take)
            except Failed as failed:
                wait = self.patience.pause(
                    attempt,
                    elapsed=time.monotonic() - began,
                    asked=failed.asked,
                    chance=random.random(),
                    servers=len(self.addresses),
                )
                if failed.may_pass:
                    self._turn_from(address)
                if wait is None or not call.may_be_sent_again(failed):
                    raise failed.error from failed.__cause__
                log.warning("attempt %d at %s failed; the next one in %.1f s", attempt, address.url, wait)
            time.sleep(wait)
        raise AssertionError("patience comes to an end")

    def _turn_from(self, address: Address) -> None:
        """Let the next server be asked from now on, by all threads; another one may have seen to it already."""
        with self._lock:
            if address is self.address:
                self.address = self.addresses[(self.addresses.index(address) + 1) % len(self.addresses)]

    def _once(self, address: Address, call: Call, take: Callable[[httpx.Response], _T]) -> _T:
        client = self._begun()
        try:
            return self._sent(client, address, call, take)
        finally:
            self._let_go()

    def _sent(self, client: httpx.Client, address: Address, call: Call, take: Callable[[httpx.Response], _T]) -> _T:
        answer = (call.answer or self.patience.answer).total_seconds()
        try:
            request = client.build_request(
                call.method,
                address.url + call.path,
                params=list(call.parameters) or None,
                headers=dict(call.headers),
                content=call.body() if callable(call.body) else call.body,
                timeout=httpx.Timeout(answer, connect=self.patience.connect.total_seconds()),
            )
        except httpx.InvalidURL as error:  # the names in it were checked, but not how long they are together
            raise InvalidInput("filters", "are too long for one request; give fewer or shorter ones") from error
        try:
            response = client.send(request, stream=True)
            try:
                if response.is_success:
                    return take(response)
                raise failure_of(response.status_code, response.headers, response.read(), address)
            except BaseException:
                response.close()
                raise
        except httpx.HTTPError as error:
            raise _lost(error, address) from error
        except RuntimeError as error:  # so httpx says that its client is closed
            if client.is_closed:
                raise StoreError(CLOSED) from error
            raise

    def _whole(self, response: httpx.Response, call: Call) -> bytes:
        gives_up_at = time.monotonic() + (call.answer or self.patience.answer).total_seconds()
        try:
            body = whole(response.iter_bytes(), gives_up_at)
        except TooLate:
            raise httpx.ReadTimeout("the answer came too slowly") from None
        response.close()
        return body

    def lost(self, error: httpx.HTTPError) -> TruekeepError:
        """What to tell when no answer came, or not all of it."""
        return _lost(error, self.address).error

    def _begun(self) -> httpx.Client:
        """The client, which stays open until `_let_go`."""
        with self._lock:
            if not self.users:
                raise StoreError(CLOSED)
            if self._client is None:
                self._client = _client(self.addresses)
            self._calls += 1
            return self._client

    def _let_go(self) -> None:
        with self._lock:
            self._calls -= 1
            client = None if self._calls else self._leaving
            if client is not None:
                self._leaving = None
        if client is not None:
            client.close()

    def close(self) -> None:
        """Calls that have begun may end: a socket closed under another thread would not even wake it."""
        with self._lock:
            client, self._client = self._client, None
            if client is not None and self._calls:
                self._leaving, client = client, None
        if client is not None:
            client.close()

    def reset_after_fork(self) -> None:
        """In the child: make new connections. Those of the parent stay untouched, and a lock may have been held."""
        self._lock = threading.Lock()
        self._calls = 0
        _inherited.extend(client for client in (self._client, self._leaving) if client is not None)
        self._client = self._leaving = None


_lines: dict[tuple[tuple[Address, ...], Patience], Line] = {}
_lock = threading.Lock()
_inherited: list[httpx.Client] = []  # never closed here: a thread of the parent may have been in the middle of it


def join(addresses: tuple[Address, ...], patience: Patience, user: object) -> Line:
    """The line to these addresses, for one more user."""
    with _lock:
        line = _lines.setdefault((addresses, patience), Line(addresses, patience))
        line.users.add(user)
    return line


def leave(line: Line, user: object) -> None:
    """Let go of the line; the last one to do so closes it. Harmless when repeated."""
    with _lock:
        line.users.discard(user)
        is_last = not line.users and _lines.get((line.addresses, line.patience)) is line
        if is_last:
            del _lines[line.addresses, line.patience]
    if is_last:
        line.close()


def _client(addresses: Sequence[Address]) -> httpx.Client:
    headers = {"User-Agent": f"truekeep/{__version__}"}
    if (key := addresses[0].key) is not None:
        headers["Authorization"] = f"Bearer {key}"
    # Loading the certificates of all authorities takes longer than most calls; plain HTTP needs none.
    is_secure = any(address.url.startswith("https:") for address in addresses)
    verify = True if is_secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    is_here = all(address.is_on_this_machine for address in addresses)  # no proxy of the environment leads back here
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=_IDLE)
    try:
        return httpx.Client(headers=headers, verify=verify, trust_env=not is_here, limits=limits)
    except ImportError as error:
        raise ConfigurationError("the proxy of ALL_PROXY or HTTP(S)_PROXY needs: pip install 'httpx[socks]'") from error
    except OSError as error:  # also what is in the file, which is an SSLError
        raise ConfigurationError("no certificates can be read where SSL_CERT_FILE or SSL_CERT_DIR says") from error
    except (ValueError, httpx.InvalidURL) as error:  # not quoted: it may hold a password
        raise ConfigurationError("ALL_PROXY or HTTP(S)_PROXY is not the address of a proxy") from error


def _lost(error: httpx.HTTPError, address: Address) -> Failed:
    if (certificate := certificate_problem(error)) is not None:
        problem = f"the certificate of {address.url} is not trusted: {certificate}"
        return Failed(ConfigurationError(problem), may_pass=False)
    if isinstance(error, _NEVER_SENT):
        problem = f"no server can be reached at {address.url} ({_reason(error)})"
    elif isinstance(error, httpx.TimeoutException):
        problem = f"the server at {address.url} did not answer in time"
    else:
        problem = f"the connection to {address.url} broke off ({_reason(error)})"
    may_pass = isinstance(error, httpx.TransportError)
    return Failed(StoreError(problem, retryable=may_pass), may_pass=may_pass)


def _reason(error: BaseException) -> str:
    """In the words of the system, where it was the one to fail: which name it does not know, who refuses."""
    said: BaseException | None = error
    while said is not None:
        if isinstance(said, OSError) and (words := said.strerror):
            return words
        said = said.__cause__ or said.__context__
    return type(error).__name__


def certificate_problem(error: BaseException | None) -> str | None:
    """What is wrong with a certificate, where that is why it failed."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error.verify_message
        error = error.__cause__ or error.__context__
    return None


def _reset_after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for line in _lines.values():
        line.reset_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_reset_after_fork)
