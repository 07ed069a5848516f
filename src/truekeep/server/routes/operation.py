"""What operators and monitors ask: jobs, usage, health, metrics, backup, check."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from truekeep import __version__, wire
from truekeep.engine.access import covers
from truekeep.model import Job, Usage
from truekeep.server import answers
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, documented, reply
from truekeep.server.meter import day, month
from truekeep.server.problems import Forbidden

router = APIRouter(tags=["operation"])
_LOOKED_AT = 1000  # jobs of a tenant


@router.get(
    "/v1/jobs", **documented("The latest jobs", answers.JobsAnswer, described="Those of spaces that the key covers.")
)
async def jobs(request: Request, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Response:
    def work(caller: Caller) -> Response:
        return reply({"jobs": [wire.record(job) for job in latest_jobs(caller, limit=limit)]})

    return await desk_of(request).serve(request, work, scope="read")


def latest_jobs(caller: Caller, *, limit: int) -> list[Job]:
    """Those that changed last, among the latest thousand of the tenant, of the spaces that the key covers."""
    found = caller.desk.store.latest_jobs(caller.tenant, limit=_LOOKED_AT)
    return [job for job in found if covers(caller.key, job.space.name)][:limit]


@router.get("/v1/jobs/{id}", **documented("How far a job is", answers.JobAnswer, errors=(404,), described="Its state."))
async def job(request: Request, id: Id) -> Response:
    return await desk_of(request).serve(request, lambda caller: reply(wire.record(caller.job(id))), scope="read")


@router.get(
    "/v1/usage", **documented("What was used this month and today", answers.UsageAnswer, described="Counts and quotas.")
)
async def usage(request: Request) -> Response:
    def work(caller: Caller) -> Response:
        now = caller.desk.clock()
        shown = [wire.record(one) for one in used(caller, {month(now), day(now)})]
        quotas = wire.record(caller.desk.callers.quotas_of(caller.key))
        return reply({"tenant": caller.tenant, "quotas": quotas, "usage": shown})

    return await desk_of(request).serve(request, work, scope="read")


def used(caller: Caller, periods: Collection[str]) -> list[Usage]:
    """What was used in these periods, as far as it is the caller's business."""
    caller.desk.meters.flush(caller.desk.clock())
    found = caller.desk.store.usage(caller.tenant, periods=periods)
    return [one for one in found if _visible(caller, one.subject)]


def _visible(caller: Caller, subject: str) -> bool:
    """A key sees its own counts, and the tenant's, to which its quotas apply; with `admin`, all of them."""
    kind, _, name = subject.partition(":")
    if kind == "space":
        return covers(caller.key, name)
    return kind == "tenant" or name == caller.key.id or "admin" in caller.key.scopes


@router.get(
    "/health",
    **documented("Whether it is alive; needs no key", answers.HealthAnswer, public=True),
)
async def health(request: Request) -> Response:
    desk = desk_of(request)
    await desk.run(desk.store.is_closed)  # a store that cannot be read is no health
    return reply({"status": "ok", "version": __version__})


@router.get("/v1/check", **documented("Read the whole store and tell what is damaged", answers.ProblemsAnswer))
async def check(request: Request) -> Response:
    def work(caller: Caller) -> Response:
        _operator(caller)
        return reply({"problems": caller.desk.store.check()})

    return await desk_of(request).serve(request, work, scope="admin")


@router.get(
    "/v1/backup",
    **documented("A complete copy of the store, all tenants included", None, media="application/octet-stream"),
)
async def backup(request: Request) -> Response:
    def work(caller: Caller) -> Path:
        _operator(caller)
        folder = Path(tempfile.mkdtemp(prefix="truekeep-backup-"))
        target = folder / "backup.db"
        caller.memory("default").backup(target)
        return target

    target = await desk_of(request).serve(request, work, scope="admin")
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


@router.get("/metrics", **documented("Counts and durations for Prometheus", None, media="text/plain"))
async def metrics(request: Request) -> Response:
    def work(caller: Caller) -> Response:
        _operator(caller)
        return Response(*request.app.state.metrics.rendered())

    return await desk_of(request).serve(request, work, scope="read")
