"""What is here, and what operators and monitors ask: the audit, jobs, usage, health, metrics, backup, check."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from pydantic import BaseModel, Field, WithJsonSchema
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from truekeep import __version__, model, wire
from truekeep.assembly import file_of
from truekeep.engine import requests
from truekeep.model import AuditFilters
from truekeep.model.reports import day_of, month_of
from truekeep.server.desk import Caller, Desk, desk_of
from truekeep.server.keyring import for_operators
from truekeep.server.openapi import answer
from truekeep.server.problems import NotReady
from truekeep.server.schemas import LIMITS, Id, Limit, Name, PageLimit, Time
from truekeep.server.serving import Routes, reply

routes = Routes("", "operation")
audits = Routes("", "audit")

_BY_ACCEPT = {"Vary": "Accept"}
_LINKS = {
    "console": "/console",
    "docs": "/docs",
    "openapi": "/openapi.json",
    "health": "/health",
    "mcp": "/mcp",
    "v1": "/v1/spaces",
}

UsageAnswer = answer(
    "UsageAnswer",
    tenant=str,
    quotas=(model.Quotas, Field(description="those of the key that asks")),
    usage=[model.Usage],
)
HealthAnswer = answer("HealthAnswer", status=Literal["ok"], version=str)
ProbeAnswer = answer("ProbeAnswer", status=Literal["ok"])
CardAnswer = answer(
    "CardAnswer",
    name=Literal["Truekeep"],
    version=str,
    links=(Mapping[str, str], Field(description="paths by what is there")),
)


Verb = Annotated[str, WithJsonSchema({"type": "string", "enum": [*model.AUDIT_VERBS]})]


class AuditQuery(BaseModel):
    """Which entries, as the query of an address."""

    item: Name | None = Field(None, description="that name this item, wherever it was")
    key: Name | None = Field(None, description="of the key with this id")
    request: Name | None = Field(None, description="of the request that was answered with this `X-Request-Id`")
    space: Name | None = Field(None, description="in this space, also one that was erased")
    verb: Verb | None = Field(None, description="of this kind")
    since: Time | None = Field(None, description="then or later")
    until: Time | None = Field(None, description="before then")
    tenant: Name | None = Field(None, description="of this tenant; for the operator")
    limit: Limit = Field(100, description="at most this many")
    cursor: str | None = Field(None, pattern=r"^-?[0-9]{1,18}\.[0-9]{1,18}$", description="that of the page before")

    def filters(self) -> AuditFilters:
        asked = AuditFilters(**{name: getattr(self, name) for name in AuditFilters.__dataclass_fields__})
        return requests.audited(asked, LIMITS)


@audits.get(
    "/v1/audit",
    scope="admin",
    space=lambda given: given["asked"].space,
    described="The latest first, in spaces that the key covers. There may be fewer than `limit` before the last page.",
)
def audit(caller: Caller, asked: Annotated[AuditQuery, Query()]) -> model.AuditPage:
    """Which key did, or was told, which ids."""
    return caller.audit(asked.filters(), tenant=asked.tenant, cursor=asked.cursor, limit=asked.limit)


@routes.get("/v1/jobs", scope="read", described="Those of spaces that the key covers.")
def jobs(caller: Caller, limit: PageLimit = 100) -> Annotated[list[model.Job], "jobs"]:
    """The latest jobs."""
    return caller.latest_jobs(limit=limit)


@routes.get("/v1/jobs/{id}", scope="read", errors=(404,), described="Its state.")
def job(caller: Caller, id: Id) -> model.Job:
    """How far a job is."""
    return caller.job(id)


@routes.get("/v1/usage", scope="read", answer=UsageAnswer, described="Counts and quotas.")
def usage(caller: Caller) -> dict[str, Any]:
    """What was used this month and today."""
    now = caller.desk.clock()
    shown = [wire.record(one) for one in caller.used({month_of(now), day_of(now)})]
    quotas = wire.record(caller.desk.callers.quotas_of(caller.key))
    return {"tenant": caller.tenant, "quotas": quotas, "usage": shown}


@routes.asked("GET", "/health", HealthAnswer, public=True)
async def health(request: Request) -> Response:
    """Whether it is alive; needs no key."""
    desk = desk_of(request)
    await desk.run(desk.store.is_closed)  # a store that cannot be read is no health
    return reply({"status": "ok", "version": __version__})


@routes.asked("GET", "/livez", ProbeAnswer, public=True)
async def livez(request: Request) -> Response:
    """Whether the process answers; needs no key."""
    return reply({"status": "ok"})


@routes.asked(
    "GET",
    "/readyz",
    ProbeAnswer,
    public=True,
    described="The store could be read and written a moment ago, the model is loaded, and it is not stopping.",
)
async def readyz(request: Request) -> Response:
    """Whether to ask this server; needs no key."""
    problem = desk_of(request).readiness.problem
    if problem is not None:
        raise NotReady(f"{problem}; ask another server, or this one again in a moment", Retry_After="1")
    return reply({"status": "ok"})


@routes.get("/v1/check", scope="admin")
def check(caller: Caller) -> Annotated[list[str], "problems"]:
    """Read the whole store and tell what is damaged."""
    for_operators(caller)
    problems = caller.desk.store.check()
    caller.desk.damage = "; ".join(problems) or None
    return problems


@routes.get("/v1/backup", scope="admin", media="application/octet-stream")
def backup(caller: Caller) -> Response:
    """A complete copy of the store, all tenants included."""
    for_operators(caller)
    target = Path(tempfile.mkdtemp(prefix="truekeep-backup-")) / "backup.db"
    caller.memory("default").backup(target)
    return FileResponse(
        target,
        media_type="application/octet-stream",
        filename="truekeep-backup.db",
        background=BackgroundTask(shutil.rmtree, target.parent),
    )


@routes.get(
    "/metrics",
    scope="metrics",
    media="text/plain",
    described="Of all workers together, and of all tenants: no label carries a name that somebody chose.",
)
def metrics(caller: Caller) -> Response:
    """Counts and durations for Prometheus."""
    desk = caller.desk
    desk.metrics.look(desk.opened.parts)
    return Response(*desk.metrics.rendered(_at_the_moment(desk)))


def _at_the_moment(desk: Desk) -> Iterator[Metric]:
    """What is one for all processes. A store that is away is not asked: nobody waits for a scrape that long."""
    yield GaugeMetricFamily("truekeep_ready", "Whether /readyz says yes", value=desk.readiness.problem is None)
    if not desk.readiness.has_store:
        return
    jobs = GaugeMetricFamily("truekeep_jobs", "Extractions in the background, by state", labels=["state"])
    for state, count in desk.store.jobs_by_state().items():
        jobs.add_metric([state], count)
    yield jobs
    yield GaugeMetricFamily("truekeep_store_bytes", "Bytes that the store takes", value=desk.store.size())
    if (file := file_of(desk.store.location)) is not None:
        free = shutil.disk_usage(file.parent).free
        yield GaugeMetricFamily("truekeep_disk_free_bytes", "Room on the disk of the store", value=free)


@routes.asked(
    "GET",
    "/",
    CardAnswer,
    public=True,
    described="Where everything is. A browser is sent to the console instead.",
)
async def card(request: Request) -> Response:
    """What there is here; needs no key."""
    # A browser is shown to the console, a program where everything is.
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(_LINKS["console"], 303, _BY_ACCEPT)
    return reply({"name": "Truekeep", "version": __version__, "links": _LINKS}, headers=_BY_ACCEPT)
