"""The space as a picture: what means the same lies close together; and what was believed when."""

from __future__ import annotations

from collections import Counter

from starlette.responses import Response

from truekeep.model import MemoryItem
from truekeep.server.schemas import SpaceName
from truekeep.server.serving import reply

from . import charts
from .pages import MAPPED, Pages, Visit
from .rendering import clip

pages = Pages("/console/spaces/{space}/map")

WIDTH, HEIGHT = 800, 560
_TEXT = 60  # characters of each point
_CLAIMS_AMONG = 500  # of the latest items


@pages.get("")
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


@pages.get("/points")
def points(visit: Visit, space: SpaceName) -> Response:
    """What the points stand for: id and text, in their order; null for one that is gone."""
    projection = visit.console.projection(visit.caller, space)
    items = _items(visit, space)
    told = [[id, clip(items[id].content, _TEXT)] if id in items else None for id in projection.ids]
    return reply({"seq": projection.seq, "points": told})


def _items(visit: Visit, space: str) -> dict[str, MemoryItem]:
    """Those that are on the map, and perhaps some that have no vectors yet."""
    return {item.id: item for item in visit.memory.items(limit=MAPPED)}
