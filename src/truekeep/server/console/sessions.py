"""Sessions of the console: a cookie that names a key by its digest, signed and short-lived.

Nothing is kept on the server but which sessions were ended before their time, and that in the store, so any worker
knows any session. The key itself is looked up at each request: one that
was revoked, rotated or has expired ends its sessions at once. The cookie does not hold the key and is no use for the
API; without the secret, which is in no file, the digests in a stolen copy of the store make no session.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from datetime import datetime, timedelta

from truekeep.model import HIDDEN, SpaceId
from truekeep.ports import Values

COOKIE = "truekeep_console"
LASTS = timedelta(hours=12)
_NAMED = struct.Struct(">32sQ16s")  # the digest of a key, when the session ends in seconds since 1970, its id
_ENDED = SpaceId(f"{HIDDEN}console", f"{HIDDEN}ended")  # a value for each; nobody's key can name it
_SIGNATURE = hashlib.sha256().digest_size


class Sessions:
    """Begins sessions and tells those that it, or another one with the same secret, began."""

    def __init__(self, secret: str | None = None) -> None:
        self._secret = hashlib.sha256((secret or secrets.token_urlsafe(32)).encode()).digest()

    def begin(self, digest: bytes, now: datetime) -> str:
        """The cookie of a new session for the key with this digest."""
        named = _NAMED.pack(digest, int((now + LASTS).timestamp()), secrets.token_bytes(16))
        return base64.urlsafe_b64encode(named + self._signature(b"session", named)).decode()

    def digest_in(self, cookie: str | None, ended: Values, now: datetime) -> bytes | None:
        """The digest of the key that a cookie names; None when it is not ours, or over."""
        digest, id = self._named(cookie, now)
        return digest if id is not None and ended.value(_ENDED, id, now=now) is None else None

    def end(self, cookie: str | None, ended: Values, now: datetime) -> None:
        """Let nobody in by this cookie again."""
        _, id = self._named(cookie, now)
        if id is not None:
            ended.edit_value(_ENDED, id, lambda _: True, now=now, ttl=LASTS)

    def _named(self, cookie: str | None, now: datetime) -> tuple[bytes | None, str | None]:
        """The digest and the id in a cookie of ours that is not over by itself."""
        try:
            given = base64.b64decode((cookie or "").encode("ascii"), altchars=b"-_", validate=True)
        except (UnicodeEncodeError, binascii.Error):
            return None, None
        if len(given) != _NAMED.size + _SIGNATURE:
            return None, None
        named, signature = given[: _NAMED.size], given[_NAMED.size :]
        if not hmac.compare_digest(signature, self._signature(b"session", named)):
            return None, None
        digest, ends, id = _NAMED.unpack(named)
        return (digest, id.hex()) if now.timestamp() < ends else (None, None)

    def token(self, cookie: str | None) -> str:
        """What a form of this session carries, so that no other page can send it."""
        return self._signature(b"form", (cookie or "").encode("utf-8", "surrogateescape")).hex()

    def is_token(self, given: str | None, cookie: str | None) -> bool:
        return hmac.compare_digest((given or "").encode("utf-8", "surrogateescape"), self.token(cookie).encode())

    def _signature(self, purpose: bytes, text: bytes) -> bytes:
        return hmac.digest(self._secret, purpose + b"\x00" + text, "sha256")
