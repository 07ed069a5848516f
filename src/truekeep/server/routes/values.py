"""Values: JSON under keys, with versions as ETags."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Header
from starlette.responses import Response

from truekeep import model, wire
from truekeep.errors import Conflict, NotFound
from truekeep.memory import Memory
from truekeep.model import Value
from truekeep.server import answers, schemas
from truekeep.server.desk import Caller
from truekeep.server.documented import IdempotencyKey, Key, SpaceName, reply
from truekeep.server.problems import PreconditionFailed
from truekeep.server.routing import Route
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["values"], route_class=Route)

IfMatch = Annotated[str | None, Header(alias="If-Match", description='only if the value has this version: "3"')]
IfNoneMatch = Annotated[
    Literal["*"] | None, Header(alias="If-None-Match", description="*: only if there is no value yet")
]


@route(
    router.get,
    "/values",
    "The keys that have a value",
    answers.KeysOfValuesAnswer,
    scope="read",
    described="Sorted.",
)
def list_keys(caller: Caller, space: SpaceName) -> Response:
    return reply({"keys": caller.memory(space).keys()})


@route(
    router.get,
    "/values/{key}",
    "Read a value",
    model.Value,
    scope="read",
    errors=(404,),
    described="As it is.",
)
def read_value(caller: Caller, space: SpaceName, key: Key) -> Response:
    value = caller.memory(space).value(key)
    if value is None:
        raise NotFound(f"no value under {key!r} in the space {space!r}")
    return _shown(value)


@route(
    router.put,
    "/values/{key}",
    "Keep JSON under a key; null deletes",
    answers.of(model.Value) | answers.DeletedAnswer,
    scope="write",
    counts="write",
    large=True,
    errors=(409, 412),
    described="As it is now.",
)
def set_value(
    caller: Caller,
    space: SpaceName,
    key: Key,
    body: schemas.ValueBody,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    memory = caller.memory(space)
    version = _version(memory, key, if_match, if_none_match)
    try:
        value = memory.set(key, body.value, ttl=body.ttl, if_version=version, idempotency_key=idempotency_key)
    except Conflict as error:
        guarded = if_match is not None or if_none_match is not None
        raise (PreconditionFailed(str(error)) if guarded else error) from error
    return reply({"key": key, "deleted": True}) if value is None else _shown(value)


@route(
    router.delete,
    "/values/{key}",
    "Delete a value",
    answers.DeletedAnswer,
    scope="write",
    errors=(404,),
    described="It is gone.",
)
def delete_value(caller: Caller, space: SpaceName, key: Key) -> Response:
    if not caller.memory(space).delete(key):
        raise NotFound(f"no value under {key!r} in the space {space!r}")
    return reply({"key": key, "deleted": True})


@route(
    router.post,
    "/values/{key}/append",
    "Add an element to a list, atomically",
    model.Value,
    scope="write",
    counts="write",
    large=True,
    errors=(409,),
    described="The list as it is now.",
)
def append(
    caller: Caller, space: SpaceName, key: Key, body: schemas.AppendBody, idempotency_key: IdempotencyKey = None
) -> Response:
    return _shown(caller.memory(space).append(key, body.element, idempotency_key=idempotency_key))


@route(
    router.post,
    "/values/{key}/increment",
    "Add to a number, atomically",
    model.Value,
    scope="write",
    counts="write",
    errors=(409,),
    described="The number as it is now.",
)
def increment(
    caller: Caller, space: SpaceName, key: Key, body: schemas.IncrementBody, idempotency_key: IdempotencyKey = None
) -> Response:
    return _shown(caller.memory(space).increment(key, body.by, idempotency_key=idempotency_key))


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
