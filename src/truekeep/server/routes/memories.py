"""Memories: remembering, listing, reading, correcting, forgetting."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from truekeep import wire
from truekeep.engine import admit
from truekeep.errors import NotFound
from truekeep.model import Trust
from truekeep.server import answers, schemas
from truekeep.server.bodies import raw_json, read
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, IdempotencyKey, SpaceName, documented, reply
from truekeep.server.fields import Cursor, KindFilters, Limit, Name, Tags, Time
from truekeep.server.routing import Route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["memories"], route_class=Route)
_MANY = re.compile(rb'\s*\{\s*"items"\s*:')


@router.post(
    "/memories",
    **documented(
        "Remember one thing, or several in one transaction",
        answers.RememberedAnswer | answers.RememberedManyAnswer,  # type: ignore[arg-type]  # a union is fine for FastAPI
        body=[schemas.RememberBody, schemas.RememberManyBody, schemas.RememberListBody],
        status=201,
        errors=(409, 429),
        described="Remembered: it survives a power cut, and the next recall can find it.",
    ),
)
async def remember(request: Request, space: SpaceName, idempotency_key: IdempotencyKey = None) -> Response:
    text = await raw_json(request, large=True)
    one, many = _read(text)

    def work(caller: Caller) -> Response:
        memory = caller.memory(space)
        if one is not None:
            given = one.arguments()
            if idempotency_key is not None:
                given.setdefault("idempotency_key", idempotency_key)
            return reply(wire.record(memory.remember(**given)), 201)
        # A number follows it: looked at before, or a blank one would pass.
        key = None if idempotency_key is None else admit.name(idempotency_key, "idempotency_key", admit.Limits())
        kept = memory.remember_many([_numbered(item, number, key) for number, item in enumerate(many)])
        return reply({"remembered": [wire.record(one) for one in kept]}, 201)

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")


def _read(text: bytes) -> tuple[schemas.RememberBody | None, list[schemas.RememberBody | str]]:
    """One body, or several: a list, or an object with `items` and nothing else, which is seen by how it begins."""
    if text.lstrip()[:1] == b"[":
        return None, schemas.RememberListBody.model_validate_json(text, strict=True).root
    if _MANY.match(text):
        return None, schemas.RememberManyBody.model_validate_json(text, strict=True).items
    return schemas.RememberBody.model_validate_json(text, strict=True), []


def _numbered(item: schemas.RememberBody | str, number: int, key: str | None) -> dict[str, Any]:
    """One of a batch. Their keys follow from that of the request, so a retry finds all of them again."""
    given = {"content": item} if isinstance(item, str) else item.arguments()
    if key is not None:
        given.setdefault("idempotency_key", f"{key}:{number}")
    return given


@router.get("/memories", **documented("List memories, newest first", answers.PageAnswer, described="A page of them."))
async def list_memories(
    request: Request,
    space: SpaceName,
    limit: Annotated[Limit, Query(description="at most this many")] = 100,
    cursor: Annotated[Cursor | None, Query(description="that of the page before")] = None,
    offset: Annotated[int | None, Query(ge=0, le=2**53, description="instead of a cursor: leave out so many")] = None,
    kinds: Annotated[KindFilters | None, Query(description="any of these; '-kind' leaves one out")] = None,
    tags: Annotated[Tags | None, Query(description="all of these")] = None,
    session: Name | None = None,
    speaker: Name | None = None,
    source: Name | None = None,
    since: Time | None = None,
    until: Time | None = None,
    before: Time | None = None,
    as_of: Time | None = None,
    known_at: Time | None = None,
    min_trust: Trust | None = None,
    include_superseded: bool = False,
) -> Response:
    filters = {
        "kinds": kinds,
        "tags": tags,
        "session": session,
        "speaker": speaker,
        "source": source,
        "since": since,
        "until": until,
        "before": before,
        "as_of": as_of,
        "known_at": known_at,
        "min_trust": min_trust,
        "include_superseded": include_superseded,
    }

    def work(caller: Caller) -> Response:
        memory = caller.memory(space)
        if offset is not None:
            found = memory.items(limit=limit, offset=offset, **filters)
            return reply({"items": [wire.record(item) for item in found], "cursor": None})
        return reply(wire.record(memory.page(limit=limit, cursor=cursor, **filters)))

    return await desk_of(request).serve(request, work, scope="read", space=space)


@router.get("/memories/{id}", **documented("Read one memory", answers.ItemAnswer, errors=(404,)))
async def read_memory(request: Request, space: SpaceName, id: Id) -> Response:
    return await desk_of(request).serve(
        request, lambda caller: reply(wire.record(caller.memory(space).item(id))), scope="read", space=space
    )


@router.patch(
    "/memories/{id}",
    **documented(
        "Correct one memory",
        answers.ItemAnswer,
        body=schemas.CorrectBody,
        errors=(404, 409, 429),
        described="As it is now.",
    ),
)
async def correct(request: Request, space: SpaceName, id: Id, idempotency_key: IdempotencyKey = None) -> Response:
    body = await read(request, schemas.CorrectBody)

    def work(caller: Caller) -> Response:
        edits = {name: getattr(body, name) for name in body.model_fields_set}
        return reply(wire.record(caller.memory(space).correct(id, **edits, idempotency_key=idempotency_key)))

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")


@router.delete(
    "/memories/{id}",
    **documented("Forget one memory for good", answers.ReceiptAnswer, errors=(404,), described="Gone."),
)
async def forget_one(request: Request, space: SpaceName, id: Id) -> Response:
    def work(caller: Caller) -> Response:
        receipt = caller.memory(space).forget(id)
        if not receipt.erased:
            raise NotFound(f"no item {id!r} in the space {space!r}")
        return reply(wire.record(receipt))

    return await desk_of(request).serve(request, work, scope="write", space=space)


@router.get(
    "/memories/{id}/history",
    **documented("Every version, and why it changed", answers.VersionsAnswer, errors=(404,), described="Oldest first."),
)
async def history(request: Request, space: SpaceName, id: Id) -> Response:
    def work(caller: Caller) -> Response:
        return reply({"versions": [wire.record(item) for item in caller.memory(space).history(id)]})

    return await desk_of(request).serve(request, work, scope="read", space=space)


@router.post(
    "/forget",
    **documented(
        "Forget what the filters match, for good",
        answers.ReceiptAnswer,
        body=schemas.ForgetBody,
        errors=(404,),
        described="What was erased, found out by searching again.",
    ),
)
async def forget(request: Request, space: SpaceName) -> Response:
    body = await read(request, schemas.ForgetBody)

    def work(caller: Caller) -> Response:
        given = {name: getattr(body, name) for name in body.model_fields_set}
        return reply(wire.record(caller.memory(space).forget(**given)))

    return await desk_of(request).serve(request, work, scope="write", space=space)
