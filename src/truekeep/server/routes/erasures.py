"""Erasing a person from all spaces of a tenant, and the receipts of that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field, JsonValue

from truekeep import model, wire
from truekeep.engine.verbs.erasure import MOST_NAMES, Erasures, admitted, person
from truekeep.model import SpaceId
from truekeep.server import keyring
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.problems import Forbidden
from truekeep.server.schemas import Body, Id, Name, PageCursor, PageLimit, example
from truekeep.server.serving import Routes

routes = Routes("/v1/erasures", "erasures")

Tenant = Annotated[Name | None, Query(description="whose they are; the operator alone may name another")]
Names = Annotated[list[Name], Field(fail_fast=True, max_length=MOST_NAMES)]
_TENANT = Field(None, description="whose spaces; the operator alone may name another than its own")

ErasuresAnswer = answer("ErasuresAnswer", erasures=[model.Erasure], cursor=str | None)


class ErasureBody(Body, json_schema_extra=example({"speakers": ["ana"], "values": ["user:ana:*"], "dry_run": True})):
    """Whom to erase."""

    tenant: Name | None = _TENANT
    speakers: Names = Field(min_length=1, description="the names under which they spoke, each as it was written")
    values: Names = Field([], description="patterns of keys of values")
    sessions: Names = Field([], description="patterns of sessions that go as a whole, whoever spoke in them")
    names: Names | None = Field(
        None, description="looked for in what others said, to be reviewed; without them those of the speakers"
    )
    dry_run: bool = Field(False, description="tell what would be erased, and where; nothing is")


class VerifyBody(Body, json_schema_extra=example({"receipt": {"id": "019b796d", "signature": "..."}})):
    """A receipt that somebody shows."""

    tenant: Name | None = _TENANT
    receipt: dict[str, JsonValue]


class AdmitBody(Body, json_schema_extra=example({"speakers": ["ana"]})):
    """Who may come back by themselves."""

    tenant: Name | None = _TENANT
    speakers: Names = Field(min_length=1)


def erasures_of(caller: Caller, tenant: str | None) -> Erasures:
    """Those of the caller's tenant, or of the one that the operator names."""
    if caller.key.spaces:
        raise Forbidden("this key is limited to some spaces, and a person is erased from all of them")
    if tenant is not None and tenant != caller.tenant:
        keyring.known(caller, tenant)
    return Erasures(caller.desk.store, tenant or caller.tenant, caller.desk.clock)


@routes.post(
    "",
    scope="admin",
    errors=(404,),
    described="The receipt, or of a dry run what would be erased. After an interruption, the same again finishes it.",
)
def erase(caller: Caller, body: ErasureBody) -> model.Erasure:
    """Erase a person from all spaces of a tenant."""
    erasures = erasures_of(caller, body.tenant)
    given = body.model_dump(include={"speakers", "values", "sessions", "names"})
    who = person(caller.desk.opened.limits, **given)
    found = erasures.preview(who) if body.dry_run else erasures.erase(who)
    _note(caller, erasures, "erase", [found.id] if found.id else [], "dry-run" if body.dry_run else "done")
    return found


def _note(caller: Caller, erasures: Erasures, verb: str, ids: Iterable[str] = (), outcome: str = "done") -> None:
    """For the audit of that tenant, of no space in particular; the id is that of the receipt."""
    caller.desk.audit.note(SpaceId.own(erasures.tenant), caller.key.id, verb, ids, outcome)


@routes.get("", scope="admin", answer=ErasuresAnswer, errors=(404,), described="The latest first.")
def list_receipts(
    caller: Caller,
    tenant: Tenant = None,
    speaker: Annotated[Name | None, Query(description="those of this speaker")] = None,
    limit: PageLimit = 100,
    cursor: PageCursor = None,
) -> dict[str, Any]:
    """The receipts of persons who were erased."""
    found = erasures_of(caller, tenant).receipts(speaker=speaker, limit=limit + 1, cursor=cursor)
    shown = found[:limit]
    return {"erasures": list(map(wire.record, shown)), "cursor": shown[-1].id if len(found) > limit else None}


@routes.get("/{id}", scope="admin", errors=(404,), described="As it was signed.")
def receipt(caller: Caller, id: Id, tenant: Tenant = None) -> model.Erasure:
    """One receipt."""
    return erasures_of(caller, tenant).receipt(id)


@routes.post("/verify", scope="admin", errors=(404,), described="False also where anything in it was changed.")
def verify(caller: Caller, body: VerifyBody) -> Annotated[bool, "genuine"]:
    """Whether a receipt was signed here, for this tenant."""
    return erasures_of(caller, body.tenant).is_genuine(body.receipt)


@routes.post("/admit", scope="admin", errors=(404,), described="Those who were barred.")
def admit(caller: Caller, body: AdmitBody) -> Annotated[list[str], "admitted"]:
    """Let somebody who was erased be remembered again."""
    speakers = admitted(body.speakers, "speakers", caller.desk.opened.limits)
    erasures = erasures_of(caller, body.tenant)
    found = erasures.admit(speakers)
    _note(caller, erasures, "admit")
    return found
