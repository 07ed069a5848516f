"""Access keys; and tenants, for the operator: how much each holds and uses, and their end."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from truekeep import model, wire
from truekeep.model import AccessKey
from truekeep.server import keyring
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.schemas import Id, PageCursor, PageLimit, TenantName
from truekeep.server.serving import Routes

routes = Routes("/v1/keys", "keys")
tenants = Routes("/v1/tenants", "tenants")

TenantsAnswer = answer("TenantsAnswer", tenants=[model.Tenant], cursor=str | None)
NewKeyAnswer = answer(
    "NewKeyAnswer", **wire.shape(model.AccessKey), key=(str, Field(description="the secret; shown this once"))
)


@routes.post("", scope="admin", answer=NewKeyAnswer, status=201, errors=(409,), described="Shown this once.")
def create(caller: Caller, body: keyring.KeyBody) -> dict[str, Any]:
    """Make a key."""
    return _shown(*keyring.made(caller, body))


@routes.get("", scope="admin", answer=Annotated[list[model.AccessKey], "keys", "AccessKeysAnswer"])
def list_keys(caller: Caller) -> dict[str, Any]:
    """The keys of the tenant; for the operator, all."""
    return {"keys": [asdict(key) for key in keyring.listed(caller)]}


@routes.post("/{id}/rotate", scope="admin", answer=NewKeyAnswer, errors=(404,), described="Shown this once.")
def rotate(caller: Caller, id: Id, body: keyring.Rotation) -> dict[str, Any]:
    """Replace the secret of a key, at once or after a while."""
    return _shown(*keyring.rotated(caller, id, body.grace))


@routes.patch(
    "/{id}",
    scope="admin",
    answer=model.AccessKey,
    errors=(404,),
    described="As it is now; the next request is held to it.",
)
def update(caller: Caller, id: Id, body: keyring.KeyChangesBody) -> dict[str, Any]:
    """Change what a key may do."""
    return asdict(keyring.updated(caller, id, body))


@routes.delete("/{id}", scope="admin", errors=(404, 409), described="Revoked.")
def revoke(caller: Caller, id: Id) -> Annotated[bool, "revoked"]:
    """Revoke a key at once."""
    keyring.remove(caller, id)
    return True


def _shown(key: AccessKey, secret: str) -> dict[str, Any]:
    return {**asdict(key), "key": secret}


@tenants.get("", scope="admin", answer=TenantsAnswer, described="By name.")
def list_tenants(caller: Caller, limit: PageLimit = 100, cursor: PageCursor = None) -> dict[str, Any]:
    """All tenants, with what they hold, use and may use; for the operator."""
    names = [name for name in keyring.tenants_of(caller) if name > (cursor or "")]
    shown = [wire.record(keyring.figures(caller, name)) for name in names[:limit]]
    return {"tenants": shown, "cursor": names[limit - 1] if len(names) > limit else None}


@tenants.patch("/{tenant}", scope="admin", errors=(404,), described="As it is now.")
def limit_tenant(caller: Caller, tenant: TenantName, body: keyring.TenantChangesBody) -> model.Tenant:
    """Change the quotas of all keys of a tenant; for the operator."""
    return keyring.limited(caller, tenant, body.quotas)


@tenants.delete(
    "/{tenant}", scope="admin", errors=(404, 409), described="What was erased, found out by searching again."
)
def erase_tenant(caller: Caller, tenant: TenantName) -> model.TenantReceipt:
    """Erase a tenant: its keys, spaces and usage; for the operator."""
    return keyring.erased(caller, tenant)
