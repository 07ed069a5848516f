"""The audit: which key did, or was told, which ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine import admit
from truekeep.model import AuditFilters
from truekeep.server.desk import Caller
from truekeep.server.documented import reply
from truekeep.server.fields import LIMITS, Limit, Name, Time
from truekeep.server.serving import route

router = APIRouter(tags=["audit"])


class AuditQuery(BaseModel):
    """Which entries, as the query of an address."""

    item: Name | None = Field(None, description="that name this item, wherever it was")
    key: Name | None = Field(None, description="of the key with this id")
    request: Name | None = Field(None, description="of the request that was answered with this `X-Request-Id`")
    space: Name | None = Field(None, description="in this space, also one that was erased")
    verb: Name | None = Field(None, description="that of a memory: remember, recall, forget, ...")
    since: Time | None = Field(None, description="then or later")
    until: Time | None = Field(None, description="before then")
    tenant: Name | None = Field(None, description="of this tenant; for the operator")
    limit: Limit = Field(100, description="at most this many")
    cursor: str | None = Field(None, pattern=r"^-?[0-9]{1,18}\.[0-9]{1,18}$", description="that of the page before")

    def filters(self) -> AuditFilters:
        named = {name: getattr(self, name) for name in ("item", "key", "request", "space", "verb")}
        given = {name: admit.name(text, name, LIMITS) for name, text in named.items() if text is not None}
        return AuditFilters(**given, since=self.since, until=self.until)


def _space(given: Mapping[str, Any]) -> str | None:
    asked: AuditQuery = given["asked"]
    return asked.space


@route(
    router.get,
    "/v1/audit",
    "Which key did, or was told, which ids",
    model.AuditPage,
    scope="admin",
    space=_space,
    described="The latest first, in spaces that the key covers. There may be fewer than `limit` before the last page.",
)
def audit(caller: Caller, asked: Annotated[AuditQuery, Query()]) -> Response:
    found = caller.audit(asked.filters(), tenant=asked.tenant, cursor=asked.cursor, limit=asked.limit)
    return reply(wire.record(found))
