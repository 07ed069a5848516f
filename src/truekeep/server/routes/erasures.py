"""Erasing a person from all spaces of a tenant, and the receipts of that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine.verbs.erasure import Erasures, admitted, person
from truekeep.model import SpaceId
from truekeep.server import answers, erasure_bodies, tenancy
from truekeep.server.desk import Caller
from truekeep.server.documented import Id, reply
from truekeep.server.fields import Name
from truekeep.server.problems import Forbidden
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/erasures", tags=["erasures"])

Tenant = Annotated[Name | None, Query(description="whose they are; the operator alone may name another")]


def erasures_of(caller: Caller, tenant: str | None) -> Erasures:
    """Those of the caller's tenant, or of the one that the operator names."""
    if caller.key.spaces:
        raise Forbidden("this key is limited to some spaces, and a person is erased from all of them")
    if tenant is not None and tenant != caller.tenant:
        tenancy.known(caller, tenant)
    return Erasures(caller.desk.store, tenant or caller.tenant, caller.desk.clock)


@route(
    router.post,
    "",
    "Erase a person from all spaces of a tenant",
    model.Erasure,
    scope="admin",
    errors=(404,),
    described="The receipt, or of a dry run what would be erased. After an interruption, the same again finishes it.",
)
def erase(caller: Caller, body: erasure_bodies.ErasureBody) -> Response:
    erasures = erasures_of(caller, body.tenant)
    given = body.model_dump(include={"speakers", "values", "sessions", "names"})
    who = person(caller.desk.opened.limits, **given)
    found = erasures.preview(who) if body.dry_run else erasures.erase(who)
    _note(caller, erasures, "erase", [found.id] if found.id else [], "dry-run" if body.dry_run else "done")
    return reply(wire.record(found))


def _note(caller: Caller, erasures: Erasures, verb: str, ids: Iterable[str] = (), outcome: str = "done") -> None:
    """For the audit of that tenant, of no space in particular; the id is that of the receipt."""
    caller.desk.audit.note(SpaceId.own(erasures.tenant), caller.key.id, verb, ids, outcome)


@route(
    router.get,
    "",
    "The receipts of persons who were erased",
    answers.ErasuresAnswer,
    scope="admin",
    errors=(404,),
    described="The latest first.",
)
def list_receipts(
    caller: Caller,
    tenant: Tenant = None,
    speaker: Annotated[Name | None, Query(description="those of this speaker")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(description="that of the page before")] = None,
) -> Response:
    found = erasures_of(caller, tenant).receipts(speaker=speaker, limit=limit + 1, cursor=cursor)
    shown = found[:limit]
    return reply(
        {"erasures": list(map(wire.record, shown)), "cursor": shown[-1].id if len(found) > limit else None},
    )


@route(router.get, "/{id}", "One receipt", model.Erasure, scope="admin", errors=(404,), described="As it was signed.")
def receipt(caller: Caller, id: Id, tenant: Tenant = None) -> Response:
    return reply(wire.record(erasures_of(caller, tenant).receipt(id)))


@route(
    router.post,
    "/verify",
    "Whether a receipt was signed here, for this tenant",
    answers.GenuineAnswer,
    scope="admin",
    errors=(404,),
    described="False also where anything in it was changed.",
)
def verify(caller: Caller, body: erasure_bodies.VerifyBody) -> Response:
    return reply({"genuine": erasures_of(caller, body.tenant).is_genuine(body.receipt)})


@route(
    router.post,
    "/admit",
    "Let somebody who was erased be remembered again",
    answers.AdmittedAnswer,
    scope="admin",
    errors=(404,),
    described="Those who were barred.",
)
def admit(caller: Caller, body: erasure_bodies.AdmitBody) -> Response:
    speakers = admitted(body.speakers, "speakers", caller.desk.opened.limits)
    erasures = erasures_of(caller, body.tenant)
    found = erasures.admit(speakers)
    _note(caller, erasures, "admit")
    return reply({"admitted": found})
