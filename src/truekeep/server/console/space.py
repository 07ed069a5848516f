"""One space: what an agent would get, what there is, and what can be done with it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from truekeep.errors import InvalidInput, NotFound
from truekeep.server.documented import SpaceName

from . import forms
from .examples import EXAMPLES, has_examples, lines
from .pages import PageRoute, Visit, address, form, goto, is_part, page
from .untraced import look

router = APIRouter(prefix="/console/spaces/{space}", include_in_schema=False, route_class=PageRoute)

_SHOWN = 30  # items on a page
_SHOWN_BELOW = 10  # and below what was recalled
_MATCHES = 5
_TOKENS = 1000
_AT_ONCE = 100  # items that something is done to
_DONE = {
    "pinned": "Pinned.",
    "unpinned": "Unpinned.",
    "tagged": "Tagged.",
    "untagged": "Tag removed.",
    "examples": "Three memories are kept.",
}


def _counted(request: Request) -> str:
    return "free" if forms.asked(request).text("query") is None else "recall"


@router.get("/items")
@page(counts=_counted)
def space_page(visit: Visit, space: SpaceName) -> Response:
    fields = forms.asked(visit.request)
    shown = _SHOWN if fields.text("query") is None else _SHOWN_BELOW
    listed = visit.caller.memory(space).page(limit=shown, cursor=fields.text("after"), **fields.filters())
    return visit.page(
        "space.html",
        space=space,
        up="",
        stats=visit.caller.stats(space),
        items=listed.items,
        more=None if listed.cursor is None else fields.again(after=listed.cursor),
        shown=fields.again((*forms.ASKED, "after")),
        filled=fields.shown(),
        limit=fields.number("limit", _MATCHES, 20),
        tokens=fields.number("tokens", _TOKENS, 2000),
        kinds=fields.all("kind"),
        done=_DONE.get(fields.text("done") or ""),
        query=fields.text("query") or "",
        found=_found(visit, space, fields),
        examples=EXAMPLES if has_examples(visit, space) else (),
        lines=lines(visit, space),
    )


@router.get("/recall")
@page(counts=_counted)
def recall_part(visit: Visit, space: SpaceName) -> Response:
    """What the script asks for while somebody types."""
    fields = forms.asked(visit.request)
    query, found = fields.text("query") or "", _found(visit, space, fields)
    return visit.page("part_recall.html", space=space, up="", query=query, found=found)


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


@router.get("/explain")
@page(counts="recall")
def explain_part(visit: Visit, space: SpaceName) -> Response:
    """Why an item was found, or was not."""
    fields = forms.asked(visit.request)
    memory = visit.caller.memory(space)
    id, query = fields.needed("id"), fields.needed("query")
    limit = fields.number("limit", _MATCHES, 20)
    [explained] = memory.explain(query, id, limit=limit, **fields.filters())
    template = "part_explain.html" if is_part(visit.request) else "explain.html"
    return visit.page(template, space=space, up="", query=query, explained=explained, item=memory.item(id))


@router.post("/items")
@form()
def add(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    kept = visit.caller.memory(space).remember(
        fields.needed("content"),
        kind=fields.text("kind"),
        tags=fields.words("tags"),
        session=fields.text("session"),
        speaker=fields.text("speaker"),
        key=fields.text("key"),
        pinned=fields.text("pinned") is not None,
        judged="now",
    )
    return goto(f"{address('spaces', space, 'items', kept.id)}?done={kept.outcome}")


@router.post("/bulk")
@form()
def bulk(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    """One thing done to all that were ticked."""
    action, ids = fields.needed("action"), _ids(fields, "tick what it shall be done to")
    if action == "forget":
        return _confirmation(visit, space, ids)
    done = _changed(visit, space, ids, action, fields.text("tag"))
    if len(ids) == 1 and fields.text("from") == "item":
        return goto(f"{address('spaces', space, 'items', ids[0])}?done={done}")
    back = forms.Fields(fields.text("shown") or "").again((*forms.ASKED, "after"), done=done)
    return goto(f"{address('spaces', space, 'items')}?{back}")


def _changed(visit: Visit, space: str, ids: list[str], action: str, tag: str | None) -> str:
    memory = visit.caller.memory(space)
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


def _confirmation(visit: Visit, space: str, ids: list[str]) -> Response:
    """The first of two steps to forget: show what would be gone."""
    memory = visit.caller.memory(space)
    return visit.page("forget.html", space=space, up="", items=[memory.item(id) for id in ids])


@router.get("/forget")
@page(scope="write")
def ask(visit: Visit, space: SpaceName) -> Response:
    return _confirmation(visit, space, _ids(forms.asked(visit.request), "say what to forget"))


@router.post("/forget")
@form(counts="free")
def forget(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    ids = _ids(fields, "say what to forget")
    memory = visit.caller.memory(space)
    receipts = [memory.forget(id) for id in ids]
    erased = [id for receipt in receipts for id in receipt.erased]
    if not erased:
        raise NotFound("nothing of this is there any more")
    return visit.page(
        "receipt.html",
        space=space,
        up="",
        erased=erased,
        remaining=sum(receipt.remaining for receipt in receipts),
        pending=any(receipt.pending for receipt in receipts),
    )
