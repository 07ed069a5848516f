"""Jobs, usage and tenants: what is being done, and how much was used by whom."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import NamedTuple

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.engine.verbs import erasure
from truekeep.engine.webhooks import Webhooks
from truekeep.model import AccessKey, Quotas, Usage, Webhook
from truekeep.model.reports import day_of, month_of, subject_of
from truekeep.server import keyring, tenancy
from truekeep.server.desk import Caller
from truekeep.server.metrics import Latency

from .pages import PageRoute, Visit, page

router = APIRouter(prefix="/console", include_in_schema=False, route_class=PageRoute)

_JOBS = 100
_TENANTS = 200
_ERASURES = 50
_SUBJECTS = 100
_SPACES = 100_000
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


@router.get("/jobs")
@page()
def jobs_page(visit: Visit) -> Response:
    found = visit.caller.latest_jobs(limit=1000)
    return visit.page("jobs.html", jobs=found[:_JOBS], left_out=max(0, len(found) - _JOBS))


@router.get("/usage")
@page()
def usage_page(visit: Visit) -> Response:
    caller, now = visit.caller, visit.caller.desk.clock()
    usage = caller.used({month_of(now), day_of(now)})
    latencies = sorted(caller.desk.metrics.latencies(), key=_is_ours) if caller.key.operator else None
    return visit.page(
        "usage.html",
        quotas=_quotas(caller, usage),
        usage=sorted(usage, key=lambda one: -one.count)[:_SUBJECTS],
        latencies=None if latencies is None else latencies[:60],
        names={subject_of("key", key.id): key.name for key in _keys(caller)},
        webhooks=_webhooks(caller),
    )


@router.get("/tenants")
@page(scope="admin")
def tenants_page(visit: Visit) -> Response:
    """For the operator: names and figures, never contents."""
    names = tenancy.names(visit.caller)
    shown = [tenancy.figures(visit.caller, name) for name in names[:_TENANTS]]
    desk = visit.caller.desk
    erased = erasure.latest(desk.store, desk.clock, limit=_ERASURES)
    return visit.page("tenants.html", tenants=shown, left_out=max(0, len(names) - _TENANTS), erased=erased)


def _is_ours(latency: Latency) -> bool:
    """Whether it is of the console: what programs ask comes first."""
    return latency.route.startswith("/console")


def _keys(caller: Caller) -> list[AccessKey]:
    return [caller.key, *keyring.listed(caller)] if "admin" in caller.key.scopes else [caller.key]


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
