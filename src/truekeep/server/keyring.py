"""The keys that a caller may make, see, replace and revoke: the operator's reach all tenants, others their own.

And what the operator sees of tenants, and does to them: names and figures, never contents.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from truekeep.assembly import LOCAL_TENANT
from truekeep.engine import access, tenants
from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.model import AccessKey, Quotas, Scope, Tenant

from .callers import Callers
from .desk import Caller
from .problems import Forbidden
from .schemas import Body, Name, Number, Quota, Several, Time, example


class QuotasBody(Body):
    """What a key may do; unset: what the server's settings say."""

    operations_per_month: Quota | None = None
    recalls_per_month: Quota | None = None
    memories: Quota | None = None
    writes_per_day: Quota | None = None
    bytes_per_space: Quota | None = None


class KeyBody(Body, json_schema_extra=example({"name": "support-bot", "scopes": ["read", "write"]})):
    """A key to make."""

    name: Name
    tenant: Name | None = Field(
        None, description="whose it is; the operator alone may say so, and without it opens one"
    )
    scopes: Several[Scope] | None = Field(
        None, min_length=1, description="default: read and write; admin too if the operator makes it"
    )
    spaces: Several[Name] = Field([], max_length=64, description="patterns such as 'team-*'; none: every space")
    expires: Time | None = None
    quotas: QuotasBody | None = None


class KeyChangesBody(Body, json_schema_extra=example({"quotas": {"recalls_per_month": 10_000}})):
    """What to change in a key; what is not given stays, and a quota that is null falls back to the settings."""

    name: Name | None = None
    scopes: Several[Scope] | None = Field(None, min_length=1)
    spaces: Several[Name] | None = Field(None, max_length=64, description="patterns; an empty list: every space")
    expires: Time | None = None
    quotas: QuotasBody | None = None


class RotateBody(Body, json_schema_extra=example({"grace": 3600})):
    """How to rotate a key; it need not be sent."""

    grace: Number = Field(0, ge=0, le=30 * 86_400, description="seconds for which the former secret works as well")


Rotation = Annotated[RotateBody, lambda text: RotateBody.model_validate_json(text or b"{}", strict=True)]


class TenantChangesBody(Body, json_schema_extra=example({"quotas": {"memories": 100_000}})):
    """What to change for all keys of a tenant; a quota that is not given stays, and null takes it away."""

    quotas: QuotasBody


def made(caller: Caller, body: KeyBody) -> tuple[AccessKey, str]:
    """A new key that may do what was asked for, as far as its maker may, and its secret."""
    key = access.new_key(
        tenant=_tenant(caller, body.tenant),
        name=body.name,
        scopes=_granted(caller, body.scopes),
        spaces=within(caller, body.spaces),
        quotas=_quotas(caller, body.quotas),
        expires=_no_later(caller, body.expires),
        now=caller.desk.clock(),
        limits=caller.desk.opened.limits,
    )
    secret = access.new_secret()
    caller.desk.store.add_access_key(key, access.digest(secret))
    return key, secret


def _tenant(caller: Caller, asked: str | None) -> str | None:
    if caller.key.operator:
        # The first key of an open server closes it: whoever makes it keeps what they have.
        return LOCAL_TENANT if asked is None and caller.desk.callers.is_open() else asked
    if asked not in (None, caller.tenant):
        raise Forbidden("only the operator makes keys for other tenants")
    return caller.tenant


def _granted(caller: Caller, asked: list[Any] | None) -> list[Any]:
    """Nobody hands on what they do not have, and nobody but the operator the making of keys without saying so."""
    own = caller.key
    if asked is None:
        asked = [scope for scope in own.scopes if scope != "metrics" and (own.operator or scope != "admin")]
    if not asked:
        raise InvalidInput("scopes", "must be named, since this key has neither read nor write to hand on")
    if missing := [scope for scope in asked if scope not in own.scopes]:
        raise Forbidden(f"this key has no scope {missing[0]!r} to hand on")
    return asked


def within(caller: Caller, asked: list[str]) -> list[str]:
    own = list(caller.key.spaces)
    if not own or not set(asked) - set(own):
        return asked or own
    raise Forbidden("this key is limited to some spaces and can only hand on their patterns as they are")


def _quotas(caller: Caller, asked: QuotasBody | None) -> Quotas:
    """Those asked for, but never more than holds for the maker of the key, by its own quotas or by the settings."""
    given = Quotas() if asked is None else Quotas(**asked.model_dump())
    if caller.key.operator:
        return given
    own, holds = caller.key.quotas, caller.desk.callers.quotas_of(caller.key)
    return Quotas(
        **{
            name: getattr(own, name) if limit is None else _less(limit, getattr(holds, name))
            for name, limit in asdict(given).items()
        }
    )


def _less(limit: int, most: int | None) -> int:
    return limit if most is None else min(limit, most)


def _no_later(caller: Caller, expires: datetime | None) -> datetime | None:
    """A key does not outlive the one that made it."""
    own = caller.key.expires
    return own if own is not None and (expires is None or expires > own) else expires


def listed(caller: Caller) -> list[AccessKey]:
    """The keys that the caller may know of: one that is limited to some spaces sees those limited to the same."""
    caller.desk.callers.flush()
    found = caller.desk.store.access_keys(_reach(caller))
    return [key for key in found if _is_within(caller.key, key)]


def rotated(caller: Caller, id: str, grace: float = 0) -> tuple[AccessKey, str]:
    """The key with another secret, and that. For so many seconds the former one works as well."""
    _reachable(caller, id)
    secret, now = access.new_secret(), caller.desk.clock()
    former = partial(access.former, grace=timedelta(seconds=grace), now=now) if grace else None
    key = caller.desk.store.rotate_access_key(_reach(caller), id, access.digest(secret), former=former)
    if key is None:
        raise NotFound(f"no key {id!r}")
    return key, secret


def updated(caller: Caller, id: str, body: KeyChangesBody) -> AccessKey:
    """The key as the body wants it, as far as the caller may."""
    _reachable(caller, id)
    change = partial(_changed, caller, body)
    key = caller.desk.store.update_access_key(_reach(caller), id, change)
    if key is None:
        raise NotFound(f"no key {id!r}")
    return key


def _changed(caller: Caller, body: KeyChangesBody, key: AccessKey) -> AccessKey:
    """What is not given stays; of quotas, too, and null takes one away."""
    quotas = None
    if body.quotas is not None:
        quotas = _quotas(caller, QuotasBody(**{**asdict(key.quotas), **body.quotas.given()}))
    return access.changed(
        key,
        name=body.name,
        scopes=None if body.scopes is None else _granted(caller, body.scopes),
        spaces=None if body.spaces is None else within(caller, body.spaces),
        quotas=quotas,
        expires=None if body.expires is None else _no_later(caller, body.expires),
        now=caller.desk.clock(),
        limits=caller.desk.opened.limits,
    )


def remove(caller: Caller, id: str) -> None:
    _reachable(caller, id)
    store, callers = caller.desk.store, caller.desk.callers
    if not callers.has_operators_key and len(store.access_keys(None)) == 1:
        raise Conflict("this is the last key, and nobody could make another one here; use 'truekeep keys' on the store")
    if not caller.desk.store.remove_access_key(_reach(caller), id):
        raise NotFound(f"no key {id!r}")


def _reach(caller: Caller) -> str | None:
    return None if caller.key.operator else caller.tenant


def _reachable(caller: Caller, id: str) -> None:
    """Nobody takes over a key that may do more, or for longer: a tenant's that of an operator, a small one a large."""
    found = next((key for key in caller.desk.store.access_keys(_reach(caller)) if key.id == id), None)
    if found is None:
        raise NotFound(f"no key {id!r}")
    own = caller.key
    if own.operator:
        return
    has_more = found.operator or set(found.scopes) - set(own.scopes) or not _is_within(own, found)
    if has_more or _outlives(found, own) or _uses_more(caller.desk.callers, found, own):
        raise Forbidden("that key may do more than this one")


def _is_within(own: AccessKey, other: AccessKey) -> bool:
    """Whether the other one is limited to spaces of this one."""
    return not own.spaces or (bool(other.spaces) and set(other.spaces) <= set(own.spaces))


def _outlives(one: AccessKey, other: AccessKey) -> bool:
    return other.expires is not None and (one.expires is None or one.expires > other.expires)


def _uses_more(callers: Callers, one: AccessKey, other: AccessKey) -> bool:
    """Whether any quota of the first is larger."""
    most = asdict(callers.quotas_of(other))
    found = asdict(callers.quotas_of(one))
    return any(limit is not None and (found[name] is None or found[name] > limit) for name, limit in most.items())


def for_operators(caller: Caller) -> None:
    if not caller.key.operator:
        raise Forbidden("only the operator may do this")


def tenants_of(caller: Caller) -> list[str]:
    """Of all of them, sorted. What this process counted is told to the store first."""
    for_operators(caller)
    caller.desk.flush()
    return caller.desk.store.tenants()


def figures(caller: Caller, name: str) -> Tenant:
    desk = caller.desk
    return tenants.figures(desk.store, name, now=desk.clock(), default=desk.callers.default_quotas)


def known(caller: Caller, name: str) -> None:
    """See that the operator asks, and that there is such a tenant."""
    if name not in tenants_of(caller):
        raise NotFound(f"no tenant {name!r}")
