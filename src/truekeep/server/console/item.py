"""One item: what it says, who said it, how it came to be, and correcting it."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from truekeep.model import AuditFilters, AuditPage, MemoryItem
from truekeep.server.schemas import Id, SpaceName

from . import forms
from .operation import names_of
from .pages import Pages, Visit, goto_page
from .untraced import neighbours, recalls_by_day, recalls_of

pages = Pages(
    "/console/spaces/{space}/items/{id}",
    told={
        "added": "Kept.",
        "reinforced": "This was known already: it counts as said again.",
        "superseded": "Kept; it took the place of an earlier one.",
        "corrected": "Corrected. The former version is in the history.",
        "unchanged": "Nothing was changed.",
        "pinned": "Pinned.",
        "unpinned": "Unpinned.",
        "released": "Released from quarantine.",
    },
)

_VERSIONS = 40  # of a history, the latest
_DAYS = 30  # of recalls
_NOTED = 20  # entries of the audit, the latest
_EDITABLE = 16_000  # characters; longer texts are for programs


@pages.get("")
def item_page(visit: Visit, space: SpaceName, id: Id) -> Response:
    memory = visit.memory
    item, history = memory.item(id), memory.history(id)
    may_audit = "admin" in visit.caller.key.scopes
    about = AuditFilters(item=id, space=space)
    return visit.page(
        "item.html",
        item=item,
        history=history[-_VERSIONS:],
        left_out=max(0, len(history) - _VERSIONS),
        neighbours=neighbours(visit.caller, space, item.content, but=id),
        recalls=recalls_of(visit.caller, space, id),
        recalls_by_day=recalls_by_day(visit.caller, space, id, _DAYS),
        audit=visit.caller.audit(about, limit=_NOTED) if may_audit else AuditPage(),
        names=names_of(visit.caller) if may_audit else {},
        is_editable=len(item.content) <= _EDITABLE,
    )


@pages.get("/text")
def whole_text(visit: Visit, space: SpaceName, id: Id) -> Response:
    """All of it, byte for byte, as plain text."""
    return Response(visit.memory.item(id).content, media_type="text/plain; charset=utf-8")


@pages.get("/edit", scope="write")
def edit_page(visit: Visit, space: SpaceName, id: Id) -> Response:
    item = visit.memory.item(id)
    return visit.page("edit.html", item=item, is_editable=len(item.content) <= _EDITABLE)


@pages.post("")
def correct(visit: Visit, space: SpaceName, id: Id) -> Response:
    memory = visit.memory
    edits = _edits(memory.item(id), visit.fields)
    if edits:
        memory.correct(id, **edits)
    return goto_page("spaces", space, "items", id, done="corrected" if edits else "unchanged")


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
