"""What the operator sees of tenants, and does to them: names and figures, never contents."""

from __future__ import annotations

from truekeep.engine import tenants
from truekeep.errors import NotFound
from truekeep.model import Tenant, TenantReceipt

from . import key_bodies, keyring
from .desk import Caller
from .problems import Forbidden


def for_operators(caller: Caller) -> None:
    if not caller.key.operator:
        raise Forbidden("only the operator may do this")


def names(caller: Caller) -> list[str]:
    """Of all of them, sorted. What this process counted is told to the store first."""
    for_operators(caller)
    caller.desk.flush()
    return caller.desk.store.tenants()


def figures(caller: Caller, name: str) -> Tenant:
    desk = caller.desk
    return tenants.figures(desk.store, name, now=desk.clock(), default=desk.callers.default_quotas)


def limited(caller: Caller, name: str, quotas: key_bodies.QuotasBody) -> Tenant:
    """The tenant, all of whose keys have these quotas now; those that are not given stay."""
    known(caller, name)
    for key in caller.desk.store.access_keys(name):
        keyring.updated(caller, key.id, key_bodies.KeyChangesBody.model_validate({"quotas": quotas}))
    return figures(caller, name)


def erased(caller: Caller, name: str) -> TenantReceipt:
    known(caller, name)
    return caller.desk.store.erase_tenant(name)


def known(caller: Caller, name: str) -> None:
    """See that the operator asks, and that there is such a tenant."""
    if name not in names(caller):
        raise NotFound(f"no tenant {name!r}")
