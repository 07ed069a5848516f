"""Tenants, for the operator: who there is, how much each holds and uses, and their end."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.server import answers, key_bodies, tenancy
from truekeep.server.desk import Caller
from truekeep.server.documented import TenantName, reply
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/tenants", tags=["tenants"])


@route(
    router.get,
    "",
    "All tenants, with what they hold, use and may use; for the operator",
    answers.TenantsAnswer,
    scope="admin",
    described="By name.",
)
def list_tenants(
    caller: Caller,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(description="that of the page before")] = None,
) -> Response:
    names = [name for name in tenancy.names(caller) if name > (cursor or "")]
    shown = [wire.record(tenancy.figures(caller, name)) for name in names[:limit]]
    return reply({"tenants": shown, "cursor": names[limit - 1] if len(names) > limit else None})


@route(
    router.patch,
    "/{tenant}",
    "Change the quotas of all keys of a tenant; for the operator",
    model.Tenant,
    scope="admin",
    errors=(404,),
    described="As it is now.",
)
def limit_tenant(caller: Caller, tenant: TenantName, body: key_bodies.TenantChangesBody) -> Response:
    return reply(wire.record(tenancy.limited(caller, tenant, body.quotas)))


@route(
    router.delete,
    "/{tenant}",
    "Erase a tenant: its keys, spaces and usage; for the operator",
    model.TenantReceipt,
    scope="admin",
    errors=(404, 409),
    described="What was erased, found out by searching again.",
)
def erase_tenant(caller: Caller, tenant: TenantName) -> Response:
    return reply(wire.record(tenancy.erased(caller, tenant)))
