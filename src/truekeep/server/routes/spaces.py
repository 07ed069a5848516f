"""Spaces as a whole: statistics, sessions, export and import, the change feed, erasure; going back, and copies."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from truekeep import model, wire
from truekeep.engine.lines import Lines
from truekeep.model import SpaceId
from truekeep.server.bodies import pieces
from truekeep.server.desk import Caller, Desk, desk_of
from truekeep.server.openapi import answer
from truekeep.server.schemas import Body, CheckpointName, Name, Number, PageCursor, PageLimit, SpaceName, example
from truekeep.server.serving import Routes, reply

routes = Routes("/v1/spaces", "spaces")
moments = Routes("/v1/spaces/{space}", "undo")

NDJSON = "application/x-ndjson"
_EXPORT = {
    "schema": {"type": "string"},
    "example": '{"type":"header","format":"truekeep","version":1,"space":"bot"}\n',
}
_LINES = 200  # of an export, made in one trip to a thread
_IN_MEMORY = 1024 * 1024  # of an import, before it goes to a file

SpacesAnswer = answer("SpacesAnswer", spaces=[model.SpaceSize], cursor=str | None)


class FlushBody(Body, json_schema_extra=example({"limit": 10})):
    """How long to work."""

    limit: Number = Field(10, ge=1e-6, le=60, description="seconds to work at most")


class CheckpointBody(Body, json_schema_extra=example({"name": "before-import"})):
    """What to call the present moment."""

    name: Name


class RestoreBody(Body, json_schema_extra=example({"checkpoint": "before-import", "dry_run": True})):
    """The moment to go back to."""

    checkpoint: Name
    dry_run: bool = Field(False, description="change nothing, and tell what would be taken back")


class ForkBody(Body, json_schema_extra=example({"name": "support-bot-trial", "at": "before-import"})):
    """What to call the copy, and as of when it is made."""

    name: Name
    at: Name | None = Field(None, description="a checkpoint; without it, now")


@routes.get("", scope="read", answer=SpacesAnswer, described="By name.")
def list_spaces(caller: Caller, limit: PageLimit = 100, cursor: PageCursor = None) -> dict[str, Any]:
    """The spaces that hold something."""
    found = caller.spaces(after=cursor or "", limit=limit + 1)
    more = len(found) > limit
    shown = found[:limit]
    return {"spaces": [wire.record(one) for one in shown], "cursor": shown[-1].name if more else None}


@routes.get("/{space}", scope="read", described="Numbers.")
def stats(caller: Caller, space: SpaceName) -> model.Stats:
    """How much is where."""
    return caller.stats(space)


@routes.delete("/{space}", scope="write", described="All of it is gone.")
def erase(caller: Caller, space: SpaceName) -> model.Receipt:
    """Erase a whole space."""
    return caller.memory(space).forget(everything=True)


@routes.get("/{space}/sessions", scope="read", described="Latest first.")
def sessions(caller: Caller, space: SpaceName) -> Annotated[list[model.Session], "sessions"]:
    """The conversations."""
    return caller.memory(space).sessions()


@routes.get("/{space}/export", scope="read", media=NDJSON)
def export(caller: Caller, space: SpaceName) -> Response:
    """The whole space as lines of JSON."""
    return StreamingResponse(_exported(caller.desk, caller.memory(space).export()), media_type=NDJSON)


async def _exported(desk: Desk, lines: Iterator[str]) -> AsyncIterator[str]:
    while block := await desk.run(lambda: list(islice(lines, _LINES))):
        yield "".join(block)


@routes.asked(
    "POST",
    "/{space}/import",
    model.Imported,
    sent={NDJSON: _EXPORT},
    errors=(413, 429),
    described="What was restored.",
)
async def import_(request: Request, space: SpaceName) -> Response:
    """Restore an export: all of it, or nothing if a line is malformed."""
    desk = desk_of(request)
    await desk.serve(request, lambda caller: None, scope="write", space=space)  # before a large body is taken in
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        async for piece in pieces(request, request.app.state.settings.import_bytes):
            file.write(piece)

        def work(caller: Caller) -> Response:
            return reply(wire.record(caller.engine(space).import_(Lines(file))))

        return await desk.serve(request, work, scope="write", space=space, counts="write")


@routes.asked("GET", "/{space}/events", model.Changes, described="The latest state of each item.")
async def events(
    request: Request,
    space: SpaceName,
    after: Annotated[int, Query(ge=0, le=2**53, description="the cursor of the answer before")] = 0,
    limit: PageLimit = 100,
    wait: Annotated[float, Query(ge=0, le=60, description="seconds to wait for a change")] = 0,
) -> Response:
    """What changed after a cursor."""
    desk = desk_of(request)

    def look(caller: Caller) -> tuple[Response, bool, SpaceId]:
        changes = caller.memory(space).changes(after, limit=limit)
        is_quiet = not changes.events and not changes.missed
        return reply(wire.record(changes)), is_quiet, SpaceId(caller.tenant, space)

    answer, is_quiet, id = await desk.serve(request, look, scope="read", space=space)
    if is_quiet and wait:
        await request.app.state.watcher.moved(id, after, wait)
        answer, *_ = await desk.serve(request, look, scope="read", space=space)  # the key may be gone by now
    return answer


@routes.post("/{space}/flush", scope="write", described="Whether all is done.")
def flush(caller: Caller, space: SpaceName, body: FlushBody) -> Annotated[bool, "done"]:
    """Do the waiting work now."""
    with caller.desk.one_flush() as is_ours:
        return is_ours and caller.memory(space).flush(body.limit)


@moments.post("/checkpoints", scope="write", status=201, errors=(409,), described="The moment.")
def checkpoint(caller: Caller, space: SpaceName, body: CheckpointBody) -> model.Checkpoint:
    """Give the present moment a name."""
    return caller.memory(space).checkpoint(body.name)


@moments.get("/checkpoints", scope="read", described="Oldest first.")
def checkpoints(caller: Caller, space: SpaceName) -> Annotated[list[model.Checkpoint], "checkpoints"]:
    """The moments that have a name."""
    return caller.memory(space).checkpoints()


@moments.delete("/checkpoints/{name}", scope="write", errors=(404,), described="It is gone; what is believed stays.")
def drop_checkpoint(caller: Caller, space: SpaceName, name: CheckpointName) -> Annotated[bool, "dropped"]:
    """Let go of a checkpoint."""
    caller.memory(space).drop_checkpoint(name)
    return True


@moments.get(
    "/diff",
    scope="read",
    errors=(404,),
    described="What was added, superseded, said again and changed; what was forgotten is only counted.",
)
def diff(
    caller: Caller,
    space: SpaceName,
    since: Annotated[Name, Query(description="the earlier checkpoint")],
    until: Annotated[Name | None, Query(description="the later one; without it, now")] = None,
) -> model.Diff:
    """What differs between two checkpoints, or between one and now."""
    return caller.memory(space).diff(since, until)


@moments.post(
    "/restore", scope="write", counts="write", errors=(404, 409), described="What was taken back, or would be."
)
def restore(caller: Caller, space: SpaceName, body: RestoreBody) -> model.Restoration:
    """Believe again what was believed at a checkpoint."""
    return caller.memory(space).restore(body.checkpoint, dry_run=body.dry_run)


@moments.post(
    "/fork", scope="write", counts="write", status=201, errors=(404, 409), described="The first moment of the copy."
)
def fork(caller: Caller, space: SpaceName, body: ForkBody) -> model.Checkpoint:
    """Copy a space into a new one."""
    caller.may("read", space)  # or a copy would be a way around it
    caller.may("write", body.name)
    return caller.memory(space).fork(body.name, at=body.at)
