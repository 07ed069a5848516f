"""Values: JSON under keys, with versions as ETags."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Request
from starlette.responses import Response

from truekeep import wire
from truekeep.errors import Conflict, NotFound
from truekeep.memory import Memory
from truekeep.model import Value
from truekeep.server import answers, schemas
from truekeep.server.bodies import read
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import IdempotencyKey, Key, SpaceName, documented, reply
from truekeep.server.problems import PreconditionFailed
from truekeep.server.routing import Route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["values"], route_class=Route)

IfMatch = Annotated[str | None, Header(alias="If-Match", description='only if the value has this version: "3"')]
IfNoneMatch = Annotated[
    Literal["*"] | None, Header(alias="If-None-Match", description="*: only if there is no value yet")
]


@router.get("/values", **documented("The keys that have a value", answers.KeysOfValuesAnswer, described="Sorted."))
async def list_keys(request: Request, space: SpaceName) -> Response:
    return await desk_of(request).serve(
        request, lambda caller: reply({"keys": caller.memory(space).keys()}), scope="read", space=space
    )


@router.get("/values/{key}", **documented("Read a value", answers.ValueAnswer, errors=(404,), described="As it is."))
async def read_value(request: Request, space: SpaceName, key: Key) -> Response:
    def work(caller: Caller) -> Response:
        value = caller.memory(space).value(key)
        if value is None:
            raise NotFound(f"no value under {key!r} in the space {space!r}")
        return _shown(value)

    return await desk_of(request).serve(request, work, scope="read", space=space)


@router.put(
    "/values/{key}",
    **documented(
        "Keep JSON under a key; null deletes",
        answers.ValueAnswer | answers.DeletedAnswer,  # type: ignore[arg-type]  # a union is fine for FastAPI
        body=schemas.ValueBody,
        errors=(409, 412, 429),
        described="As it is now.",
    ),
)
async def set_value(
    request: Request,
    space: SpaceName,
    key: Key,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    body = await read(request, schemas.ValueBody, large=True)
    guarded = if_match is not None or if_none_match is not None

    def work(caller: Caller) -> Response:
        memory = caller.memory(space)
        version = _version(memory, key, if_match, if_none_match)
        try:
            value = memory.set(key, body.value, ttl=body.ttl, if_version=version, idempotency_key=idempotency_key)
        except Conflict as error:
            raise (PreconditionFailed(str(error)) if guarded else error) from error
        return reply({"key": key, "deleted": True}) if value is None else _shown(value)

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")


@router.delete(
    "/values/{key}", **documented("Delete a value", answers.DeletedAnswer, errors=(404,), described="It is gone.")
)
async def delete_value(request: Request, space: SpaceName, key: Key) -> Response:
    def work(caller: Caller) -> Response:
        if not caller.memory(space).delete(key):
            raise NotFound(f"no value under {key!r} in the space {space!r}")
        return reply({"key": key, "deleted": True})

    return await desk_of(request).serve(request, work, scope="write", space=space)


@router.post(
    "/values/{key}/append",
    **documented(
        "Add an element to a list, atomically",
        answers.ValueAnswer,
        body=schemas.AppendBody,
        errors=(409, 429),
        described="The list as it is now.",
    ),
)
async def append(request: Request, space: SpaceName, key: Key, idempotency_key: IdempotencyKey = None) -> Response:
    body = await read(request, schemas.AppendBody, large=True)

    def work(caller: Caller) -> Response:
        return _shown(caller.memory(space).append(key, body.element, idempotency_key=idempotency_key))

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")


@router.post(
    "/values/{key}/increment",
    **documented(
        "Add to a number, atomically",
        answers.ValueAnswer,
        body=schemas.IncrementBody,
        errors=(409, 429),
        described="The number as it is now.",
    ),
)
async def increment(request: Request, space: SpaceName, key: Key, idempotency_key: IdempotencyKey = None) -> Response:
    body = await read(request, schemas.IncrementBody)

    def work(caller: Caller) -> Response:
        return _shown(caller.memory(space).increment(key, body.by, idempotency_key=idempotency_key))

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")


def _shown(value: Value) -> Response:
    return reply(wire.record(value), headers={"ETag": f'"{value.version}"'})


def _version(memory: Memory, key: str, if_match: str | None, if_none_match: str | None) -> int | None:
    """The version that the caller expects; None when they do not care."""
    if if_none_match is not None:
        return 0
    if if_match is None:
        return None
    if if_match.strip() == "*":
        present = memory.value(key)
        if present is None:
            raise PreconditionFailed("there is no value yet")
        return present.version
    text = if_match.strip().removeprefix("W/").strip('"')
    if not text.isdecimal() or len(text) > 18:
        raise PreconditionFailed("If-Match is not a version that this value ever had")
    return int(text)
