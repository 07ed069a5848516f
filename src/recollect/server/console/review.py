"""What waits for somebody to look at it: doubts, quarantined texts, and where secrets were taken out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.errors import InvalidInput
from recollect.server.documented import SpaceName

from . import forms
from .pages import PageRoute, Visit, act, address, goto, visit

router = APIRouter(prefix="/console/spaces/{space}/review", include_in_schema=False, route_class=PageRoute)

_SHOWN = 30  # of each
_LOOKED_AT = 1000  # of the latest items, for secrets
_DONE = {
    "newer": "Settled: the newer one took over.",
    "older": "Settled: the older one holds, the newer one was wrong.",
    "both": "Settled: both stay.",
    "released": "Released: from now on it is recalled like any other.",
}


@router.get("")
async def review_page(request: Request, space: SpaceName) -> Response:
    fields = forms.asked(request)

    def work(visit: Visit) -> Response:
        memory = visit.caller.memory(space)
        found = memory.review(limit=_SHOWN)
        latest = memory.items(limit=_LOOKED_AT, include_superseded=True)
        return visit.page(
            "review.html",
            space=space,
            up="",
            suspicions=found.suspicions,
            quarantined=found.quarantined,
            redacted=[item for item in latest if item.redacted][:_SHOWN],
            looked_at=len(latest),
            done=_DONE.get(fields.text("done") or ""),
        )

    return await visit(request, work, space=space)


@router.post("")
async def settle(request: Request, space: SpaceName) -> Response:
    def work(visit: Visit, fields: forms.Fields) -> Response:
        memory = visit.caller.memory(space)
        action = fields.needed("action")
        if action == "release":
            memory.release(fields.needed("id"))
            done = "released"
        elif action in ("newer", "older", "both"):
            memory.resolve(fields.needed("suspicion"), keep=action)  # type: ignore[arg-type]  # one of the literals
            done = action
        else:
            raise InvalidInput("action", "must be newer, older, both or release")
        return goto(f"{address('spaces', space, 'review')}?done={done}")

    return await act(request, work, space=space)
