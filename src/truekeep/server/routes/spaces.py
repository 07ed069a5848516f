"""Spaces as a whole: listing, statistics, sessions, export and import, the change feed, erasure."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from truekeep import model, wire
from truekeep.engine.lines import Lines
from truekeep.model import SpaceId
from truekeep.server import answers, schemas
from truekeep.server.bodies import pieces
from truekeep.server.desk import Caller, Desk, desk_of
from truekeep.server.documented import SpaceName, documented, reply
from truekeep.server.serving import refuse_unknown, route

router = APIRouter(prefix="/v1/spaces", tags=["spaces"])

NDJSON = "application/x-ndjson"
_EXPORT = {
    "schema": {"type": "string"},
    "example": '{"type":"header","format":"truekeep","version":1,"space":"bot"}\n',
}
_LINES = 200  # of an export, made in one trip to a thread
_IN_MEMORY = 1024 * 1024  # of an import, before it goes to a file


@route(router.get, "", "The spaces that hold something", answers.SpacesAnswer, scope="read", described="By name.")
def list_spaces(
    caller: Caller,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(description="that of the page before")] = None,
) -> Response:
    found = caller.spaces(after=cursor or "", limit=limit + 1)
    more = len(found) > limit
    shown = found[:limit]
    return reply({"spaces": [wire.record(one) for one in shown], "cursor": shown[-1].name if more else None})


@route(router.get, "/{space}", "How much is where", model.Stats, scope="read", described="Numbers.")
def stats(caller: Caller, space: SpaceName) -> Response:
    return reply(wire.record(caller.stats(space)))


@route(
    router.delete,
    "/{space}",
    "Erase a whole space",
    model.Receipt,
    scope="write",
    described="All of it is gone.",
)
def erase(caller: Caller, space: SpaceName) -> Response:
    return reply(wire.record(caller.memory(space).forget(everything=True)))


@route(
    router.get,
    "/{space}/sessions",
    "The conversations",
    answers.SessionsAnswer,
    scope="read",
    described="Latest first.",
)
def sessions(caller: Caller, space: SpaceName) -> Response:
    return reply({"sessions": [wire.record(one) for one in caller.memory(space).sessions()]})


@route(router.get, "/{space}/export", "The whole space as lines of JSON", None, scope="read", media=NDJSON)
def export(caller: Caller, space: SpaceName) -> Response:
    return StreamingResponse(_exported(caller.desk, caller.memory(space).export()), media_type=NDJSON)


async def _exported(desk: Desk, lines: Iterator[str]) -> AsyncIterator[str]:
    while block := await desk.run(lambda: list(islice(lines, _LINES))):
        yield "".join(block)


@router.post(
    "/{space}/import",
    **documented(
        "Restore an export: all of it, or nothing if a line is malformed",
        model.Imported,
        errors=(413, 429),
        described="What was restored.",
    )
    | {"openapi_extra": {"requestBody": {"required": True, "content": {NDJSON: _EXPORT}}}},
)
async def import_(request: Request, space: SpaceName) -> Response:
    await refuse_unknown(request)
    desk = desk_of(request)
    await desk.serve(request, lambda caller: None, scope="write", space=space)  # before a large body is taken in
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        async for piece in pieces(request, request.app.state.settings.import_bytes):
            file.write(piece)

        def work(caller: Caller) -> Response:
            return reply(wire.record(caller.engine(space).import_(Lines(file))))

        return await desk.serve(request, work, scope="write", space=space, counts="write")


@router.get(
    "/{space}/events",
    **documented("What changed after a cursor", model.Changes, described="The latest state of each item."),
)
async def events(
    request: Request,
    space: SpaceName,
    after: Annotated[int, Query(ge=0, le=2**53, description="the cursor of the answer before")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    wait: Annotated[float, Query(ge=0, le=60, description="seconds to wait for a change")] = 0,
) -> Response:
    await refuse_unknown(request)
    desk = desk_of(request)

    def look(caller: Caller) -> tuple[Response | None, SpaceId]:
        changes = caller.memory(space).changes(after, limit=limit)
        quiet = not changes.events and not changes.missed
        return (None if quiet and wait else reply(wire.record(changes))), SpaceId(caller.tenant, space)

    answer, id = await desk.serve(request, look, scope="read", space=space)
    if answer is not None:
        return answer
    await request.app.state.watcher.moved(id, after, wait)

    def look_again(caller: Caller) -> Response:
        return reply(wire.record(caller.memory(space).changes(after, limit=limit)))

    return await desk.serve(request, look_again, scope="read", space=space)  # the key may be gone by now


@route(
    router.post,
    "/{space}/flush",
    "Do the waiting work now",
    answers.DoneAnswer,
    scope="write",
    described="Whether all is done.",
)
def flush(caller: Caller, space: SpaceName, body: schemas.FlushBody) -> Response:
    with caller.desk.one_flush() as is_ours:
        return reply({"done": is_ours and caller.memory(space).flush(body.limit)})
