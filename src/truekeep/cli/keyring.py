"""What an operator looks after, where it is kept: in a store, or behind its server. Commands need not know which."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from truekeep import ConfigurationError, InvalidInput, Limits, NotFound
from truekeep.model import (
    AccessKey,
    AuditFilters,
    AuditPage,
    Delivery,
    Quotas,
    Receipt,
    SpaceId,
    SpaceSize,
    Tenant,
    TenantReceipt,
    Webhook,
)

from . import options, output

if TYPE_CHECKING:
    from truekeep.engine.verbs.erasure import Erasures
    from truekeep.engine.webhooks import Webhooks
    from truekeep.ports import Store
    from truekeep.remote.operator import Operator
    from truekeep.server.settings import ServerSettings

Record = dict[str, Any]


@contextmanager
def keyring(call: options.OfPlace, *, new: bool = False, tenant: str | None = None) -> Iterator[Operator | Kept]:
    """That of the server at this address, or of the store that a server with this file of settings serves.

    `tenant`: whose spaces and webhooks are meant, on the store itself; if None, those of embedded use.
    """
    settings = _settings(call)
    place = call.at if settings is None else settings.at
    if options.is_served(place):
        from truekeep.remote.operator import Operator

        with closing(Operator(at=str(place), key=call.key)) as operator:
            yield operator
        return
    from truekeep.assembly import LOCAL_TENANT, open_store

    if not new:
        options.refuse_missing(place)
    with open_store(place) as store:
        yield Kept(store, settings, tenant or LOCAL_TENANT)


def _settings(call: options.OfPlace) -> ServerSettings | None:
    """Those of the file; an argument wins over it, as for the server itself."""
    if not isinstance(call, options.Operation) or call.config is None:
        return None
    from truekeep.server.settings import load

    return load(call.config, at=call.at)


@dataclass(frozen=True, slots=True)
class Kept:
    """As `remote.operator.Operator`, on the store itself: all but what only the server can do that sends."""

    store: Store
    settings: ServerSettings | None  # of the server, as far as they are known here
    tenant: str  # where none is named

    def make_key(self, wish: Record) -> Record:
        from truekeep.engine import access

        asked = {"tenant": None, **_timed(wish), "quotas": Quotas(**wish["quotas"])}
        made = access.new_key(**asked, now=datetime.now(UTC), limits=Limits())
        secret = access.new_secret()
        self.store.add_access_key(made, access.digest(secret))
        return {**output.plain(made), "key": secret}

    def access_keys(self) -> list[AccessKey]:
        return self.store.access_keys(None)

    def update_key(self, id: str, changes: Record) -> AccessKey:
        from truekeep.engine import access

        def change(key: AccessKey) -> AccessKey:
            asked = {**_timed(changes), "quotas": replace(key.quotas, **changes.get("quotas", {}))}
            return access.changed(key, **asked, now=datetime.now(UTC), limits=Limits())

        return _there(self.store.update_access_key(None, id, change), id)

    def rotate_key(self, id: str, grace: float) -> Record:
        from truekeep.engine import access

        secret, span = access.new_secret(), timedelta(seconds=grace)
        former = partial(access.former, grace=span, now=datetime.now(UTC)) if span else None
        rotated = self.store.rotate_access_key(None, id, access.digest(secret), former=former)
        return {**output.plain(_there(rotated, id)), "key": secret}

    def revoke_key(self, id: str) -> None:
        if not self.store.remove_access_key(None, id):
            raise NotFound(f"no key {id!r}")

    def tenants(self) -> Iterator[Tenant]:
        return map(self._figures, self.store.tenants())

    def _figures(self, tenant: str) -> Tenant:
        """Keys without quotas of their own have those of the settings."""
        from truekeep.engine import tenants

        default = Quotas() if self.settings is None else self.settings.quotas.quotas()
        return tenants.figures(self.store, tenant, now=datetime.now(UTC), default=default)

    def limit_tenant(self, tenant: str, quotas: Record) -> Tenant:
        self._know(tenant)
        for key in self.store.access_keys(tenant):
            self.update_key(key.id, {"quotas": quotas})
        return self._figures(tenant)

    def erase_tenant(self, tenant: str) -> TenantReceipt:
        self._know(tenant)
        return self.store.erase_tenant(tenant)

    def spaces(self) -> Iterator[SpaceSize]:
        from truekeep.engine.tenants import overview

        return overview(self.store, self.tenant)

    def erase_space(self, name: str) -> Receipt:
        erased = self.store.erase_space(SpaceId(self.tenant, name))
        return Receipt(erased=tuple(erased.ids), remaining=erased.remaining, pending=erased.pending)

    def audit(self, tenant: str | None, filters: AuditFilters, *, cursor: str | None, limit: int) -> AuditPage:
        from truekeep.engine import requests

        sought = requests.audited(filters, Limits())
        return self.store.audit(tenant or self.tenant, sought, cursor=cursor, limit=limit)

    def erasures(self, tenant: str | None) -> Erasures:
        from truekeep.engine.verbs.erasure import Erasures

        if tenant is not None:
            self._know(tenant)
        return Erasures(self.store, tenant or self.tenant, lambda: datetime.now(UTC))

    def _know(self, tenant: str) -> None:
        if tenant not in self.store.tenants():
            raise NotFound(f"no tenant {tenant!r}; `truekeep tenants list` lists those that there are")

    @property
    def _webhooks(self) -> Webhooks:
        from truekeep.engine.webhooks import Webhooks

        return Webhooks(self.store, self.tenant)

    def add_webhook(self, wish: Record) -> Record:
        """Where the settings are known, they are heeded here; a server heeds its own whenever it sends."""
        if self.settings is not None:
            from truekeep.server.receivers import Receivers

            Receivers(self.settings.webhooks).admit(wish["url"])
        made, secret = self._webhooks.add(**wish, now=datetime.now(UTC), limits=Limits())
        return {**output.plain(made), "secret": secret}

    def webhooks(self) -> list[Webhook]:
        return self._webhooks.listed(datetime.now(UTC))

    def drop_webhook(self, id: str) -> None:
        self._webhooks.drop(id, now=datetime.now(UTC))

    def test_webhook(self, id: str) -> Record:
        raise ConfigurationError(
            f"only the server that sends can try it out; set TRUEKEEP_KEY to a key of the tenant, and ask that server: "
            f"truekeep webhooks test {id} --at http://127.0.0.1:8420, or wherever it is"
        )

    def dead_deliveries(self, id: str) -> list[Delivery]:
        return list(self._webhooks.dead(id, now=datetime.now(UTC)))

    def retry_webhook(self, id: str, deliveries: list[str] | None) -> int:
        return self._webhooks.retry(id, deliveries, now=datetime.now(UTC))


def _timed(wish: Record) -> Record:
    """A wish is JSON; the store takes times."""
    return {**wish, "expires": datetime.fromisoformat(wish["expires"])} if "expires" in wish else wish


def _there(key: AccessKey | None, id: str) -> AccessKey:
    if key is None:
        raise NotFound(f"no key {id!r}")
    return key


def quotas_of(given: list[str] | None) -> Record:
    """What `--quota memories=1000` asks for; `memories=` takes one away."""
    found: Record = {}
    for one in given or ():
        name, _, text = one.partition("=")
        if name not in asdict(Quotas()) or not (text.isdecimal() or text == ""):
            names = ", ".join(asdict(Quotas()))
            raise InvalidInput("--quota", f"{one!r} is none; write NAME=NUMBER, with one of {names}")
        found[name] = int(text) if text else None
    return found
