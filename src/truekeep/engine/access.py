"""Access keys: how one is made, and what it allows. Pure, but for the randomness of a new secret."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import get_args

from truekeep.errors import InvalidInput
from truekeep.model import AccessKey, Quotas, Scope
from truekeep.model.items import is_over

from . import admit
from .ids import new_id

PREFIX = "tk_"
SCOPES: tuple[Scope, ...] = get_args(Scope)
OWN: tuple[Scope, ...] = tuple(scope for scope in SCOPES if scope != "metrics")  # of a tenant: what is its own
_PATTERNS = 64


def new_secret() -> str:
    """What the holder of a key sends: 256 random bits, shown once."""
    return PREFIX + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """What the store keeps of a secret. So much randomness needs no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def new_key(
    *,
    tenant: str | None,
    name: str,
    scopes: Collection[str] | None = None,
    spaces: Collection[str] = (),
    operator: bool = False,
    quotas: Quotas | None = None,
    expires: datetime | None = None,
    now: datetime,
    limits: admit.Limits,
) -> AccessKey:
    """A key with every argument checked; without a tenant it opens a new one, named after the key."""
    id = new_id(now)
    return AccessKey(
        id=id,
        tenant=f"t-{id}" if tenant is None else admit.name(tenant, "tenant", limits),
        name=admit.name(name, "name", limits),
        scopes=(SCOPES if operator else OWN) if scopes is None else _scopes(scopes),
        spaces=patterns(spaces, limits),
        operator=operator,
        quotas=quotas or Quotas(),
        created=now,
        expires=_expiry(expires, now),
    )


def changed(
    key: AccessKey,
    *,
    name: str | None = None,
    scopes: Collection[str] | None = None,
    spaces: Collection[str] | None = None,
    quotas: Quotas | None = None,
    expires: datetime | None = None,
    now: datetime,
    limits: admit.Limits,
) -> AccessKey:
    """The key with what is given changed, each checked as for a new one."""
    return replace(
        key,
        name=key.name if name is None else admit.name(name, "name", limits),
        scopes=key.scopes if scopes is None else _scopes(scopes),
        spaces=key.spaces if spaces is None else patterns(spaces, limits),
        quotas=quotas or key.quotas,
        expires=key.expires if expires is None else _expiry(expires, now),
    )


def former(key: AccessKey, *, grace: timedelta, now: datetime) -> AccessKey:
    """The key as which the secret before a rotation goes on for a while: one that can be seen, and revoked."""
    ends = now + grace if key.expires is None else min(key.expires, now + grace)
    return replace(key, id=new_id(now), name=f"{key.name} (former)", expires=ends, created=now, last_used=None)


def _scopes(given: Collection[str]) -> tuple[Scope, ...]:
    unknown = [scope for scope in given if scope not in SCOPES]
    if unknown or not given or isinstance(given, str):
        raise InvalidInput("scopes", f"must be some of {', '.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in given)


def patterns(given: Collection[str], limits: admit.Limits) -> tuple[str, ...]:
    if isinstance(given, str) or len(given) > _PATTERNS:
        raise InvalidInput("spaces", f"must be a list of at most {_PATTERNS} patterns, such as ['team-*']")
    return tuple(dict.fromkeys(admit.name(pattern, "spaces", limits) for pattern in given))


def _expiry(given: datetime | None, now: datetime) -> datetime | None:
    expires = admit.moment(given, "expires")
    if is_over(expires, now):
        raise InvalidInput("expires", "is in the past")
    return expires


def is_valid(key: AccessKey, now: datetime) -> bool:
    return not is_over(key.expires, now)


def covers(key: AccessKey, space: str) -> bool:
    """Whether the key may enter this space."""
    return among(key.spaces, space)


def among(patterns: Collection[str], space: str) -> bool:
    """Whether a space is one of those; `*` stands for anything, and no pattern for every space."""
    return not patterns or any(fnmatchcase(space, pattern) for pattern in patterns)
