"""Three example memories, to see a memory work before there is one: added by one click, and forgotten by another."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.engine.access import covers
from truekeep.model import AccessKey
from truekeep.server.documented import SpaceName

from . import forms
from .pages import PageRoute, Visit, address, form, goto

router = APIRouter(prefix="/console/spaces/{space}/examples", include_in_schema=False, route_class=PageRoute)

_SPACE = "example"
_TAG = "example"  # tells them from whatever else comes into their space


class Example(NamedTuple):
    """A statement, and a question that it answers."""

    content: str
    kind: str
    question: str


EXAMPLES = (
    Example("Ana prefers TypeScript over JavaScript", "preference", "Which language should I use for Ana?"),
    Example("The release train leaves on Thursdays at 14:00 UTC", "fact", "When can we ship?"),
    Example("Running the migration twice locked the orders table", "lesson", "Can I run the migration again?"),
)


def space_for_examples(key: AccessKey) -> str:
    """One that the key covers, and that is theirs alone, if its patterns allow that."""
    names = (_SPACE, *(pattern.replace("*", _SPACE) for pattern in key.spaces))
    return next((name for name in names if covers(key, name)), _SPACE)


def has_examples(visit: Visit, space: str) -> bool:
    is_theirs = space == space_for_examples(visit.caller.key)
    return is_theirs and bool(visit.caller.memory(space).items(limit=1, tags=[_TAG]))


@router.post("")
@form()
def add(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    drafts = [{"content": one.content, "kind": one.kind, "tags": [_TAG]} for one in EXAMPLES]
    visit.caller.memory(space).remember_many(drafts)
    asked = urlencode({"query": EXAMPLES[0].question, "done": "examples"})
    return goto(f"{address('spaces', space, 'items')}?{asked}")


@router.post("/forget")
@form(counts="free")
def forget(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    """Whatever else came into their space stays."""
    visit.caller.memory(space).forget(tags=[_TAG])
    return goto("/console?done=forgotten")
