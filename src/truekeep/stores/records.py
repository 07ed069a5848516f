"""How every store writes what it keeps: moments as numbers, statements as fingerprints, JSON as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from truekeep.model import JSON, SpaceId

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
REVOKED = ("keys", "revoked", "ever")  # counted in the usage of a tenant: whether there was a key, for good
HIDDEN = "\x7f"  # no name that somebody gives begins with a control character


def day_of(time: datetime) -> str:
    """The day of UTC, such as "2026-11-15"."""
    return time.astimezone(UTC).date().isoformat()


def microseconds(time: datetime) -> int:
    return (time - EPOCH) // MICROSECOND


def moment(microseconds: int) -> datetime:
    seconds, rest = divmod(microseconds, 1_000_000)
    return EPOCH + timedelta(0, seconds, rest)


to_json: Callable[[JSON], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def fingerprint(secret: bytes, space: SpaceId, statement: str) -> bytes:
    """Recognises a statement without keeping it. Depends on the space, so equal ones cannot be told across spaces."""
    message = "\0".join((space.tenant, space.name, statement))
    return blake2b(message.encode("utf-8", "surrogatepass"), key=secret, digest_size=16).digest()


def hidden_name(secret: bytes, space: SpaceId) -> str:
    """What an erased space is called: known again when somebody uses the name, and not to be read from the files."""
    return HIDDEN + fingerprint(secret, space, "").hex()
