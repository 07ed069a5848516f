"""Keys, tenants and the audit where they are kept: in a store, or behind its server. Commands need not know which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from truekeep import Limits, NotFound
from truekeep.model import AccessKey, AuditEntry, AuditFilters, AuditPage, Quotas, Tenant, TenantReceipt

from . import options, output

if TYPE_CHECKING:
    from truekeep.engine.verbs.erasure import Erasures
    from truekeep.ports import Store
    from truekeep.remote.operator import Operator, ServedErasures

Record = dict[str, Any]
_PAGE = 1_000


class Keyring(Protocol):
    """Wishes are records by the names of `POST /v1/keys`; a new or rotated key is told with its secret as `key`."""

    def make(self, wish: Record) -> Record: ...

    def listed(self, tenant: str | None) -> list[AccessKey]: ...

    def update(self, id: str, changes: Record) -> AccessKey: ...

    def rotate(self, id: str, grace: timedelta) -> Record: ...

    def revoke(self, id: str) -> bool:
        """Whether it was the last one, as far as that is known."""
        ...

    def tenants(self) -> Iterator[Tenant]: ...

    def limit(self, tenant: str, quotas: Record) -> Tenant: ...

    def erase(self, tenant: str) -> TenantReceipt: ...

    def audit(self, tenant: str | None, filters: AuditFilters, *, limit: int) -> Iterator[AuditEntry]:
        """The latest first. None: the tenant of whoever asks."""
        ...

    def erasures(self, tenant: str | None) -> Erasures | ServedErasures:
        """Of persons. None: of the tenant of the key, or of a store that no server is between."""
        ...


@contextmanager
def keyring(call: options.Operation, *, new: bool = False) -> Iterator[Keyring]:
    """That of the server at this address, or of the store that a server with this file of settings serves."""
    place = place_of(call)
    if options.is_served(place):
        from truekeep.remote.operator import Operator

        with closing(Operator(at=str(place), key=call.key)) as operator:
            yield _Served(operator)
        return
    from truekeep.assembly import open_store

    if not new:
        options.refuse_missing(place)
    with open_store(place) as store:
        yield _Kept(store, _quotas(call.config))


def place_of(call: options.Operation) -> str | None:
    """An argument wins over the file, as for the server itself."""
    if call.config is None:
        return call.at
    from truekeep.server import settings

    return settings.load(call.config, at=call.at).at


def _quotas(config: Path | None) -> Quotas:
    """What holds for keys without quotas of their own, as far as the settings are known here."""
    if config is None:
        return Quotas()
    from truekeep.server import settings

    return settings.load(config).quotas.quotas()


class _Kept:
    """On the store itself."""

    def __init__(self, store: Store, default: Quotas) -> None:
        self._store = store
        self._default = default

    def make(self, wish: Record) -> Record:
        from truekeep.engine import access

        quotas = Quotas(**wish.pop("quotas", {}))
        made = access.new_key(**{"tenant": None, **wish}, quotas=quotas, now=datetime.now(UTC), limits=Limits())
        secret = access.new_secret()
        self._store.add_access_key(made, access.digest(secret))
        return {**output.plain(made), "key": secret}

    def listed(self, tenant: str | None) -> list[AccessKey]:
        return self._store.access_keys(tenant)

    def update(self, id: str, changes: Record) -> AccessKey:
        from truekeep.engine import access

        def change(key: AccessKey) -> AccessKey:
            quotas = replace(key.quotas, **changes.get("quotas", {}))
            return access.changed(key, **{**changes, "quotas": quotas}, now=datetime.now(UTC), limits=Limits())

        return _there(self._store.update_access_key(None, id, change), id)

    def rotate(self, id: str, grace: timedelta) -> Record:
        from truekeep.engine import access

        secret = access.new_secret()
        former = partial(access.former, grace=grace, now=datetime.now(UTC)) if grace else None
        rotated = self._store.rotate_access_key(None, id, access.digest(secret), former=former)
        return {**output.plain(_there(rotated, id)), "key": secret}

    def revoke(self, id: str) -> bool:
        if not self._store.remove_access_key(None, id):
            raise NotFound(f"no key {id!r}")
        return not self._store.has_access_keys()

    def tenants(self) -> Iterator[Tenant]:
        return map(self._figures, self._store.tenants())

    def _figures(self, tenant: str) -> Tenant:
        from truekeep.engine import tenants

        return tenants.figures(self._store, tenant, now=datetime.now(UTC), default=self._default)

    def limit(self, tenant: str, quotas: Record) -> Tenant:
        self._known(tenant)
        for key in self._store.access_keys(tenant):
            self.update(key.id, {"quotas": quotas})
        return self._figures(tenant)

    def erase(self, tenant: str) -> TenantReceipt:
        self._known(tenant)
        return self._store.erase_tenant(tenant)

    def audit(self, tenant: str | None, filters: AuditFilters, *, limit: int) -> Iterator[AuditEntry]:
        from truekeep.assembly import LOCAL_TENANT

        return _all(partial(self._store.audit, tenant or LOCAL_TENANT, filters), limit)

    def erasures(self, tenant: str | None) -> Erasures:
        from truekeep.assembly import LOCAL_TENANT
        from truekeep.engine.verbs.erasure import Erasures

        if tenant is not None:
            self._known(tenant)
        return Erasures(self._store, tenant or LOCAL_TENANT, lambda: datetime.now(UTC))

    def _known(self, tenant: str) -> None:
        if tenant not in self._store.tenants():
            raise NotFound(f"no tenant {tenant!r}; `truekeep tenants list` lists those that there are")


class _Served:
    """Through a server: what the key allows, it decides."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def make(self, wish: Record) -> Record:
        return self._operator.make_key(output.plain(wish))

    def listed(self, tenant: str | None) -> list[AccessKey]:
        return [key for key in self._operator.access_keys() if tenant in (None, key.tenant)]

    def update(self, id: str, changes: Record) -> AccessKey:
        return self._operator.update_key(id, output.plain(changes))

    def rotate(self, id: str, grace: timedelta) -> Record:
        return self._operator.rotate_key(id, grace.total_seconds())

    def revoke(self, id: str) -> bool:
        self._operator.revoke_key(id)
        return False

    def tenants(self) -> Iterator[Tenant]:
        return self._operator.tenants()

    def limit(self, tenant: str, quotas: Record) -> Tenant:
        return self._operator.limit_tenant(tenant, quotas)

    def erase(self, tenant: str) -> TenantReceipt:
        return self._operator.erase_tenant(tenant)

    def audit(self, tenant: str | None, filters: AuditFilters, *, limit: int) -> Iterator[AuditEntry]:
        return _all(partial(self._operator.audit, tenant, filters), limit)

    def erasures(self, tenant: str | None) -> ServedErasures:
        return self._operator.erasures(tenant)


def _all(page: Callable[..., AuditPage], limit: int) -> Iterator[AuditEntry]:
    """So many entries of a list that comes in pages."""
    cursor, left = None, limit
    while left > 0:
        found = page(cursor=cursor, limit=min(left, _PAGE))
        yield from found.entries
        cursor, left = found.cursor, left - len(found.entries)
        if cursor is None:
            break


def _there(key: AccessKey | None, id: str) -> AccessKey:
    if key is None:
        raise NotFound(f"no key {id!r}")
    return key


def quotas_of(given: list[str] | None) -> Record:
    """What `--quota memories=1000` asks for; `memories=` takes one away."""
    from truekeep import InvalidInput

    found: Record = {}
    for one in given or ():
        name, _, text = one.partition("=")
        if name not in asdict(Quotas()) or not (text.isdecimal() or text == ""):
            names = ", ".join(asdict(Quotas()))
            raise InvalidInput("--quota", f"{one!r} is none; write NAME=NUMBER, with one of {names}")
        found[name] = int(text) if text else None
    return found
