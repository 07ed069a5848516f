"""The first minutes: three example memories, and the lines that remember and recall from elsewhere.

The examples are added by one click, and forgotten by another; the lines are ready to be copied, for this server and
this space.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from shlex import quote
from typing import NamedTuple
from urllib.parse import quote as segment

from fastapi import Request
from starlette.responses import Response

from truekeep.engine.access import covers
from truekeep.model import AccessKey
from truekeep.server.schemas import SpaceName

from .pages import Pages, Visit, goto_page

pages = Pages("/console/spaces/{space}/examples")

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
    return is_theirs and bool(visit.memory.items(limit=1, tags=[_TAG]))


@pages.post("")
def add(visit: Visit, space: SpaceName) -> Response:
    drafts = [{"content": one.content, "kind": one.kind, "tags": [_TAG]} for one in EXAMPLES]
    visit.memory.remember_many(drafts)
    return goto_page("spaces", space, "items", query=EXAMPLES[0].question, done="examples")


@pages.post("/forget", counts="free")
def forget(visit: Visit, space: SpaceName) -> Response:
    """Whatever else came into their space stays."""
    visit.memory.forget(tags=[_TAG])
    return goto_page(done="forgotten")


_KEY = "tk_..."  # the place of a key
_CONTENT, _KIND, _QUESTION = EXAMPLES[0]


class Lines(NamedTuple):
    """What to type, and where."""

    where: str
    typed: list[str]


def lines(visit: Visit, space: str) -> list[Lines]:
    """The same three times: the first example is kept, and its question asked."""
    server, needs_key = _server(visit.request), not visit.caller.desk.callers.is_open()
    ways = {"Python": _python, "Command line": _command, "curl": _curl}
    return [Lines(where, list(typed(server, space, needs_key))) for where, typed in ways.items()]


def _server(request: Request) -> str:
    """The address at which the visitor found it. A proxy may say what it likes: they alone read it."""
    is_secure = "https" in (request.scope["scheme"], request.headers.get("x-forwarded-proto"))
    return f"{'https' if is_secure else 'http'}://{request.headers.get('host', 'localhost')}"


def _python(server: str, space: str, needs_key: bool) -> Iterator[str]:
    key = f', key="{_KEY}"' if needs_key else ""
    yield from ("from truekeep import Memory", "")
    yield f"memory = Memory({_text(space)}, at={_text(server)}{key})"
    yield f"memory.remember({_text(_CONTENT)}, kind={_text(_KIND)})"
    yield f"match = memory.recall({_text(_QUESTION)})[0]"
    yield 'print(match.content, match.why, sep="\\n")'


def _command(server: str, space: str, needs_key: bool) -> Iterator[str]:
    where = f"--space {quote(space)} --at {quote(server)}"
    if needs_key:
        yield f"export TRUEKEEP_KEY={_KEY}"
    yield f"truekeep remember {quote(_CONTENT)} --kind {_KIND} {where}"
    yield f"truekeep recall {quote(_QUESTION)} {where}"


def _curl(server: str, space: str, needs_key: bool) -> Iterator[str]:
    key = f"-H 'Authorization: Bearer {_KEY}' " if needs_key else ""
    for path, body in (("memories", {"content": _CONTENT, "kind": _KIND}), ("recall", {"query": _QUESTION})):
        url = quote(f"{server}/v1/spaces/{segment(space, safe='')}/{path}")
        yield f"curl {url} {key}-H 'Content-Type: application/json' -d {quote(json.dumps(body))}"


def _text(text: str) -> str:
    """As Python writes it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)
