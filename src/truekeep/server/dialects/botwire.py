"""The wire of BotWire: values of a namespace, which is a space."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Path
from pydantic import AfterValidator, Field, JsonValue
from pydantic_core import to_json

from truekeep.errors import NotFound
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.schemas import IdempotencyKey, Name, example
from truekeep.server.serving import Routes

from . import ForeignAnswer, ForeignBody, in_their_words

routes = Routes(
    "/memory/{namespace}",
    "BotWire",
    space="namespace",
    lenient=True,
    words=partial(in_their_words, space="namespace"),
)

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


BotWireStoredAnswer = answer(
    "BotWireStoredAnswer",
    namespace=str,
    key=str,
    stored=bool,
    bytes=(int, Field(description="of the string, or of the JSON text of anything else")),
    deleted=(bool, Field(description="whether there was a value, and null deleted it")),
)
BotWireDeletedAnswer = answer("BotWireDeletedAnswer", namespace=str, key=str, deleted=bool)
BotWireKeysAnswer = answer("BotWireKeysAnswer", namespace=str, keys=[str], count=int)


@routes.get("", scope="read", answer=BotWireKeysAnswer, described="Sorted.")
def list_keys(caller: Caller, namespace: Namespace) -> dict[str, Any]:
    """BotWire: the keys of a namespace."""
    keys = caller.memory(namespace).keys()
    return {"namespace": namespace, "keys": keys, "count": len(keys)}


@routes.get("/{key:path}", scope="read", answer=BotWireValueAnswer, errors=(404,), described="As it is.")
def read_value(caller: Caller, namespace: Namespace, key: Key) -> dict[str, Any]:
    """BotWire: read a value."""
    found = caller.memory(namespace).value(key)
    if found is None:
        raise _nothing(namespace, key)
    return BotWireValueAnswer.of(found, namespace=namespace)


@routes.put(
    "/{key:path}",
    scope="write",
    answer=BotWireStoredAnswer,
    counts=lambda given: "free" if given["body"].deletes else "write",  # whoever used up their writes can make room
    large=True,
    errors=(409,),
    described="It is kept, or gone.",
)
def set_value(
    caller: Caller, namespace: Namespace, key: Key, body: BotWireValueBody, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """BotWire: keep a value; null deletes it."""
    memory = caller.memory(namespace)
    deleted = body.deletes and memory.delete(key)
    if not body.deletes:
        memory.set(key, body.value, idempotency_key=idempotency_key)
    stored = {"stored": not body.deletes, "bytes": body.size, "deleted": deleted}
    return {"namespace": namespace, "key": key, **stored}


@routes.delete("/{key:path}", scope="write", answer=BotWireDeletedAnswer, errors=(404,), described="It is gone.")
def delete_value(caller: Caller, namespace: Namespace, key: Key) -> dict[str, Any]:
    """BotWire: delete a value."""
    if not caller.memory(namespace).delete(key):
        raise _nothing(namespace, key)
    return {"namespace": namespace, "key": key, "deleted": True}


def _nothing(namespace: str, key: str) -> NotFound:
    return NotFound(f"no value under {key!r} in the namespace {namespace!r}")
