"""Sessions of the console: a cookie that names a key by its digest, signed and short-lived.

Nothing is kept on the server, so any worker knows any session. The key itself is looked up at each request: one that
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

COOKIE = "truekeep_console"
LASTS = timedelta(hours=12)
_NAMED = struct.Struct(">32sQ")  # the digest of a key, and when the session ends in seconds since 1970
_SIGNATURE = hashlib.sha256().digest_size


class Sessions:
    """Begins sessions and tells those that it, or another one with the same secret, began."""

    def __init__(self, secret: str | None = None) -> None:
        self._secret = hashlib.sha256((secret or secrets.token_urlsafe(32)).encode()).digest()

    def begin(self, digest: bytes, now: datetime) -> str:
        """The cookie of a new session for the key with this digest."""
        named = _NAMED.pack(digest, int((now + LASTS).timestamp()))
        return base64.urlsafe_b64encode(named + self._signature(b"session", named)).decode()

    def digest_in(self, cookie: str | None, now: datetime) -> bytes | None:
        """The digest of the key that a cookie names; None when it is not ours, or over."""
        try:
            given = base64.b64decode((cookie or "").encode("ascii"), altchars=b"-_", validate=True)
        except (UnicodeEncodeError, binascii.Error):
            return None
        if len(given) != _NAMED.size + _SIGNATURE:
            return None
        named, signature = given[: _NAMED.size], given[_NAMED.size :]
        if not hmac.compare_digest(signature, self._signature(b"session", named)):
            return None
        digest, ends = _NAMED.unpack(named)
        return digest if now.timestamp() < ends else None

    def token(self, cookie: str | None) -> str:
        """What a form of this session carries, so that no other page can send it."""
        return self._signature(b"form", (cookie or "").encode("utf-8", "surrogateescape")).hex()

    def is_token(self, given: str | None, cookie: str | None) -> bool:
        return hmac.compare_digest((given or "").encode("utf-8", "surrogateescape"), self.token(cookie).encode())

    def _signature(self, purpose: bytes, text: bytes) -> bytes:
        return hmac.digest(self._secret, purpose + b"\x00" + text, "sha256")
