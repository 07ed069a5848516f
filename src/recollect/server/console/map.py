"""The space as a picture: what means the same lies close together; and what was believed when."""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.model import MemoryItem, SpaceId
from recollect.server.desk import Caller
from recollect.server.documented import SpaceName, reply

from . import drawing
from .pages import PageRoute, Visit, visit
from .rendering import clip

router = APIRouter(prefix="/console/spaces/{space}/map", include_in_schema=False, route_class=PageRoute)

WIDTH, HEIGHT = 800, 560
_TEXT = 60  # characters of each point
_CLAIMS_AMONG = 500  # of the latest items


@router.get("")
async def map_page(request: Request, space: SpaceName) -> Response:
    def work(visit: Visit) -> Response:
        projection = visit.console.projection(visit.caller, space)
        items = _items(visit.caller, space, projection.ids)
        points = [
            (items[id].kind, drawing.place(x, WIDTH), drawing.place(-y, HEIGHT), number)
            for number, (id, (x, y)) in enumerate(zip(projection.ids, projection.places.tolist(), strict=True))
            if id in items
        ]
        latest = visit.caller.memory(space).items(limit=_CLAIMS_AMONG, include_superseded=True)
        claims, begin = drawing.claims(latest, visit.caller.desk.clock())
        return visit.page(
            "map.html",
            space=space,
            up="",
            points=points,
            kinds=Counter(kind for kind, *_ in points).most_common(),
            share=projection.share,
            seq=projection.seq,
            width=WIDTH,
            height=HEIGHT,
            claims=claims,
            begin=begin,
        )

    return await visit(request, work, space=space)


@router.get("/points")
async def points(request: Request, space: SpaceName) -> Response:
    """What the points stand for: id and text, in their order; null for one that is gone."""

    def work(visit: Visit) -> Response:
        projection = visit.console.projection(visit.caller, space)
        items = _items(visit.caller, space, projection.ids)
        told = [[id, clip(items[id].content, _TEXT)] if id in items else None for id in projection.ids]
        return reply({"seq": projection.seq, "points": told})

    return await visit(request, work, space=space)


def _items(caller: Caller, space: str, ids: tuple[str, ...]) -> dict[str, MemoryItem]:
    return {item.id: item for item in caller.desk.store.get(SpaceId(caller.tenant, space), ids)}
