"""History: what changed by day, what differs between two moments, and going back with a look at it first.

And the space as a picture: what means the same lies close together; and what was believed when.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, timedelta

from starlette.responses import Response

from truekeep.engine.projection import counted_by_day
from truekeep.errors import InvalidInput
from truekeep.model import MemoryItem, SpaceId
from truekeep.server.schemas import SpaceName
from truekeep.server.serving import reply

from . import charts
from .pages import MAPPED, Pages, Visit, goto_page
from .rendering import clip

pages = Pages(
    "/console/spaces/{space}",
    told={
        "named": "This moment has a name.",
        "dropped": "Let go of.",
        "restored": "Restored. The moment before has a name, too: restore that to take it back.",
        "same": "Nothing was believed otherwise: nothing is restored.",
    },
)

_DAYS = 30
_MOMENTS = 16  # the latest, to choose from; REST and the command line know all
_SHOWN = 12  # of each kind of difference
WIDTH, HEIGHT = 800, 560
_TEXT = 60  # characters of each point
_CLAIMS_AMONG = 500  # of the latest items


@pages.get("/history")
def history_page(visit: Visit, space: SpaceName) -> Response:
    fields, memory = visit.fields, visit.memory
    moments = memory.checkpoints()[-_MOMENTS:]
    since = fields.text("since") or (moments[-1].name if moments else None)
    until = fields.text("until")
    return visit.page(
        "history.html",
        days=_days(visit, space),
        moments=moments,
        since=since,
        until=until,
        diff=None if since is None else memory.diff(since, until),
        most=_SHOWN,
    )


def _days(visit: Visit, space: str) -> list[tuple[str, int, int]]:
    """Days on which something came or went, and how much; the latest first."""
    parts, id = visit.caller.desk.opened.parts, SpaceId(visit.caller.tenant, space)
    now = parts.clock()
    came = counted_by_day("created", parts=parts, space=id, now=now, days=_DAYS)
    went = counted_by_day("retired", parts=parts, space=id, now=now, days=_DAYS)
    today = now.astimezone(UTC).date()
    counted = zip(range(_DAYS - 1, -1, -1), came, went, strict=True)
    days = [((today - timedelta(days=ago)).isoformat(), added, retired) for ago, added, retired in counted]
    return [day for day in reversed(days) if day[1] or day[2]]


@pages.post("/history", counts="free")
def name(visit: Visit, space: SpaceName) -> Response:
    memory, fields = visit.memory, visit.fields
    action = fields.needed("action")
    if action == "checkpoint":
        memory.checkpoint(fields.needed("name"))
    elif action == "drop":
        memory.drop_checkpoint(fields.needed("name"))
    else:
        raise InvalidInput("action", "must be checkpoint or drop")
    return goto_page("spaces", space, "history", done="named" if action == "checkpoint" else "dropped")


@pages.get("/history/restore", scope="write")
def ask(visit: Visit, space: SpaceName) -> Response:
    """The first of two steps: show what would be taken back."""
    shown = visit.memory.restore(visit.fields.needed("since"), dry_run=True)
    return visit.page("restore.html", shown=shown, most=_SHOWN)


@pages.post("/history/restore")
def restore(visit: Visit, space: SpaceName) -> Response:
    restored = visit.memory.restore(visit.fields.needed("checkpoint"))
    return goto_page("spaces", space, "history", done="same" if restored.made is None else "restored")


@pages.get("/map")
def map_page(visit: Visit, space: SpaceName) -> Response:
    projection = visit.console.projection(visit.caller, space)
    items = _items(visit, space)
    across, down = (projection.places[:, axis].tolist() for axis in (0, 1))
    places = zip(charts.spread(across, WIDTH), charts.spread([-y for y in down], HEIGHT), strict=True)
    points = [
        (items[id].kind, x, y, number)
        for number, (id, (x, y)) in enumerate(zip(projection.ids, places, strict=True))
        if id in items
    ]
    latest = visit.memory.items(limit=_CLAIMS_AMONG, include_superseded=True)
    claims, begin = charts.claims(latest, visit.caller.desk.clock())
    return visit.page(
        "map.html",
        points=points,
        kinds=Counter(kind for kind, *_ in points).most_common(),
        share=projection.share,
        seq=projection.seq,
        width=WIDTH,
        height=HEIGHT,
        claims=claims,
        begin=begin,
    )


@pages.get("/map/points")
def points(visit: Visit, space: SpaceName) -> Response:
    """What the points stand for: id and text, in their order; null for one that is gone."""
    projection = visit.console.projection(visit.caller, space)
    items = _items(visit, space)
    told = [[id, clip(items[id].content, _TEXT)] if id in items else None for id in projection.ids]
    return reply({"seq": projection.seq, "points": told})


def _items(visit: Visit, space: str) -> dict[str, MemoryItem]:
    """Those that are on the map, and perhaps some that have no vectors yet."""
    return {item.id: item for item in visit.memory.items(limit=MAPPED)}
