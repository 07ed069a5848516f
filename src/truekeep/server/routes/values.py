"""Values: JSON under keys, with versions as ETags."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Header
from pydantic import Field, JsonValue
from starlette.responses import Response

from truekeep import model, wire
from truekeep.errors import Conflict, NotFound
from truekeep.memory import Memory
from truekeep.model import Value
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.problems import PreconditionFailed
from truekeep.server.schemas import Body, IdempotencyKey, Key, Number, Seconds, SpaceName, example
from truekeep.server.serving import Routes, reply

routes = Routes("/v1/spaces/{space}", "values")

IfMatch = Annotated[str | None, Header(alias="If-Match", description='only if the value has this version: "3"')]
IfNoneMatch = Annotated[
    Literal["*"] | None, Header(alias="If-None-Match", description="*: only if there is no value yet")
]

DeletedAnswer = answer("DeletedAnswer", key=str, deleted=bool)


class ValueBody(Body, json_schema_extra=example({"value": {"tone": "concise"}})):
    """JSON to keep under a key; null deletes."""

    value: JsonValue
    ttl: Seconds | None = Field(None, description="seconds after which it is gone")


class AppendBody(Body, json_schema_extra=example({"element": "Ana came in"})):
    """What to add to the end of a list; it begins with the first element."""

    element: JsonValue


class IncrementBody(Body, json_schema_extra=example({"by": 1})):
    """How much to add to a number; it begins at 0."""

    by: int | Number = 1


@routes.get("/values", scope="read", described="Sorted.")
def list_keys(caller: Caller, space: SpaceName) -> Annotated[list[str], "keys", "KeysOfValuesAnswer"]:
    """The keys that have a value."""
    return caller.memory(space).keys()


@routes.get("/values/{key}", scope="read", answer=model.Value, errors=(404,), described="As it is.")
def read_value(caller: Caller, space: SpaceName, key: Key) -> Response:
    """Read a value."""
    value = caller.memory(space).value(key)
    if value is None:
        raise NotFound(f"no value under {key!r} in the space {space!r}")
    return _shown(value)


@routes.put(
    "/values/{key}",
    scope="write",
    answer=model.Value | DeletedAnswer,
    counts="write",
    large=True,
    errors=(409, 412),
    described="As it is now.",
)
def set_value(
    caller: Caller,
    space: SpaceName,
    key: Key,
    body: ValueBody,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Keep JSON under a key; null deletes."""
    memory = caller.memory(space)
    version = _version(memory, key, if_match, if_none_match)
    try:
        value = memory.set(key, body.value, ttl=body.ttl, if_version=version, idempotency_key=idempotency_key)
    except Conflict as error:
        guarded = if_match is not None or if_none_match is not None
        raise (PreconditionFailed(str(error)) if guarded else error) from error
    return reply({"key": key, "deleted": True}) if value is None else _shown(value)


@routes.delete("/values/{key}", scope="write", answer=DeletedAnswer, errors=(404,), described="It is gone.")
def delete_value(caller: Caller, space: SpaceName, key: Key) -> dict[str, Any]:
    """Delete a value."""
    if not caller.memory(space).delete(key):
        raise NotFound(f"no value under {key!r} in the space {space!r}")
    return {"key": key, "deleted": True}


@routes.post(
    "/values/{key}/append",
    scope="write",
    answer=model.Value,
    counts="write",
    large=True,
    errors=(409,),
    described="The list as it is now.",
)
def append(
    caller: Caller, space: SpaceName, key: Key, body: AppendBody, idempotency_key: IdempotencyKey = None
) -> Response:
    """Add an element to a list, atomically."""
    return _shown(caller.memory(space).append(key, body.element, idempotency_key=idempotency_key))


@routes.post(
    "/values/{key}/increment",
    scope="write",
    answer=model.Value,
    counts="write",
    errors=(409,),
    described="The number as it is now.",
)
def increment(
    caller: Caller, space: SpaceName, key: Key, body: IncrementBody, idempotency_key: IdempotencyKey = None
) -> Response:
    """Add to a number, atomically."""
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
