"""The lines that remember and recall from elsewhere: ready to be copied, for this server and this space."""

from __future__ import annotations

import json
from collections.abc import Iterator
from shlex import quote
from typing import NamedTuple
from urllib.parse import quote as segment

from fastapi import Request

from .examples import EXAMPLES
from .pages import Visit

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
