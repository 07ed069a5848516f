"""What a browser sends: forms, the fields of a query, the cookie of a session; and whether a page of ours sent it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import Request

from truekeep.errors import InvalidInput
from truekeep.model import HIDDEN, SpaceId
from truekeep.ports import Values
from truekeep.server.bodies import raw
from truekeep.server.problems import Forbidden, Refused, WrongMediaType

_MOST_BYTES = 1024 * 1024  # of a form: the longest text, percent-encoded, and room to spare
_MOST_FIELDS = 2_000
_FILTERS = ("kind", "tag", "session", "speaker", "since", "until", "trust", "superseded")
ASKED = (*_FILTERS, "query", "limit", "tokens")
COOKIE = "truekeep_console"
LASTS = timedelta(hours=12)
_NAMED = struct.Struct(">32sQ16s")  # the digest of a key, when the session ends in seconds since 1970, its id
_ENDED = SpaceId(f"{HIDDEN}console", f"{HIDDEN}ended")  # a value for each; nobody's key can name it
_SIGNATURE = hashlib.sha256().digest_size


class Fields:
    """Named texts, several under one name if need be. A field that is empty or blank was not filled in."""

    def __init__(self, encoded: str) -> None:
        try:
            self._pairs = parse_qsl(encoded, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError as error:
            raise Refused("the form has too many fields") from error

    def all(self, name: str) -> list[str]:
        return [value for found, value in self._pairs if found == name and value.strip()]

    def text(self, name: str) -> str | None:
        found = self.all(name)
        return found[0] if found else None

    def needed(self, name: str) -> str:
        if (found := self.text(name)) is None:
            raise InvalidInput(name, "is missing; fill it in")
        return found

    def words(self, name: str) -> list[str]:
        """A list written with commas."""
        return [word.strip() for word in (self.text(name) or "").split(",") if word.strip()]

    def number(self, name: str, default: int, most: int) -> int:
        found = self.text(name) or str(default)
        if not (found.isascii() and found.isdecimal() and 1 <= int(found[:12]) <= most):
            raise InvalidInput(name, f"must be a whole number from 1 to {most:,}")
        return int(found)

    def time(self, name: str) -> datetime | None:
        """A day, or a day and a time, of UTC."""
        if (found := self.text(name)) is None:
            return None
        try:
            return datetime.fromisoformat(found).replace(tzinfo=UTC)
        except ValueError as error:
            raise InvalidInput(name, "must be a date, such as 2026-01-31") from error

    def filters(self) -> dict[str, Any]:
        """Those of `recall`, as the form of a space names them."""
        given = {
            "kinds": self.all("kind"),
            "tags": self.words("tag"),
            "session": self.text("session"),
            "speaker": self.text("speaker"),
            "since": self.time("since"),
            "until": self.time("until"),
            "min_trust": self.text("trust"),
            "include_superseded": self.text("superseded") is not None,
        }
        return {name: value for name, value in given.items() if value}

    def shown(self) -> dict[str, str]:
        """The filters as they were filled in, to fill them in again."""
        return {name: found for name in _FILTERS if (found := self.text(name)) is not None}

    def again(self, names: Sequence[str] = ASKED, **more: str) -> str:
        """These fields as a query, with others beside them."""
        return urlencode([*((name, value) for name in names for value in self.all(name)), *more.items()])


def asked(request: Request) -> Fields:
    """The fields of the address."""
    return Fields(request.url.query)


async def sent(request: Request, *, most: int = _MOST_BYTES) -> Fields:
    """The fields of a form that was sent from one of our own pages."""
    refuse_strangers(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise WrongMediaType("a form must be application/x-www-form-urlencoded")
    try:
        return Fields((await raw(request, most)).decode())
    except UnicodeDecodeError as error:
        raise Refused("the form is not UTF-8") from error


def refuse_strangers(request: Request) -> None:
    """Browsers say where a form comes from, and no page can make them lie. The token in the form is the second lock."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin", "")
    is_ours = site == "same-origin" if site else urlsplit(origin).netloc == request.headers.get("host", "")
    if not is_ours or not (site or origin):
        raise Forbidden("this form was not sent from a page of this console")


class Sessions:
    """Begins sessions and tells those that it, or another one with the same secret, began.

    The cookie names a key by its digest, signed and short-lived. Nothing is kept on the server but which sessions
    were ended before their time, and that in the store, so any worker knows any session. The key itself is looked
    up at each request: one that was revoked, rotated or has expired ends its sessions at once. The cookie does not
    hold the key and is no use for the API; without the secret, which is in no file, the digests in a stolen copy of
    the store make no session.
    """

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
