"""Memories: remembering, listing, reading, correcting, forgetting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.errors import NotFound
from truekeep.server import answers, schemas
from truekeep.server.desk import Caller
from truekeep.server.documented import Id, IdempotencyKey, SpaceName, reply
from truekeep.server.routing import Route
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["memories"], route_class=Route)


@route(
    router.post,
    "/memories",
    "Remember one thing, or several in one transaction",
    answers.of(model.Remembered) | answers.RememberedManyAnswer,
    scope="write",
    counts="write",
    large=True,
    status=201,
    errors=(409,),
    described="Remembered: it survives a power cut, and the next recall can find it.",
)
def remember(
    caller: Caller, space: SpaceName, body: schemas.OneOrMany, idempotency_key: IdempotencyKey = None
) -> Response:
    memory = caller.memory(space)
    if isinstance(body, schemas.RememberBody):
        given = body.arguments()
        if idempotency_key is not None:
            given.setdefault("idempotency_key", idempotency_key)
        return reply(wire.record(memory.remember(**given)), 201)
    several = body.items if isinstance(body, schemas.RememberManyBody) else body.root
    kept = memory.remember_many([_numbered(item, number, idempotency_key) for number, item in enumerate(several)])
    return reply({"remembered": [wire.record(one) for one in kept]}, 201)


def _numbered(item: schemas.RememberBody | str, number: int, key: str | None) -> dict[str, Any]:
    """One of a batch. Their keys follow from that of the request, so a retry finds all of them again."""
    given = {"content": item} if isinstance(item, str) else item.arguments()
    if key is not None:
        given.setdefault("idempotency_key", f"{key}:{number}")
    return given


@route(
    router.get,
    "/memories",
    "List memories, newest first",
    model.Page,
    scope="read",
    described="A page of them.",
)
def list_memories(caller: Caller, space: SpaceName, asked: Annotated[schemas.ListQuery, Query()]) -> Response:
    memory = caller.memory(space)
    if asked.offset is not None:
        found = memory.items(limit=asked.limit, offset=asked.offset, **asked.filters())
        return reply({"items": [wire.record(item) for item in found], "cursor": None})
    return reply(wire.record(memory.page(limit=asked.limit, cursor=asked.cursor, **asked.filters())))


@route(router.get, "/memories/{id}", "Read one memory", model.MemoryItem, scope="read", errors=(404,))
def read_memory(caller: Caller, space: SpaceName, id: Id) -> Response:
    return reply(wire.record(caller.memory(space).item(id)))


@route(
    router.patch,
    "/memories/{id}",
    "Correct one memory",
    model.MemoryItem,
    scope="write",
    counts="write",
    errors=(404, 409),
    described="As it is now.",
)
def correct(
    caller: Caller, space: SpaceName, id: Id, body: schemas.CorrectBody, idempotency_key: IdempotencyKey = None
) -> Response:
    return reply(wire.record(caller.memory(space).correct(id, **body.given(), idempotency_key=idempotency_key)))


@route(
    router.delete,
    "/memories/{id}",
    "Forget one memory for good",
    model.Receipt,
    scope="write",
    errors=(404,),
    described="Gone.",
)
def forget_one(caller: Caller, space: SpaceName, id: Id) -> Response:
    receipt = caller.memory(space).forget(id)
    if not receipt.erased:
        raise NotFound(f"no item {id!r} in the space {space!r}")
    return reply(wire.record(receipt))


@route(
    router.get,
    "/memories/{id}/history",
    "Every version, and why it changed",
    answers.VersionsAnswer,
    scope="read",
    errors=(404,),
    described="Oldest first.",
)
def history(caller: Caller, space: SpaceName, id: Id) -> Response:
    return reply({"versions": [wire.record(item) for item in caller.memory(space).history(id)]})


@route(
    router.post,
    "/forget",
    "Forget what the filters match, for good",
    model.Receipt,
    scope="write",
    errors=(404,),
    described="What was erased, found out by searching again.",
)
def forget(caller: Caller, space: SpaceName, body: schemas.ForgetBody) -> Response:
    return reply(wire.record(caller.memory(space).forget(**body.given())))
