"""The wire of BotWire: values of a namespace, which is a space."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Path, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import to_json
from starlette.responses import Response

from truekeep.errors import NotFound
from truekeep.server.bodies import read
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import IdempotencyKey, documented, reply
from truekeep.server.fields import Name

from .common import ForeignBody, in_their_words

router = APIRouter(prefix="/memory/{namespace}", tags=["BotWire"])

Namespace = Annotated[Name, Path(description="the space that the values are in"), AfterValidator(unquote)]
# The client puts keys into the path as they are, slashes too: the rest of the path is the key.
Key = Annotated[Name, Path(description="the key of a value; slashes are part of it"), AfterValidator(unquote)]

_DELETES = (None, "null")  # the client sends the JSON text of None as a string


class BotWireValueBody(ForeignBody):
    """JSON to keep under a key; null, also as a string, deletes."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"value": '{"tone": "concise"}'}]})

    value: JsonValue


class BotWireValueAnswer(BaseModel):
    namespace: str
    key: str
    value: JsonValue = Field(description="a string as that string, other JSON as that JSON")
    created_at: datetime
    updated_at: datetime


class BotWireStoredAnswer(BaseModel):
    namespace: str
    key: str
    stored: bool
    bytes: int = Field(description="of the string, or of the JSON text of anything else")
    deleted: bool = Field(description="whether there was a value, and null deleted it")


class BotWireDeletedAnswer(BaseModel):
    namespace: str
    key: str
    deleted: bool


class BotWireKeysAnswer(BaseModel):
    namespace: str
    keys: list[str]
    count: int


@router.get("", **documented("BotWire: the keys of a namespace", BotWireKeysAnswer, described="Sorted."))
async def list_keys(request: Request, namespace: Namespace) -> Response:
    def work(caller: Caller) -> Response:
        with in_their_words(space="namespace"):
            keys = caller.memory(namespace).keys()
        return reply({"namespace": namespace, "keys": keys, "count": len(keys)})

    return await desk_of(request).serve(request, work, scope="read", space=namespace)


@router.get(
    "/{key:path}", **documented("BotWire: read a value", BotWireValueAnswer, errors=(404,), described="As it is.")
)
async def read_value(request: Request, namespace: Namespace, key: Key) -> Response:
    def work(caller: Caller) -> Response:
        with in_their_words(space="namespace"):
            found = caller.memory(namespace).value(key)
        if found is None:
            raise _nothing(namespace, key)
        return reply(
            {
                "namespace": namespace,
                "key": key,
                "value": found.value,
                "created_at": found.created.isoformat(),
                "updated_at": found.updated.isoformat(),
            }
        )

    return await desk_of(request).serve(request, work, scope="read", space=namespace)


@router.put(
    "/{key:path}",
    **documented(
        "BotWire: keep a value; null deletes it",
        BotWireStoredAnswer,
        body=BotWireValueBody,
        errors=(409, 429),
        described="It is kept, or gone.",
    ),
)
async def set_value(
    request: Request, namespace: Namespace, key: Key, idempotency_key: IdempotencyKey = None
) -> Response:
    value = (await read(request, BotWireValueBody, large=True)).value
    deletes = value in _DELETES
    size = 0 if deletes else len(value.encode() if isinstance(value, str) else to_json(value))

    def work(caller: Caller) -> Response:
        with in_their_words(space="namespace"):
            memory = caller.memory(namespace)
            deleted = deletes and memory.delete(key)
            if not deletes:
                memory.set(key, value, idempotency_key=idempotency_key)
        return reply({"namespace": namespace, "key": key, "stored": not deletes, "bytes": size, "deleted": deleted})

    counts = "free" if deletes else "write"  # who has used up their writes can still make room
    return await desk_of(request).serve(request, work, scope="write", space=namespace, counts=counts)


@router.delete(
    "/{key:path}", **documented("BotWire: delete a value", BotWireDeletedAnswer, errors=(404,), described="It is gone.")
)
async def delete_value(request: Request, namespace: Namespace, key: Key) -> Response:
    def work(caller: Caller) -> Response:
        with in_their_words(space="namespace"):
            if not caller.memory(namespace).delete(key):
                raise _nothing(namespace, key)
        return reply({"namespace": namespace, "key": key, "deleted": True})

    return await desk_of(request).serve(request, work, scope="write", space=namespace)


def _nothing(namespace: str, key: str) -> NotFound:
    return NotFound(f"no value under {key!r} in the namespace {namespace!r}")
