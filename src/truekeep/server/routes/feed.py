"""The feed over all spaces: what changed, told to readers whose positions are kept here."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine import admit, requests
from truekeep.engine.access import covers
from truekeep.engine.verbs.feed import Feeds
from truekeep.model import Feed, SpaceId
from truekeep.server.desk import Caller, desk_of
from truekeep.server.schemas import Body, Name, PageLimit, Position, ReaderName, example
from truekeep.server.serving import Routes, reply
from truekeep.server.watcher import place_of

routes = Routes("/v1/feed", "feed")

# Pydantic describes names by a pattern, and says nothing of those that do not match it.
_Positions = Annotated[
    dict[Name, Position], Field(max_length=10_000, json_schema_extra={"additionalProperties": False})
]


class AcknowledgeBody(Body, json_schema_extra=example({"positions": {"support-bot": 17}})):
    """What a reader has dealt with."""

    positions: _Positions | None = Field(
        None, description="those of the feed; without them, all that has changed until now"
    )


def feeds_of(caller: Caller) -> Feeds:
    """The readers of the tenant, in the spaces that the key covers."""
    return Feeds(caller.desk.store, caller.tenant, partial(covers, caller.key))


@routes.get("", scope="read", described="By name.")
def list_readers(caller: Caller) -> Annotated[list[model.Reader], "readers"]:
    """The readers of the tenant."""
    return feeds_of(caller).readers(caller.desk.clock())


@routes.asked("GET", "/{reader}", model.Feed, described="After what the reader has acknowledged.")
async def read(
    request: Request,
    reader: ReaderName,
    limit: PageLimit = 100,
    wait: Annotated[float, Query(ge=0, le=60, description="seconds to wait for a change")] = 0,
) -> Response:
    """What changed in all spaces."""
    desk, ends = desk_of(request), time.monotonic() + wait

    def look(caller: Caller) -> tuple[Feed, SpaceId, int]:
        own = SpaceId.own(caller.tenant)
        place = place_of(desk.store, own)  # first: what comes meanwhile is not slept through
        found = feeds_of(caller).read(_named(caller, reader), limit=limit, now=desk.clock())
        for space in dict.fromkeys(event.space for event in found.events):
            caller.note(space, "feed", [event.id for event in found.events if event.space == space and event.id])
        return found, own, place

    has_moved = True
    while True:
        found, own, place = await desk.serve(request, look, scope="read")  # anew: the key may be gone by now
        left = ends - time.monotonic()
        if found.events or left <= 0 or not has_moved:
            return reply(wire.record(found))
        has_moved = await request.app.state.watcher.moved(own, place, left)


@routes.post("/{reader}", scope="read", errors=(409,), described="From there on it is told what changes.")
def acknowledge(caller: Caller, reader: ReaderName, body: AcknowledgeBody) -> model.Reader:
    """Note how far a reader has come."""
    limits = caller.desk.opened.limits
    positions = None if body.positions is None else requests.positions(body.positions, limits)
    return feeds_of(caller).acknowledge(_named(caller, reader), positions, now=caller.desk.clock())


@routes.delete("/{reader}", scope="read", errors=(404,), described="Forgotten.")
def drop(caller: Caller, reader: ReaderName) -> Annotated[bool, "dropped"]:
    """Forget how far a reader has come."""
    feeds_of(caller).drop(_named(caller, reader), now=caller.desk.clock())
    return True


def _named(caller: Caller, reader: str) -> str:
    return admit.name(reader, "reader", caller.desk.opened.limits)
