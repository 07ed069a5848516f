"""Undo: moments with a name, what differs between them, going back, and copies of a space."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.server import answers, schemas
from truekeep.server.desk import Caller
from truekeep.server.documented import CheckpointName, SpaceName, reply
from truekeep.server.fields import Name
from truekeep.server.routing import Route
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["undo"], route_class=Route)


@route(
    router.post,
    "/checkpoints",
    "Give the present moment a name",
    model.Checkpoint,
    scope="write",
    status=201,
    errors=(409,),
    described="The moment.",
)
def checkpoint(caller: Caller, space: SpaceName, body: schemas.CheckpointBody) -> Response:
    return reply(wire.record(caller.memory(space).checkpoint(body.name)), 201)


@route(
    router.get,
    "/checkpoints",
    "The moments that have a name",
    answers.CheckpointsAnswer,
    scope="read",
    described="Oldest first.",
)
def checkpoints(caller: Caller, space: SpaceName) -> Response:
    return reply({"checkpoints": [wire.record(one) for one in caller.memory(space).checkpoints()]})


@route(
    router.delete,
    "/checkpoints/{name}",
    "Let go of a checkpoint",
    answers.DroppedAnswer,
    scope="write",
    errors=(404,),
    described="It is gone; what is believed stays.",
)
def drop_checkpoint(caller: Caller, space: SpaceName, name: CheckpointName) -> Response:
    caller.memory(space).drop_checkpoint(name)
    return reply({"dropped": True})


@route(
    router.get,
    "/diff",
    "What differs between two checkpoints, or between one and now",
    model.Diff,
    scope="read",
    errors=(404,),
    described="What was added, superseded, said again and changed; what was forgotten is only counted.",
)
def diff(
    caller: Caller,
    space: SpaceName,
    since: Annotated[Name, Query(description="the earlier checkpoint")],
    until: Annotated[Name | None, Query(description="the later one; without it, now")] = None,
) -> Response:
    return reply(wire.record(caller.memory(space).diff(since, until)))


@route(
    router.post,
    "/restore",
    "Believe again what was believed at a checkpoint",
    model.Restoration,
    scope="write",
    counts="write",
    errors=(404, 409),
    described="What was taken back, or would be.",
)
def restore(caller: Caller, space: SpaceName, body: schemas.RestoreBody) -> Response:
    return reply(wire.record(caller.memory(space).restore(body.checkpoint, dry_run=body.dry_run)))


@route(
    router.post,
    "/fork",
    "Copy a space into a new one",
    model.Checkpoint,
    scope="write",
    counts="write",
    status=201,
    errors=(404, 409),
    described="The first moment of the copy.",
)
def fork(caller: Caller, space: SpaceName, body: schemas.ForkBody) -> Response:
    caller.may("read", space)  # or a copy would be a way around it
    caller.may("write", body.name)
    return reply(wire.record(caller.memory(space).fork(body.name, at=body.at)), 201)
