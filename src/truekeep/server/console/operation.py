"""Jobs, usage and the audit: what is being done, how much was used, and which key did what. Access keys; and tenants.

A new key is shown on the page that made it, and never again.
"""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import NamedTuple

from starlette.responses import Response

from truekeep.engine import requests
from truekeep.engine.verbs import erasure
from truekeep.engine.webhooks import Webhooks
from truekeep.model import AuditFilters, Quotas, Usage, Webhook
from truekeep.model.reports import day_of, month_of, subject_of
from truekeep.server import keyring
from truekeep.server.desk import Caller
from truekeep.server.metrics import Latency
from truekeep.server.schemas import Id

from .pages import Pages, Visit, goto_page

pages = Pages("/console", told={"revoked": "Revoked: it stopped working at once."})

_KEYS = 100
_TENANTS = 200
_ERASURES = 50
_JOBS = 100
_SUBJECTS = 100
_SPACES = 100_000
_ENTRIES = 40  # with their ids they stay below 100 KB
_NAMED = ("item", "request", "key", "space", "verb")
_ASKED = (*_NAMED, "since", "until", "tenant")
_LABELS = {
    "operations_per_month": "writes and recalls this month",
    "recalls_per_month": "recalls this month",
    "memories": "memories held",
    "writes_per_day": "writes today, in the busiest space",
    "bytes_per_space": "bytes in the largest space",
}


class QuotaRow(NamedTuple):
    """A quota and how much of it is used; `limit` None: as much as one likes; `used` None: it is not counted then."""

    label: str
    used: int | None
    limit: int | None


@pages.get("/jobs")
def jobs_page(visit: Visit) -> Response:
    found = visit.caller.latest_jobs(limit=1000)
    return visit.page("jobs.html", jobs=found[:_JOBS], left_out=max(0, len(found) - _JOBS))


@pages.get("/usage")
def usage_page(visit: Visit) -> Response:
    caller, now = visit.caller, visit.caller.desk.clock()
    usage = caller.used({month_of(now), day_of(now)})
    latencies = sorted(caller.desk.metrics.latencies(), key=_is_ours) if caller.key.operator else None
    return visit.page(
        "usage.html",
        quotas=_quotas(caller, usage),
        usage=sorted(usage, key=lambda one: -one.count)[:_SUBJECTS],
        latencies=None if latencies is None else latencies[:60],
        names={subject_of("key", id): name for id, name in names_of(caller).items()},
        webhooks=_webhooks(caller),
    )


@pages.get("/audit", scope="admin")
def audit_page(visit: Visit) -> Response:
    fields, caller = visit.fields, visit.caller
    named = {name: fields.text(name) for name in _NAMED}
    asked = AuditFilters(**named, since=fields.time("since"), until=fields.time("until"))
    sought = requests.audited(asked, caller.desk.opened.limits)
    if sought.space is not None:
        caller.may("admin", sought.space)
    found = caller.audit(sought, tenant=fields.text("tenant"), cursor=fields.text("after"), limit=_ENTRIES)
    return visit.page(
        "audit.html",
        entries=found.entries,
        names=names_of(caller),
        asked={name: fields.text(name) or "" for name in _ASKED},
        next=None if found.cursor is None else fields.again(_ASKED, after=found.cursor),
    )


def _is_ours(latency: Latency) -> bool:
    """Whether it is of the console: what programs ask comes first."""
    return latency.route.startswith("/console")


def names_of(caller: Caller) -> dict[str, str]:
    """Names of keys by their ids, as far as the caller may know them."""
    known = keyring.listed(caller) if "admin" in caller.key.scopes else []
    return {key.id: key.name for key in (caller.key, *known)}


def _webhooks(caller: Caller) -> list[Webhook]:
    """Those that the visitor's key could have added."""
    if not {"admin", "read"} <= set(caller.key.scopes):
        return []
    return Webhooks(caller.desk.store, caller.tenant, caller.key.spaces).listed(caller.desk.clock())


def _quotas(caller: Caller, usage: list[Usage]) -> list[QuotaRow]:
    """Each quota of the visitor's key beside what counts towards it."""
    own = subject_of("key", caller.key.id)
    seen = caller.spaces(limit=_SPACES)
    quotas = caller.desk.callers.quotas_of(caller.key)
    writes = max((one.count for one in usage if one.counter == "writes"), default=0)
    counted: dict[str, int | None] = {
        "operations_per_month": sum(one.count for one in usage if (one.subject, one.counter) == (own, "operations")),
        "recalls_per_month": sum(one.count for one in usage if (one.subject, one.counter) == (own, "recalls")),
        "memories": sum(one.items for one in seen),
        "writes_per_day": writes if writes or quotas != Quotas() else None,  # without any quota a store counts none
        "bytes_per_space": max((one.bytes for one in seen), default=0),
    }
    return [QuotaRow(_LABELS[one.name], counted[one.name], getattr(quotas, one.name)) for one in fields_of(Quotas)]


@pages.get("/keys", scope="admin")
def keys_page(visit: Visit) -> Response:
    chosen = visit.fields.text("id")  # the one that somebody is about to revoke or rotate
    found = keyring.listed(visit.caller)
    return visit.page(
        "keys.html",
        keys=found[-_KEYS:],
        left_out=max(0, len(found) - _KEYS),
        chosen=next((key for key in found if key.id == chosen), None),
    )


@pages.post("/keys", scope="admin", counts="free")
def create(visit: Visit) -> Response:
    fields = visit.fields
    expires = fields.time("expires")
    body = keyring.KeyBody.model_validate(
        {
            "name": fields.needed("name"),
            "tenant": fields.text("tenant"),
            "scopes": fields.all("scope") or None,
            "spaces": fields.words("spaces"),
            "expires": None if expires is None else expires.isoformat(),
        }
    )
    was_open = visit.caller.desk.callers.is_open()
    key, secret = keyring.made(visit.caller, body)
    return visit.page("new_key.html", 201, made=key, secret=secret, closed=was_open)


@pages.post("/keys/{id}/rotate", scope="admin", counts="free")
def rotate(visit: Visit, id: Id) -> Response:
    key, secret = keyring.rotated(visit.caller, id)
    return visit.page("new_key.html", made=key, secret=secret, closed=False)


@pages.post("/keys/{id}/revoke", scope="admin", counts="free")
def revoke(visit: Visit, id: Id) -> Response:
    keyring.remove(visit.caller, id)
    return goto_page("keys", done="revoked")


@pages.get("/tenants", scope="admin")
def tenants_page(visit: Visit) -> Response:
    """For the operator: names and figures, never contents."""
    names = keyring.tenants_of(visit.caller)
    shown = [keyring.figures(visit.caller, name) for name in names[:_TENANTS]]
    desk = visit.caller.desk
    erased = erasure.latest(desk.store, desk.clock, limit=_ERASURES)
    return visit.page("tenants.html", tenants=shown, left_out=max(0, len(names) - _TENANTS), erased=erased)
