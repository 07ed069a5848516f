"""The wire of other services: thin routes that translate foreign words into ours and decide nothing.

Here is what they share: bodies that put up with more than they know; answers and errors in the caller's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, reduce
from operator import getitem
from typing import Any

from pydantic import BaseModel

from truekeep import wire
from truekeep.errors import InvalidInput

DEFAULT_SPACE = "default"  # where a dialect has one memory for each key


class ForeignBody(BaseModel, extra="ignore", protected_namespaces=()):
    """A request body of somebody else's client: what we do not know is ignored."""


class ForeignAnswer(BaseModel):
    """A thing of the model as somebody else's client knows it.

    A field that has another name, or stands deeper, in its record (`truekeep.wire`) is annotated with that place.
    """

    @classmethod
    def of(cls, thing: Any, /, **more: Any) -> dict[str, Any]:
        """The answer that tells the thing, and what is no part of it."""
        record = wire.record(thing) | more
        return {name: reduce(getitem, place, record) for name, place in _places(cls).items()}


@cache
def _places(answer: type[BaseModel]) -> Mapping[str, list[str]]:
    """Where in a record the fields of an answer stand."""
    noted = {
        name: [note for note in field.metadata if isinstance(note, str)] for name, field in answer.model_fields.items()
    }
    return {name: (notes or [name])[0].split(".") for name, notes in noted.items()}


@contextmanager
def in_their_words(**theirs: str) -> Iterator[None]:
    """An argument that cannot be accepted is named as the caller knows it: `in_their_words(query="q")`."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(theirs.get(error.argument, error.argument), error.problem) from error


def either(*names: str) -> dict[str, Any]:
    """For the schema of a body that has several names for one thing: at least one of them is there."""
    return {"anyOf": [{"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in names]}
