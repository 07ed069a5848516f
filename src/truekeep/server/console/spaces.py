"""Spaces: what there is, how large it is, and what happens in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from fastapi import Request
from starlette.responses import Response

from truekeep.engine.access import covers
from truekeep.engine.projection import counted_by_day
from truekeep.engine.verbs.listing import newest
from truekeep.model import Filters, SpaceId, SpaceSize
from truekeep.server.desk import Caller

from . import forms
from .charts import by_day
from .examples import EXAMPLES, lines, space_for_examples
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
