"""What waits for somebody to look at it: doubts, quarantined texts, mentions, and where secrets were taken out."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from starlette.responses import Response

from truekeep.errors import InvalidInput
from truekeep.memory import Memory
from truekeep.model import MemoryItem
from truekeep.server.schemas import SpaceName

from .pages import Pages, Visit, goto_page, is_part

pages = Pages(
    "/console/spaces/{space}/review",
    told={
        "newer": "Settled: the newer one took over.",
        "older": "Settled: the older one holds, the newer one was wrong.",
        "both": "Settled: both stay.",
        "released": "Released: from now on it is recalled like any other.",
        "kept": "Kept as it is.",
    },
)

_SHOWN = 30  # of each
_AT_ONCE = 1000  # items, for those that lost a secret; so many when the page opens, which shall not take long,
_LOOKED_AT = 5000  # and so many each time that somebody, or the script, looks further back


class Redactions(NamedTuple):
    """Items that lost a secret, among so many; `more` is the cursor behind the last that was looked at."""

    items: list[MemoryItem]
    looked_at: int
    until: datetime | None
    more: str | None


@pages.get("")
def review_page(visit: Visit, space: SpaceName) -> Response:
    fields = visit.fields
    memory, after = visit.memory, fields.text("after")
    redactions = _redactions(memory, after, _AT_ONCE if after is None else _LOOKED_AT)
    if is_part(visit.request):
        return visit.page("part_redactions.html", redactions=redactions, is_further=True)
    found = memory.review(limit=_SHOWN)
    return visit.page(
        "review.html",
        suspicions=found.suspicions,
        quarantined=found.quarantined,
        mentions=found.mentions,
        most=_SHOWN,
        redactions=redactions,
        is_further=after is not None,
    )


def _redactions(memory: Memory, after: str | None, most: int) -> Redactions:
    """Walk back from the cursor until enough are found, or enough was looked at."""
    found: list[MemoryItem] = []
    looked_at, until = 0, None
    while True:
        page = memory.page(limit=_AT_ONCE, cursor=after, include_superseded=True)
        places = [place for place, item in enumerate(page.items) if item.redacted]
        if len(places) > (room := _SHOWN - len(found)):  # end behind the last one for which there is room
            page = memory.page(limit=places[room - 1] + 1, cursor=after, include_superseded=True)
        found += [item for item in page.items if item.redacted]
        looked_at, after = looked_at + len(page.items), page.cursor
        until = page.items[-1].when if page.items else until
        if after is None or len(found) >= _SHOWN or looked_at >= most:
            return Redactions(found, looked_at, until, after)


@pages.post("")
def settle(visit: Visit, space: SpaceName) -> Response:
    memory, fields = visit.memory, visit.fields
    action = fields.needed("action")
    if action in ("release", "keep"):
        memory.release(fields.needed("id"))
        done = "released" if action == "release" else "kept"
    elif action in ("newer", "older", "both"):
        memory.resolve(fields.needed("suspicion"), keep=action)  # type: ignore[arg-type]  # one of the literals
        done = action
    else:
        raise InvalidInput("action", "must be newer, older, both, release or keep")
    return goto_page("spaces", space, "review", done=done)
