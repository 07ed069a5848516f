"""One item: what it says, who said it, how it came to be, and correcting it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.model import AuditFilters, AuditPage, MemoryItem
from truekeep.server.documented import Id, SpaceName

from . import forms
from .audit import names_of
from .pages import PageRoute, Visit, address, form, goto, page
from .untraced import neighbours, recalls_by_day, recalls_of

router = APIRouter(prefix="/console/spaces/{space}/items/{id}", include_in_schema=False, route_class=PageRoute)

_VERSIONS = 40  # of a history, the latest
_DAYS = 30  # of recalls
_NOTED = 20  # entries of the audit, the latest
_EDITABLE = 16_000  # characters; longer texts are for programs
_DONE = {
    "added": "Kept.",
    "reinforced": "This was known already: it counts as said again.",
    "superseded": "Kept; it took the place of an earlier one.",
    "corrected": "Corrected. The former version is in the history.",
    "unchanged": "Nothing was changed.",
    "pinned": "Pinned.",
    "unpinned": "Unpinned.",
    "released": "Released from quarantine.",
}


@router.get("")
@page()
def item_page(visit: Visit, space: SpaceName, id: Id) -> Response:
    done = _DONE.get(forms.asked(visit.request).text("done") or "")
    memory = visit.caller.memory(space)
    item, history = memory.item(id), memory.history(id)
    may_audit = "admin" in visit.caller.key.scopes
    about = AuditFilters(item=id, space=space)
    return visit.page(
        "item.html",
        space=space,
        up="../",
        item=item,
        history=history[-_VERSIONS:],
        left_out=max(0, len(history) - _VERSIONS),
        neighbours=neighbours(visit.caller, space, item.content, but=id),
        recalls=recalls_of(visit.caller, space, id),
        recalls_by_day=recalls_by_day(visit.caller, space, id, _DAYS),
        audit=visit.caller.audit(about, limit=_NOTED) if may_audit else AuditPage(),
        names=names_of(visit.caller) if may_audit else {},
        done=done,
        is_editable=len(item.content) <= _EDITABLE,
    )


@router.get("/text")
@page()
def whole_text(visit: Visit, space: SpaceName, id: Id) -> Response:
    """All of it, byte for byte, as plain text."""
    return Response(visit.caller.memory(space).item(id).content, media_type="text/plain; charset=utf-8")


@router.get("/edit")
@page(scope="write")
def edit_page(visit: Visit, space: SpaceName, id: Id) -> Response:
    item = visit.caller.memory(space).item(id)
    return visit.page("edit.html", space=space, up="../../", item=item, is_editable=len(item.content) <= _EDITABLE)


@router.post("")
@form()
def correct(visit: Visit, fields: forms.Fields, space: SpaceName, id: Id) -> Response:
    memory = visit.caller.memory(space)
    edits = _edits(memory.item(id), fields)
    if edits:
        memory.correct(id, **edits)
    return goto(f"{address('spaces', space, 'items', id)}?done={'corrected' if edits else 'unchanged'}")


def _edits(item: MemoryItem, fields: forms.Fields) -> dict[str, Any]:
    """What differs from the form as it was shown. Forms end their lines as the network does."""
    content = fields.needed("content").replace("\r\n", "\n")
    pinned = fields.text("pinned") is not None
    edits = {
        "content": None if content == item.content.replace("\r\n", "\n") else content,
        "kind": None if fields.needed("kind") == item.kind else fields.needed("kind"),
        "tags": None if (fields.text("tags") or "") == ", ".join(item.tags) else fields.words("tags"),
        "pinned": None if pinned == item.pinned else pinned,
    }
    return {name: value for name, value in edits.items() if value is not None}
