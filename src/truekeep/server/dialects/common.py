"""What the dialects share: bodies that put up with more than they know, and errors that use the caller's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ConfigDict

from truekeep.errors import InvalidInput

DEFAULT_SPACE = "default"  # where a dialect has one memory for each key


def default_space(given: Mapping[str, Any]) -> str:
    """The space of a route that names none."""
    return DEFAULT_SPACE


class ForeignBody(BaseModel):
    """A request body of somebody else's client: what we do not know is ignored."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


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
