"""Review: doubts between two memories, and memories in quarantine, for somebody who knows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from truekeep import wire
from truekeep.server import answers, schemas
from truekeep.server.bodies import read
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, SpaceName, documented, reply
from truekeep.server.fields import Limit
from truekeep.server.routing import Route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["review"], route_class=Route)


@router.get(
    "/review",
    **documented("What waits for somebody to look at it", answers.ReviewAnswer, described="The latest first."),
)
async def review(
    request: Request, space: SpaceName, limit: Annotated[Limit, Query(description="at most this many of each")] = 100
) -> Response:
    return await desk_of(request).serve(
        request,
        lambda caller: reply(wire.record(caller.memory(space).review(limit=limit))),
        scope="read",
        space=space,
    )


@router.post(
    "/resolve",
    **documented(
        "Settle a doubt between two memories",
        answers.SuspicionAnswer,
        body=schemas.ResolveBody,
        errors=(404, 409, 429),
        described="Both as they are now.",
    ),
)
async def resolve(request: Request, space: SpaceName) -> Response:
    body = await read(request, schemas.ResolveBody)

    def work(caller: Caller) -> Response:
        settled = caller.memory(space).resolve(body.suspicion, keep=body.keep)
        return reply(wire.record(settled))

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")


@router.post(
    "/memories/{id}/release",
    **documented(
        "Let a memory out of quarantine", answers.ItemAnswer, errors=(404, 409, 429), described="As it is now."
    ),
)
async def release(request: Request, space: SpaceName, id: Id) -> Response:
    return await desk_of(request).serve(
        request,
        lambda caller: reply(wire.record(caller.memory(space).release(id))),
        scope="write",
        space=space,
        counts="write",
    )
