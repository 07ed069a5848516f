"""What is here, and what operators and monitors ask: jobs, usage, health, metrics, backup, check."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from truekeep import __version__, model, wire
from truekeep.model.reports import day_of, month_of
from truekeep.server import answers, stock
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, documented, reply
from truekeep.server.problems import NotReady
from truekeep.server.serving import route
from truekeep.server.tenancy import for_operators

router = APIRouter(tags=["operation"])

_BY_ACCEPT = {"Vary": "Accept"}
_LINKS = {
    "console": "/console",
    "docs": "/docs",
    "openapi": "/openapi.json",
    "health": "/health",
    "mcp": "/mcp",
    "v1": "/v1/spaces",
}


@route(
    router.get,
    "/v1/jobs",
    "The latest jobs",
    answers.JobsAnswer,
    scope="read",
    described="Those of spaces that the key covers.",
)
def jobs(caller: Caller, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    return reply({"jobs": [wire.record(job) for job in caller.latest_jobs(limit=limit)]})


@route(
    router.get,
    "/v1/jobs/{id}",
    "How far a job is",
    model.Job,
    scope="read",
    errors=(404,),
    described="Its state.",
)
def job(caller: Caller, id: Id) -> Response:
    return reply(wire.record(caller.job(id)))


@route(
    router.get,
    "/v1/usage",
    "What was used this month and today",
    answers.UsageAnswer,
    scope="read",
    described="Counts and quotas.",
)
def usage(caller: Caller) -> Response:
    now = caller.desk.clock()
    shown = [wire.record(one) for one in caller.used({month_of(now), day_of(now)})]
    quotas = wire.record(caller.desk.callers.quotas_of(caller.key))
    return reply({"tenant": caller.tenant, "quotas": quotas, "usage": shown})


@router.get(
    "/health",
    **documented("Whether it is alive; needs no key", answers.HealthAnswer, public=True),
)
async def health(request: Request) -> Response:
    desk = desk_of(request)
    await desk.run(desk.store.is_closed)  # a store that cannot be read is no health
    return reply({"status": "ok", "version": __version__})


@router.get("/livez", **documented("Whether the process answers; needs no key", answers.ProbeAnswer, public=True))
async def livez(request: Request) -> Response:
    return reply({"status": "ok"})


@router.get(
    "/readyz",
    **documented(
        "Whether to ask this server; needs no key",
        answers.ProbeAnswer,
        public=True,
        described="The store could be read and written a moment ago, the model is loaded, and it is not stopping.",
    ),
)
async def readyz(request: Request) -> Response:
    problem = desk_of(request).readiness.problem
    if problem is not None:
        raise NotReady(f"{problem}; ask another server, or this one again in a moment", Retry_After="1")
    return reply({"status": "ok"})


@route(router.get, "/v1/check", "Read the whole store and tell what is damaged", answers.ProblemsAnswer, scope="admin")
def check(caller: Caller) -> Response:
    for_operators(caller)
    problems = caller.desk.store.check()
    caller.desk.damage = "; ".join(problems) or None
    return reply({"problems": problems})


@route(
    router.get,
    "/v1/backup",
    "A complete copy of the store, all tenants included",
    None,
    scope="admin",
    media="application/octet-stream",
)
def backup(caller: Caller) -> Response:
    for_operators(caller)
    target = Path(tempfile.mkdtemp(prefix="truekeep-backup-")) / "backup.db"
    caller.memory("default").backup(target)
    return FileResponse(
        target,
        media_type="application/octet-stream",
        filename="truekeep-backup.db",
        background=BackgroundTask(_remove, target),
    )


def _remove(target: Path) -> None:
    target.unlink(missing_ok=True)
    target.parent.rmdir()


@route(
    router.get,
    "/metrics",
    "Counts and durations for Prometheus",
    None,
    scope="metrics",
    media="text/plain",
    described="Of all workers together, and of all tenants: no label carries a name that somebody chose.",
)
def metrics(caller: Caller) -> Response:
    stock.look(caller.desk)
    return Response(*caller.desk.metrics.rendered(stock.families(caller.desk)))


@router.get(
    "/",
    **documented(
        "What there is here; needs no key",
        answers.CardAnswer,
        public=True,
        described="Where everything is. A browser is sent to the console instead.",
    ),
)
async def card(request: Request) -> Response:
    # A browser is shown to the console, a program where everything is.
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(_LINKS["console"], 303, _BY_ACCEPT)
    return reply({"name": "Truekeep", "version": __version__, "links": _LINKS}, headers=_BY_ACCEPT)
