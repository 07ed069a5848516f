"""What operators and monitors ask: jobs, usage, health, metrics, backup, check."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from truekeep import __version__, model, wire
from truekeep.server import answers
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, documented, reply
from truekeep.server.meter import day, month
from truekeep.server.problems import Forbidden
from truekeep.server.reach import latest_jobs, used
from truekeep.server.serving import route

router = APIRouter(tags=["operation"])


@route(
    router.get,
    "/v1/jobs",
    "The latest jobs",
    answers.JobsAnswer,
    scope="read",
    described="Those of spaces that the key covers.",
)
def jobs(caller: Caller, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    return reply({"jobs": [wire.record(job) for job in latest_jobs(caller, limit=limit)]})


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
    shown = [wire.record(one) for one in used(caller, {month(now), day(now)})]
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


@route(router.get, "/v1/check", "Read the whole store and tell what is damaged", answers.ProblemsAnswer, scope="admin")
def check(caller: Caller) -> Response:
    _operator(caller)
    return reply({"problems": caller.desk.store.check()})


@route(
    router.get,
    "/v1/backup",
    "A complete copy of the store, all tenants included",
    None,
    scope="admin",
    media="application/octet-stream",
)
def backup(caller: Caller) -> Response:
    _operator(caller)
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


def _operator(caller: Caller) -> None:
    if not caller.key.operator:
        raise Forbidden("only the operator may do this")


@route(router.get, "/metrics", "Counts and durations for Prometheus", None, scope="read", media="text/plain")
def metrics(caller: Caller) -> Response:
    _operator(caller)
    return Response(*caller.desk.metrics.rendered())
