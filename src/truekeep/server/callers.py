"""Who is calling: the key that a request carries, and what it allows; the operator's own keys, which settings name."""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from truekeep.assembly import LOCAL_TENANT
from truekeep.engine import access
from truekeep.engine.parts import Clock
from truekeep.errors import ConfigurationError
from truekeep.model import AccessKey, Quotas, Scope
from truekeep.ports import Store

from . import logs
from .problems import Forbidden, Unauthorized
from .settings import SHORTEST_KEY, ServerSettings
from .strangers import Strangers

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

    def __init__(
        self,
        store: Store,
        *,
        operators: OperatorsKeys,
        loopback: bool,
        quotas: Quotas,
        clock: Clock,
        strangers: Strangers,
    ) -> None:
        self._store = store
        self._strangers = strangers
        self._loopback = loopback
        self._clock = clock
        self.default_quotas = quotas
        self._operators = operators
        self._operator = AccessKey(
            id="operator",
            tenant=LOCAL_TENANT,
            name="operator",
            scopes=access.SCOPES,
            operator=True,
            quotas=quotas,
            created=_BIRTH,
        )
        self._used: dict[str, datetime] = {}
        self._lock = threading.Lock()

    def is_open(self) -> bool:
        """Whether no key is configured, nor ever was: then everybody on this machine is the tenant `local`.

        Never on another address than loopback.
        """
        return self._loopback and not self.has_operators_key and not self._store.is_closed()

    @property
    def has_operators_key(self) -> bool:
        """Whether the settings name one: it needs no store, and cannot be revoked."""
        return self._operators.there_are

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
        return Quotas(**{name: _first(getattr(own, name), getattr(default, name)) for name in names})

    def flush(self) -> None:
        """Tell the store when keys were last used; a crash may lose that."""
        with self._lock:
            used, self._used = self._used, {}
        if used:
            self._store.note_key_use(used)


def digest_of(secret: str | None) -> bytes | None:
    return access.digest(secret) if secret else None


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one


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
        self.there_are = settings.has_operators_key

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
