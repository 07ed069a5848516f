"""Access keys; tenants, for the operator: how much each holds and uses, and their end; persons who are erased."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field, JsonValue

from truekeep import model, wire
from truekeep.engine.verbs.erasure import MOST_NAMES, Erasures, admitted, person
from truekeep.model import AccessKey, SpaceId
from truekeep.server import keyring
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.problems import Forbidden
from truekeep.server.schemas import Body, Id, Name, PageCursor, PageLimit, TenantName, example
from truekeep.server.serving import Routes

keys = Routes("/v1/keys", "keys")
erasures = Routes("/v1/erasures", "erasures")
tenants = Routes("/v1/tenants", "tenants")

TenantsAnswer = answer("TenantsAnswer", tenants=[model.Tenant], cursor=str | None)
NewKeyAnswer = answer(
    "NewKeyAnswer", **wire.shape(model.AccessKey), key=(str, Field(description="the secret; shown this once"))
)
Tenant = Annotated[Name | None, Query(description="whose they are; the operator alone may name another")]
Names = Annotated[list[Name], Field(fail_fast=True, max_length=MOST_NAMES)]
_TENANT = Field(None, description="whose spaces; the operator alone may name another than its own")
ErasuresAnswer = answer("ErasuresAnswer", erasures=[model.Erasure], cursor=str | None)


@keys.post("", scope="admin", answer=NewKeyAnswer, status=201, errors=(409,), described="Shown this once.")
def create(caller: Caller, body: keyring.KeyBody) -> dict[str, Any]:
    """Make a key."""
    return _shown(*keyring.made(caller, body))


@keys.get("", scope="admin", answer=Annotated[list[model.AccessKey], "keys", "AccessKeysAnswer"])
def list_keys(caller: Caller) -> dict[str, Any]:
    """The keys of the tenant; for the operator, all."""
    return {"keys": [asdict(key) for key in keyring.listed(caller)]}


@keys.post("/{id}/rotate", scope="admin", answer=NewKeyAnswer, errors=(404,), described="Shown this once.")
def rotate(caller: Caller, id: Id, body: keyring.Rotation) -> dict[str, Any]:
    """Replace the secret of a key, at once or after a while."""
    return _shown(*keyring.rotated(caller, id, body.grace))


@keys.patch(
    "/{id}",
    scope="admin",
    answer=model.AccessKey,
    errors=(404,),
    described="As it is now; the next request is held to it.",
)
def update(caller: Caller, id: Id, body: keyring.KeyChangesBody) -> dict[str, Any]:
    """Change what a key may do."""
    return asdict(keyring.updated(caller, id, body))


@keys.delete("/{id}", scope="admin", errors=(404, 409), described="Revoked.")
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
    keyring.known(caller, tenant)
    changes = keyring.KeyChangesBody.model_validate({"quotas": body.quotas})
    for key in caller.desk.store.access_keys(tenant):
        keyring.updated(caller, key.id, changes)
    return keyring.figures(caller, tenant)


@tenants.delete(
    "/{tenant}", scope="admin", errors=(404, 409), described="What was erased, found out by searching again."
)
def erase_tenant(caller: Caller, tenant: TenantName) -> model.TenantReceipt:
    """Erase a tenant: its keys, spaces and usage; for the operator."""
    keyring.known(caller, tenant)
    return caller.desk.store.erase_tenant(tenant)


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


@erasures.post(
    "",
    scope="admin",
    errors=(404,),
    described="The receipt, or of a dry run what would be erased. After an interruption, the same again finishes it.",
)
def erase(caller: Caller, body: ErasureBody) -> model.Erasure:
    """Erase a person from all spaces of a tenant."""
    whose = erasures_of(caller, body.tenant)
    given = body.model_dump(include={"speakers", "values", "sessions", "names"})
    who = person(caller.desk.opened.limits, **given)
    found = whose.preview(who) if body.dry_run else whose.erase(who)
    _note(caller, whose, "erase", [found.id] if found.id else [], "dry-run" if body.dry_run else "done")
    return found


def _note(caller: Caller, whose: Erasures, verb: str, ids: Iterable[str] = (), outcome: str = "done") -> None:
    """For the audit of that tenant, of no space in particular; the id is that of the receipt."""
    caller.desk.audit.note(SpaceId.own(whose.tenant), caller.key.id, verb, ids, outcome)


@erasures.get("", scope="admin", answer=ErasuresAnswer, errors=(404,), described="The latest first.")
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


@erasures.get("/{id}", scope="admin", errors=(404,), described="As it was signed.")
def receipt(caller: Caller, id: Id, tenant: Tenant = None) -> model.Erasure:
    """One receipt."""
    return erasures_of(caller, tenant).receipt(id)


@erasures.post("/verify", scope="admin", errors=(404,), described="False also where anything in it was changed.")
def verify(caller: Caller, body: VerifyBody) -> Annotated[bool, "genuine"]:
    """Whether a receipt was signed here, for this tenant."""
    return erasures_of(caller, body.tenant).is_genuine(body.receipt)


@erasures.post("/admit", scope="admin", errors=(404,), described="Those who were barred.")
def admit(caller: Caller, body: AdmitBody) -> Annotated[list[str], "admitted"]:
    """Let somebody who was erased be remembered again."""
    speakers = admitted(body.speakers, "speakers", caller.desk.opened.limits)
    whose = erasures_of(caller, body.tenant)
    found = whose.admit(speakers)
    _note(caller, whose, "admit")
    return found
