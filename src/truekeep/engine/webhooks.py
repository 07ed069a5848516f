"""Webhooks: readers of the feed whom a server tells by itself, at an address, until they have taken it.

All that is known of one is a value in the tenant's own space, and changes in one step.
"""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal, cast

from truekeep import wire
from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.model import JSON, Delivery, SpaceId, Value, Webhook
from truekeep.ports import Store

from . import access, admit
from .ids import new_id
from .verbs.feed import Feeds

MOST_WEBHOOKS = 20  # of a tenant
PREFIX = "whsec_"  # of a secret, as standardwebhooks.com has it and the libraries that verify
_KEY = "webhook:"
_URL = re.compile(r"https?://[!-~]{1,1990}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """All that is known of a webhook. What waits is not told by the feed again: its positions are past it."""

    id: str
    url: str
    spaces: tuple[str, ...]
    secret: str
    key: str  # id of the one that added it; empty: whoever has the store
    created: datetime
    positions: Mapping[str, int]
    state: Literal["active", "stopped"] = "active"
    waiting: tuple[Delivery, ...] = ()  # the first one is sent until it is taken or given up
    dead: tuple[Delivery, ...] = ()  # given up, the oldest first
    holder: str = ""  # who is sending
    until: datetime | None = None  # so long nobody else does
    delivered: int = 0
    failed: int = 0
    last: datetime | None = None
    error: str = ""


def everywhere(store: Store) -> list[tuple[str, str]]:
    """Tenants, and the ids of their webhooks. One question, however many tenants there are."""
    return [(tenant, key.removeprefix(_KEY)) for tenant, key in store.own_keys(_KEY)]


@dataclass(frozen=True, slots=True)
class Webhooks:
    """Those of a tenant, as somebody may use them who is limited to spaces with such names."""

    store: Store
    tenant: str
    within: Collection[str] = ()

    def add(
        self,
        url: str,
        *,
        spaces: Collection[str] = (),
        secret: str | None = None,
        from_start: bool = False,
        key: str = "",
        now: datetime,
        limits: admit.Limits,
    ) -> tuple[Webhook, str]:
        """A new one, and its secret. It is told what changes from now on, or also what there is."""
        kept = Kept(
            id=new_id(now),
            url=_address(url),
            spaces=access.patterns(spaces, limits),
            secret=_new_secret() if secret is None else _given(secret),
            key=key,
            created=now,
            positions={},
        )
        if not from_start:
            kept = replace(kept, positions={name: head.seq for name, head in self.feeds(kept).heads().items()})
        if len(self.ids(now)) >= MOST_WEBHOOKS:
            raise Conflict(f"there are {MOST_WEBHOOKS} webhooks already; drop one that nobody needs")
        self._put(kept.id, lambda _: kept, now)
        return self._told_of(kept), kept.secret

    def listed(self, now: datetime) -> list[Webhook]:
        """Oldest first."""
        found = (self.kept(id, now) for id in self.ids(now))
        return [self._told_of(one) for one in found if one is not None and self._is_mine(one)]

    def drop(self, id: str, *, now: datetime) -> None:
        """Tell it nothing any more."""
        self.mine(id, now)
        self._put(id, lambda _: None, now)

    def dead(self, id: str, *, now: datetime) -> tuple[Delivery, ...]:
        """What was given up, the oldest first."""
        return self.mine(id, now).dead

    def retry(self, id: str, deliveries: Collection[str] | None = None, *, now: datetime) -> int:
        """Send again what was given up, all of it or these, and at once what waits; how many were given up.

        One that was stopped goes on.
        """
        given_up = {one.id for one in self.mine(id, now).dead}
        wanted = given_up if deliveries is None else set(deliveries)
        if unknown := wanted - given_up:
            raise NotFound(f"no delivery {min(unknown)!r} was given up")

        def edit(kept: Kept) -> Kept:
            again = [one for one in kept.dead if one.id in wanted]
            waiting = [replace(one, attempts=0, due=None) for one in (*kept.waiting, *again)]
            left = [one for one in kept.dead if one.id not in wanted]
            return replace(kept, state="active", waiting=tuple(waiting), dead=tuple(left))

        self.edit(id, edit, now)
        return len(wanted)

    def ids(self, now: datetime) -> list[str]:
        """Oldest first."""
        keys = self.store.keys(SpaceId.own(self.tenant), now=now)
        return [key.removeprefix(_KEY) for key in keys if key.startswith(_KEY)]

    def kept(self, id: str, now: datetime) -> Kept | None:
        value = self.store.value(SpaceId.own(self.tenant), _KEY + id, now=now)
        return None if value is None else _read(value)

    def mine(self, id: str, now: datetime) -> Kept:
        kept = self.kept(id, now)
        if kept is None or not self._is_mine(kept):
            raise NotFound(f"no webhook {id!r}")
        return kept

    def edit(self, id: str, edit: Callable[[Kept], Kept], now: datetime) -> bool:
        """Keep it as `edit` makes it; whether it is still there."""
        return self._put(id, lambda kept: None if kept is None else edit(kept), now)

    def feeds(self, kept: Kept) -> Feeds:
        return Feeds(self.store, self.tenant, partial(access.among, kept.spaces))

    def _put(self, id: str, edit: Callable[[Kept | None], Kept | None], now: datetime) -> bool:
        def put(present: Value | None) -> JSON:
            made = edit(None if present is None else _read(present))
            return None if made is None else cast(JSON, wire.record(made))

        own = SpaceId.own(self.tenant)
        return self.store.edit_value(own, _KEY + id, put, now=now, ttl=None, charge=None) is not None

    def _is_mine(self, kept: Kept) -> bool:
        return not self.within or (bool(kept.spaces) and set(kept.spaces) <= set(self.within))

    def _told_of(self, kept: Kept) -> Webhook:
        moved = {name for name, head in self.feeds(kept).heads().items() if head.seq != kept.positions.get(name, 0)}
        return Webhook(
            id=kept.id,
            url=kept.url,
            spaces=kept.spaces,
            state=kept.state,
            behind=len(moved.union(*(one.upto for one in kept.waiting))),
            delivered=kept.delivered,
            failed=kept.failed,
            dead=len(kept.dead),
            last=kept.last,
            due=kept.waiting[0].due if kept.waiting else None,
            error=kept.error,
            created=kept.created,
        )


def _read(value: Value) -> Kept:
    return wire.reader(Kept)(cast(wire.Record, value.value))


def _address(url: str) -> str:
    """Where it leads is for the server to judge, which knows what its operator allows."""
    if not _URL.fullmatch(url) or any(sign in url for sign in "\\@#"):
        raise InvalidInput("url", "must be an address such as https://example.org/hook, without a user or a fragment")
    return url


def _new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def _given(secret: str) -> str:
    try:
        size = len(base64.b64decode(secret.removeprefix(PREFIX), validate=True))
    except (binascii.Error, ValueError):
        size = 0
    if not secret.startswith(PREFIX) or not 24 <= size <= 64:
        raise InvalidInput("secret", f"must be {PREFIX} and 24 to 64 random bytes in base64; without it one is made")
    return secret
