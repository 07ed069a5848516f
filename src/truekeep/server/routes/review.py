"""Review: doubts between two memories, and memories in quarantine, for somebody who knows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.server import schemas
from truekeep.server.desk import Caller
from truekeep.server.documented import Id, SpaceName, reply
from truekeep.server.fields import Limit
from truekeep.server.routing import Route
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["review"], route_class=Route)


@route(
    router.get,
    "/review",
    "What waits for somebody to look at it",
    model.Review,
    scope="read",
    described="The latest first.",
)
def review(
    caller: Caller, space: SpaceName, limit: Annotated[Limit, Query(description="at most this many of each")] = 100
) -> Response:
    return reply(wire.record(caller.memory(space).review(limit=limit)))


@route(
    router.post,
    "/resolve",
    "Settle a doubt between two memories",
    model.Suspicion,
    scope="write",
    counts="write",
    errors=(404, 409),
    described="Both as they are now.",
)
def resolve(caller: Caller, space: SpaceName, body: schemas.ResolveBody) -> Response:
    return reply(wire.record(caller.memory(space).resolve(body.suspicion, keep=body.keep)))


@route(
    router.post,
    "/memories/{id}/release",
    "Let a memory out of quarantine",
    model.MemoryItem,
    scope="write",
    counts="write",
    errors=(404, 409),
    described="As it is now.",
)
def release(caller: Caller, space: SpaceName, id: Id) -> Response:
    return reply(wire.record(caller.memory(space).release(id)))
