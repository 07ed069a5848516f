"""Strangers: who came with a good key lately, and which addresses keep trying wrong ones."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

from .problems import TooManyTries

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
_REMEMBERED = 10_000  # keys, and addresses: whoever has more of either makes us forget, not grow
_LATELY = 60.0  # seconds


class Strangers:
    """Tells those whom one process knows from those whom it does not. Judges no key: it only spares the effort."""

    def __init__(self, tries: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pause = _LATELY / tries  # between wrong keys, of an address that tries all the time
        self._known: OrderedDict[bytes | None, tuple[float, dict[str, str]]] = OrderedDict()  # by digest
        self._busy: OrderedDict[str, float] = OrderedDict()  # by address: until when its wrong keys occupy it
        self._lock = threading.Lock()

    def knows(self, digest: bytes | None) -> bool:
        """Whether this key, or none, was good within the last minute."""
        with self._lock:
            return digest in self._known and self._clock() - self._known[digest][0] < _LATELY

    def whose(self, digest: bytes | None) -> dict[str, str]:
        """What was told of this key when it was last good, for the log."""
        with self._lock:
            return self._known[digest][1] if digest in self._known else {}

    def refuse(self, address: str | None, digest: bytes) -> None:
        """Turn away an unknown key from an address that tried too many: nobody else there is held up by it."""
        if address is None or self.knows(digest):
            return
        with self._lock:
            wait = self._busy.get(_network(address), 0.0) - self._clock() - _LATELY + self._pause
        if wait > 0:
            raise TooManyTries("too many wrong keys came from this address; wait a little", int(wait) + 1)

    def came_in(self, digest: bytes | None, **whose: str) -> None:
        with self._lock:
            _put(self._known, digest, (self._clock(), whose))

    def failed(self, address: str | None, digest: bytes) -> None:
        """The key was wrong."""
        with self._lock:
            self._known.pop(digest, None)
            if address is not None:
                network, now = _network(address), self._clock()
                _put(self._busy, network, max(now, self._busy.get(network, now)) + self._pause)


def _put(book: OrderedDict[_K, _V], name: _K, value: _V) -> None:
    book[name] = value
    book.move_to_end(name)
    if len(book) > _REMEMBERED:
        book.popitem(last=False)


def _network(address: str) -> str:
    """Who has one IPv6 address has 2**64 of them."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:  # a test, or a socket of another kind
        return address
    return address if found.version == 4 else str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
