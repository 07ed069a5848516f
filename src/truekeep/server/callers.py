"""Who is calling: the key that a request carries, and what it allows; the operator's own keys, which settings name.

And strangers: which addresses keep trying wrong keys.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from truekeep.assembly import LOCAL_TENANT
from truekeep.engine import access
from truekeep.engine.parts import Clock
from truekeep.errors import ConfigurationError
from truekeep.model import AccessKey, Quotas, Scope
from truekeep.ports import Store

from . import logs
from .problems import Forbidden, TooManyTries, Unauthorized
from .settings import SHORTEST_KEY, ServerSettings

_NO_KEY = (
    "an access key is needed: send it as 'Authorization: Bearer tk_...' or 'X-API-Key: tk_...'; "
    "the operator makes one with 'truekeep keys create'"
)
_WRONG_KEY = "this access key is unknown, expired or revoked; the operator makes another with 'truekeep keys create'"
_NO_KEYS_HERE = (
    "this server has no access keys, so this one is of another; leave it out, "
    "or let the operator make one here with 'truekeep keys create'"
)
_BIRTH = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
_REMEMBERED = 10_000  # keys, and addresses: whoever has more of either makes us forget, not grow
_LATELY = 60.0  # seconds
log = logging.getLogger(__name__)


def credential(headers: Mapping[str, str]) -> str | None:
    """The secret that a request carries: a bearer token, X-API-Key, or the password of HTTP Basic."""
    if given := headers.get("x-api-key"):
        return given
    scheme, _, rest = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    if scheme.lower() == "basic":
        try:
            user, _, password = base64.b64decode(rest.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return ""
        return password or user
    return None


class Callers:
    """Tells keys apart. Asks the store each time: a key that was revoked anywhere is refused on the next request."""

    def __init__(self, store: Store, settings: ServerSettings, clock: Clock) -> None:
        self._store = store
        self._strangers = Strangers(settings.wrong_keys)
        self._loopback = settings.is_loopback
        self._clock = clock
        self.has_operators_key = settings.has_operators_key  # it needs no store, and cannot be revoked
        self.default_quotas = settings.quotas.quotas()
        self._operators = OperatorsKeys(settings)
        self._operator = AccessKey(
            id="operator",
            tenant=LOCAL_TENANT,
            name="operator",
            scopes=access.SCOPES,
            operator=True,
            quotas=self.default_quotas,
            created=_BIRTH,
        )
        self._used: dict[str, datetime] = {}
        self._lock = threading.Lock()

    def is_open(self) -> bool:
        """Whether no key is configured, nor ever was: then everybody on this machine is the tenant `local`.

        Never on another address than loopback.
        """
        return self._loopback and not self.has_operators_key and not self._store.is_closed()

    def is_known(self, digest: bytes | None) -> bool:
        """Whether it was let in a moment ago. Asks nobody: for what comes before `behind`, never instead of it."""
        if self._strangers.knows(digest):
            logs.note(**self._strangers.whose(digest))
            return True
        return False

    def who(self, secret: str | None, address: str | None = None) -> AccessKey:
        """The key behind a secret, or Unauthorized."""
        return self.behind(digest_of(secret), address)

    def behind(self, digest: bytes | None, address: str | None = None) -> AccessKey:
        """The key behind the digest of a secret, or Unauthorized; TooManyTries if the address sent too many others."""
        if digest is not None:
            self._strangers.refuse(address, digest)
        key = self._found(digest, address)
        self._strangers.came_in(digest, tenant=key.tenant, key=key.id)
        logs.note(**self._strangers.whose(digest))
        return key

    def _found(self, digest: bytes | None, address: str | None) -> AccessKey:
        if digest is not None and self._operators.know(digest):
            return self._operator
        now = self._clock()
        # Found by its digest: no secret is compared here. Whoever has one is spared the question whether we are open.
        key = None if digest is None else self._store.access_key(digest)
        if key is not None and access.is_valid(key, now):
            with self._lock:
                self._used[key.id] = now
            return key
        if digest is None:
            if self.is_open():
                return self._operator
            raise Unauthorized(_NO_KEY)
        self._strangers.failed(address, digest)
        # Whoever holds a key means a tenant, and would find the memories of everybody here instead.
        raise Unauthorized(_NO_KEYS_HERE if self.is_open() else _WRONG_KEY)

    def allowed(self, key: AccessKey, scope: Scope, space: str | None) -> None:
        """Whether the key may do this there, or Forbidden."""
        if scope not in key.scopes and not (key.operator and scope == "metrics"):  # theirs may be older than that
            raise Forbidden(f"this key has no scope {scope!r}")
        if space is not None and not access.covers(key, space):
            raise Forbidden("this key does not cover that space")

    def quotas_of(self, key: AccessKey) -> Quotas:
        """Its own, and those of the settings where it has none."""
        own, default = key.quotas, self.default_quotas
        if own == default:
            return own
        names = Quotas.__dataclass_fields__
        return Quotas(**{name: getattr(default if getattr(own, name) is None else own, name) for name in names})

    def flush(self) -> None:
        """Tell the store when keys were last used; a crash may lose that."""
        with self._lock:
            used, self._used = self._used, {}
        if used:
            self._store.note_key_use(used)


def digest_of(secret: str | None) -> bytes | None:
    return access.digest(secret) if secret else None


class OperatorsKeys:
    """Tells them from all others. Needs no store, so that an operator is let in when that is out of order."""

    def __init__(self, settings: ServerSettings) -> None:
        own = settings.admin_key
        self._own = [] if own is None else [access.digest(own.get_secret_value())]
        self._file = settings.admin_key_file
        self._seen: tuple[int, ...] = ()
        self._in_file: list[bytes] = []
        if self._file is not None:
            self._read(self._file)

    def know(self, digest: bytes) -> bool:
        self._look_again()
        return any(hmac.compare_digest(digest, one) for one in (*self._own, *self._in_file))

    def _look_again(self) -> None:
        """A file that cannot be used changes nothing: nobody is locked out by a slip, and the log tells it once."""
        if self._file is None or self._version(self._file) == self._seen:
            return
        try:
            self._read(self._file)
            log.info("the operator's keys were read again: %d", len(self._in_file))
        except ConfigurationError as error:
            log.error("%s; those from before still hold", error)

    def _read(self, file: Path) -> None:
        version = self._version(file)
        try:
            self._in_file = _digests_in(file)
        finally:
            self._seen = version  # last: whoever asks meanwhile reads the file, too, instead of trusting what was

    @staticmethod
    def _version(file: Path) -> tuple[int, ...]:
        try:
            found = file.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino


def _digests_in(file: Path) -> list[bytes]:
    try:
        keys = file.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"admin_key_file cannot be read: {type(error).__name__}") from error
    if not keys or min(map(len, keys)) < SHORTEST_KEY:
        raise ConfigurationError(f"admin_key_file must hold keys of {SHORTEST_KEY} characters or more, one a line")
    return [access.digest(key) for key in keys]


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
