"""The wire of BotWire: values of a namespace, which is a space."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Path
from pydantic import AfterValidator, BaseModel, Field, JsonValue
from pydantic_core import to_json
from starlette.responses import Response

from truekeep.errors import NotFound
from truekeep.server.desk import Caller
from truekeep.server.documented import IdempotencyKey, reply
from truekeep.server.fields import Name
from truekeep.server.schemas import example
from truekeep.server.serving import route

from .common import ForeignAnswer, ForeignBody, in_their_words

router = APIRouter(prefix="/memory/{namespace}", tags=["BotWire"])
_route = partial(route, space="namespace", lenient=True)

Namespace = Annotated[Name, Path(description="the space that the values are in"), AfterValidator(unquote)]
# The client puts keys into the path as they are, slashes too: the rest of the path is the key.
Key = Annotated[Name, Path(description="the key of a value; slashes are part of it"), AfterValidator(unquote)]


class BotWireValueBody(ForeignBody, json_schema_extra=example({"value": '{"tone": "concise"}'})):
    """JSON to keep under a key; null, also as a string, deletes."""

    value: JsonValue

    @property
    def deletes(self) -> bool:
        return self.value in (None, "null")  # the client sends the JSON text of None as a string

    @property
    def size(self) -> int:
        if self.deletes:
            return 0
        return len(self.value.encode() if isinstance(self.value, str) else to_json(self.value))


class BotWireValueAnswer(ForeignAnswer):
    namespace: str
    key: str
    value: JsonValue = Field(description="a string as that string, other JSON as that JSON")
    created_at: Annotated[datetime, "created"]
    updated_at: Annotated[datetime, "updated"]


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


@_route(router.get, "", "BotWire: the keys of a namespace", BotWireKeysAnswer, scope="read", described="Sorted.")
def list_keys(caller: Caller, namespace: Namespace) -> Response:
    with in_their_words(space="namespace"):
        keys = caller.memory(namespace).keys()
    return reply({"namespace": namespace, "keys": keys, "count": len(keys)})


@_route(
    router.get,
    "/{key:path}",
    "BotWire: read a value",
    BotWireValueAnswer,
    scope="read",
    errors=(404,),
    described="As it is.",
)
def read_value(caller: Caller, namespace: Namespace, key: Key) -> Response:
    with in_their_words(space="namespace"):
        found = caller.memory(namespace).value(key)
    if found is None:
        raise _nothing(namespace, key)
    return reply(BotWireValueAnswer.of(found, namespace=namespace))


@_route(
    router.put,
    "/{key:path}",
    "BotWire: keep a value; null deletes it",
    BotWireStoredAnswer,
    scope="write",
    counts=lambda given: "free" if given["body"].deletes else "write",  # whoever used up their writes can make room
    large=True,
    errors=(409,),
    described="It is kept, or gone.",
)
def set_value(
    caller: Caller, namespace: Namespace, key: Key, body: BotWireValueBody, idempotency_key: IdempotencyKey = None
) -> Response:
    with in_their_words(space="namespace"):
        memory = caller.memory(namespace)
        deleted = body.deletes and memory.delete(key)
        if not body.deletes:
            memory.set(key, body.value, idempotency_key=idempotency_key)
    stored = {"stored": not body.deletes, "bytes": body.size, "deleted": deleted}
    return reply({"namespace": namespace, "key": key, **stored})


@_route(
    router.delete,
    "/{key:path}",
    "BotWire: delete a value",
    BotWireDeletedAnswer,
    scope="write",
    errors=(404,),
    described="It is gone.",
)
def delete_value(caller: Caller, namespace: Namespace, key: Key) -> Response:
    with in_their_words(space="namespace"):
        if not caller.memory(namespace).delete(key):
            raise _nothing(namespace, key)
    return reply({"namespace": namespace, "key": key, "deleted": True})


def _nothing(namespace: str, key: str) -> NotFound:
    return NotFound(f"no value under {key!r} in the namespace {namespace!r}")
