"""Spaces: what there is, how large it is, and what happens in it. And the first minutes.

Three example memories are added by one click, and forgotten by another; lines that remember and recall from elsewhere
are ready to be copied, for this server and this space.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from shlex import quote
from typing import NamedTuple
from urllib.parse import quote as segment

from fastapi import Request
from starlette.responses import Response

from truekeep.engine.access import covers
from truekeep.engine.projection import counted_by_day
from truekeep.engine.verbs.listing import newest
from truekeep.model import AccessKey, Filters, SpaceId, SpaceSize
from truekeep.server.desk import Caller
from truekeep.server.schemas import SpaceName

from . import forms
from .charts import by_day
from .pages import Pages, Visit, goto_page, visit

pages = Pages("/console", told={"forgotten": "The examples are forgotten."})

_SHOWN = 20  # on a page: each has its kinds counted, for which its index is opened
_SEARCHED = 100_000
_DAYS = 30


class SpaceRow(NamedTuple):
    """A space as one line of the list."""

    size: SpaceSize
    kinds: Mapping[str, int]
    last: datetime | None
    added: list[int]  # by day
    recalls: list[int]


@pages.get("")
def spaces_page(visit: Visit) -> Response:
    fields = visit.fields
    wanted, after = fields.text("search") or "", fields.text("after") or ""
    found = _found(visit.caller, wanted, after)
    if not (found or wanted or after):
        return _first_steps(visit)
    rows = _rows(visit.caller, found[:_SHOWN])
    more = fields.again(("search",), after=found[_SHOWN - 1].name) if len(found) > _SHOWN else None
    return visit.page("spaces.html", rows=rows, search=wanted, more=more, days=_DAYS)


def _first_steps(visit: Visit) -> Response:
    """Nothing is there yet: show how it begins."""
    key = visit.caller.key
    space = space_for_examples(key)
    return visit.page(
        "first_steps.html",
        space=space,
        examples=EXAMPLES if "write" in key.scopes and covers(key, space) else (),
        lines=lines(visit, space),
    )


@pages.router.get("/")
async def with_a_slash(request: Request) -> Response:
    return goto_page()


@pages.router.get("/open")
async def open_space(request: Request) -> Response:
    """For the form that asks for a name; a space begins with the first thing that is kept in it."""
    name = forms.asked(request).needed("name")
    return await visit(request, lambda visit: goto_page("spaces", name, "items"), space=name)


def _found(caller: Caller, wanted: str, after: str) -> list[SpaceSize]:
    if not wanted:
        return caller.spaces(after=after, limit=_SHOWN + 1)
    every = caller.spaces(after=after, limit=_SEARCHED)
    return [one for one in every if wanted.lower() in one.name.lower()][: _SHOWN + 1]


def _rows(caller: Caller, sizes: list[SpaceSize]) -> list[SpaceRow]:
    parts, now = caller.desk.opened.parts, caller.desk.clock()
    counts = _recalls(caller, now)
    rows = []
    for one in sizes:
        memory = caller.memory(one.name)
        rows.append(
            SpaceRow(
                size=one,
                kinds=memory.stats().kinds,
                last=_last_change(caller, one.name),
                added=counted_by_day(
                    "created", parts=parts, space=SpaceId(caller.tenant, one.name), now=now, days=_DAYS
                ),
                recalls=by_day(counts.get(one.name, {}), now.date(), _DAYS),
            )
        )
    return rows


def _last_change(caller: Caller, name: str) -> datetime | None:
    """When an item was last added or changed: what is said of long ago may have been said today."""
    parts, id = caller.desk.opened.parts, SpaceId(caller.tenant, name)
    last = parts.store.changes(id, after=max(0, parts.store.head(id).seq - 1), limit=1)
    changed = [row.item for row in last.rows if row.item is not None]
    every = Filters(include_superseded=True)  # an erasure tells no time
    latest = changed or newest(every, limit=1, offset=0, parts=parts, space=id, now=caller.desk.clock())
    return latest[0].updated if latest else None


def _recalls(caller: Caller, now: datetime) -> dict[str, dict[str, int]]:
    """Recalls through this server in the last days: counts by day, by the name of the space."""
    periods = {(now.date() - timedelta(days=back)).isoformat() for back in range(_DAYS)}
    counts: dict[str, dict[str, int]] = {}
    for one in caller.used(periods):
        kind, _, name = one.subject.partition(":")
        if kind == "space" and one.counter == "recalls":
            counts.setdefault(name, {})[one.period] = one.count
    return counts


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


@pages.post("/spaces/{space}/examples")
def add(visit: Visit, space: SpaceName) -> Response:
    drafts = [{"content": one.content, "kind": one.kind, "tags": [_TAG]} for one in EXAMPLES]
    visit.memory.remember_many(drafts)
    return goto_page("spaces", space, "items", query=EXAMPLES[0].question, done="examples")


@pages.post("/spaces/{space}/examples/forget", counts="free")
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
