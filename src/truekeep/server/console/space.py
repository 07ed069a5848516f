"""One space: what an agent would get, what there is, and what can be done with it."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from truekeep.errors import InvalidInput, NotFound
from truekeep.memory import Memory
from truekeep.server.schemas import SpaceName

from . import forms
from .pages import Pages, Visit, address, goto, goto_page, is_part
from .spaces import EXAMPLES, has_examples, lines
from .untraced import look

pages = Pages(
    "/console/spaces/{space}",
    told={
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
        found=_found(visit, space, fields),
        examples=EXAMPLES if has_examples(visit, space) else (),
        lines=lines(visit, space),
    )


@pages.get("/recall", counts=_counted)
def recall_part(visit: Visit, space: SpaceName) -> Response:
    """What the script asks for while somebody types."""
    fields = visit.fields
    query, found = fields.text("query") or "", _found(visit, space, fields)
    return visit.page("part_recall.html", query=query, found=found)


def _found(visit: Visit, space: str, fields: forms.Fields) -> Any:
    query = fields.text("query")
    if query is None:
        return None
    return look(
        visit.caller,
        space,
        query,
        matches=fields.number("limit", _MATCHES, 20),
        max_tokens=fields.number("tokens", _TOKENS, 2000),
        filters=fields.filters(),
    )


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
