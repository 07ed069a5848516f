"""One space: what an agent would get, what there is, and what can be done with it. One item: how it came to be.

What the console asks does not count as recalled. The audit says who was told.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

from fastapi import Request
from starlette.responses import Response

from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import pack
from truekeep.engine.verbs.recall import recall
from truekeep.errors import InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.model import AuditFilters, AuditPage, Filters, Match, MemoryItem, Query, Recall, SpaceId
from truekeep.server.audit import told
from truekeep.server.schemas import Id, SpaceName

from . import forms
from .charts import by_day
from .operation import names_of
from .pages import Pages, Visit, address, goto, goto_page, is_part
from .spaces import EXAMPLES, has_examples, lines

pages = Pages(
    "/console/spaces/{space}",
    told={
        "added": "Kept.",
        "reinforced": "This was known already: it counts as said again.",
        "superseded": "Kept; it took the place of an earlier one.",
        "corrected": "Corrected. The former version is in the history.",
        "unchanged": "Nothing was changed.",
        "released": "Released from quarantine.",
        "pinned": "Pinned.",
        "unpinned": "Unpinned.",
        "tagged": "Tagged.",
        "untagged": "Tag removed.",
        "examples": "Three memories are kept.",
    },
)

_SHOWN = 30  # items on a page
_SHOWN_BELOW = 10  # and below what was recalled
_MATCHES = 5
_TOKENS = 1000
_AT_ONCE = 100  # items that something is done to
_VERSIONS = 40  # of a history, the latest
_DAYS = 30  # of recalls
_NEIGHBOURS = 6  # of an item
_NOTED = 20  # entries of the audit, the latest
_EDITABLE = 16_000  # characters; longer texts are for programs
_IN_CONTEXT = 20  # the default of `context`


def _counted(request: Request) -> str:
    return "free" if forms.asked(request).text("query") is None else "recall"


@pages.get("/items", counts=_counted)
def space_page(visit: Visit, space: SpaceName) -> Response:
    fields = visit.fields
    shown = _SHOWN if fields.text("query") is None else _SHOWN_BELOW
    listed = visit.memory.page(limit=shown, cursor=fields.text("after"), **fields.filters())
    return visit.page(
        "space.html",
        stats=visit.caller.stats(space),
        items=listed.items,
        more=None if listed.cursor is None else fields.again(after=listed.cursor),
        shown=fields.again((*forms.ASKED, "after")),
        filled=fields.shown(),
        limit=fields.number("limit", _MATCHES, 20),
        tokens=fields.number("tokens", _TOKENS, 2000),
        kinds=fields.all("kind"),
        query=fields.text("query") or "",
        found=_look(visit, space),
        examples=EXAMPLES if has_examples(visit, space) else (),
        lines=lines(visit, space),
    )


@pages.get("/recall", counts=_counted)
def recall_part(visit: Visit, space: SpaceName) -> Response:
    """What the script asks for while somebody types."""
    return visit.page("part_recall.html", query=visit.fields.text("query") or "", found=_look(visit, space))


class Look(NamedTuple):
    """What an agent would get."""

    recall: Recall
    context: str
    tokens: int
    max_tokens: int
    seconds: float


def _look(visit: Visit, space: str) -> Look | None:
    """The matches of a recall and the block of a context, both exactly as their own calls would give them."""
    fields = visit.fields
    if (query := fields.text("query")) is None:
        return None
    limit, max_tokens = fields.number("limit", _MATCHES, 20), fields.number("tokens", _TOKENS, 2000)
    engine, began = visit.caller.engine(space), time.perf_counter()
    asked, chosen = requests.context_query(query, engine.limits, limit=limit, **fields.filters())
    assert asked is not None  # a field that is blank was not filled in
    found = _recalled(visit, space, replace(asked, min_answerable=0.0))
    seconds = time.perf_counter() - began
    packed = _recalled(visit, space, replace(asked, limit=_IN_CONTEXT))
    material = engine.material(asked, chosen, limit=_IN_CONTEXT, found=packed)
    text = pack(material, template="default", max_tokens=max_tokens, count_tokens=estimate)
    return Look(found, text, estimate(text), max_tokens, seconds)


def _recalled(visit: Visit, space: str, query: Query) -> Recall:
    """As an agent's recall, but that it does not count as one. The audit says who was told."""
    parts = visit.caller.desk.opened.parts
    found = recall(query, parts=parts, space=SpaceId(visit.caller.tenant, space), now=parts.clock(), count=False)
    visit.caller.note(space, "recall", told(found))
    return found


@pages.get("/explain", counts="recall")
def explain_part(visit: Visit, space: SpaceName) -> Response:
    """Why an item was found, or was not."""
    fields, memory = visit.fields, visit.memory
    id, query = fields.needed("id"), fields.needed("query")
    limit = fields.number("limit", _MATCHES, 20)
    [explained] = memory.explain(query, id, limit=limit, **fields.filters())
    template = "part_explain.html" if is_part(visit.request) else "explain.html"
    return visit.page(template, query=query, explained=explained, item=memory.item(id))


@pages.post("/items")
def add(visit: Visit, space: SpaceName) -> Response:
    fields = visit.fields
    kept = visit.memory.remember(
        fields.needed("content"),
        kind=fields.text("kind"),
        tags=fields.words("tags"),
        session=fields.text("session"),
        speaker=fields.text("speaker"),
        key=fields.text("key"),
        pinned=fields.text("pinned") is not None,
        judged="now",
    )
    return goto_page("spaces", space, "items", kept.id, done=kept.outcome)


@pages.post("/bulk")
def bulk(visit: Visit, space: SpaceName) -> Response:
    """One thing done to all that were ticked."""
    fields = visit.fields
    action, ids = fields.needed("action"), _ids(fields, "tick what it shall be done to")
    if action == "forget":
        return _confirmation(visit, ids)
    done = _changed(visit.memory, ids, action, fields.text("tag"))
    if len(ids) == 1 and fields.text("from") == "item":
        return goto_page("spaces", space, "items", ids[0], done=done)
    back = forms.Fields(fields.text("shown") or "").again((*forms.ASKED, "after"), done=done)
    return goto(f"{address('spaces', space, 'items')}?{back}")


def _changed(memory: Memory, ids: list[str], action: str, tag: str | None) -> str:
    if action in ("pin", "unpin"):
        for id in ids:
            memory.correct(id, pinned=action == "pin")
        return "pinned" if action == "pin" else "unpinned"
    if action not in ("tag", "untag"):
        raise InvalidInput("action", "must be pin, unpin, tag, untag or forget")
    if tag is None:
        raise InvalidInput("tag", "say which one")
    for id in ids:
        others = [one for one in memory.item(id).tags if one != tag]
        memory.correct(id, tags=[*others, tag] if action == "tag" else others)
    return "tagged" if action == "tag" else "untagged"


def _ids(fields: forms.Fields, what: str) -> list[str]:
    ids = list(dict.fromkeys(fields.all("id")))
    if not ids or len(ids) > _AT_ONCE:
        raise InvalidInput("id", f"{what}: 1 to {_AT_ONCE} items")
    return ids


def _confirmation(visit: Visit, ids: list[str]) -> Response:
    """The first of two steps to forget: show what would be gone."""
    return visit.page("forget.html", items=[visit.memory.item(id) for id in ids])


@pages.get("/forget", scope="write")
def ask(visit: Visit, space: SpaceName) -> Response:
    return _confirmation(visit, _ids(visit.fields, "say what to forget"))


@pages.post("/forget", counts="free")
def forget(visit: Visit, space: SpaceName) -> Response:
    receipts = [visit.memory.forget(id) for id in _ids(visit.fields, "say what to forget")]
    erased = [id for receipt in receipts for id in receipt.erased]
    if not erased:
        raise NotFound("nothing of this is there any more")
    return visit.page(
        "receipt.html",
        erased=erased,
        remaining=sum(receipt.remaining for receipt in receipts),
        pending=any(receipt.pending for receipt in receipts),
    )


@pages.get("/items/{id}")
def item_page(visit: Visit, space: SpaceName, id: Id) -> Response:
    memory = visit.memory
    item, history = memory.item(id), memory.history(id)
    parts, named = visit.caller.desk.opened.parts, SpaceId(visit.caller.tenant, space)
    recalls = by_day(parts.store.accesses_by_day(named, id), parts.clock().date(), _DAYS)
    may_audit = "admin" in visit.caller.key.scopes
    about = AuditFilters(item=id, space=space)
    return visit.page(
        "item.html",
        item=item,
        history=history[-_VERSIONS:],
        left_out=max(0, len(history) - _VERSIONS),
        neighbours=_neighbours(visit, space, item),
        recalls=parts.accesses.known(parts.store, named, [id]).get(id, 0),
        recalls_by_day=[*recalls[:-1], recalls[-1] + parts.accesses.waiting(named, [id]).get(id, 0)],
        audit=visit.caller.audit(about, limit=_NOTED) if may_audit else AuditPage(),
        names=names_of(visit.caller) if may_audit else {},
        is_editable=len(item.content) <= _EDITABLE,
    )


def _neighbours(visit: Visit, space: str, item: MemoryItem) -> list[Match]:
    """Other items that are like this one."""
    words = item.content.encode()[: visit.caller.desk.opened.limits.query_bytes].decode(errors="ignore")
    asked = Query(text=words, limit=_NEIGHBOURS + 1, filters=Filters(include_superseded=True))
    found = [match for match in _recalled(visit, space, asked) if match.id != item.id][:_NEIGHBOURS]
    return sorted(found, key=lambda match: -match.similarity)


@pages.get("/items/{id}/text")
def whole_text(visit: Visit, space: SpaceName, id: Id) -> Response:
    """All of it, byte for byte, as plain text."""
    return Response(visit.memory.item(id).content, media_type="text/plain; charset=utf-8")


@pages.get("/items/{id}/edit", scope="write")
def edit_page(visit: Visit, space: SpaceName, id: Id) -> Response:
    item = visit.memory.item(id)
    return visit.page("edit.html", item=item, is_editable=len(item.content) <= _EDITABLE)


@pages.post("/items/{id}")
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
