"""Forgetting in two steps: what it would erase, then the receipt."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.errors import InvalidInput, NotFound
from truekeep.server.documented import SpaceName

from . import forms
from .pages import PageRoute, Visit, form, page

router = APIRouter(prefix="/console/spaces/{space}", include_in_schema=False, route_class=PageRoute)

AT_ONCE = 100


def confirmation(visit: Visit, space: str, ids: list[str]) -> Response:
    """The first step: show what would be gone."""
    if not ids or len(ids) > AT_ONCE:
        raise InvalidInput("id", f"say what to forget: 1 to {AT_ONCE} items")
    memory = visit.caller.memory(space)
    return visit.page("forget.html", space=space, up="", items=[memory.item(id) for id in ids])


@router.get("/forget")
@page(scope="write")
def ask(visit: Visit, space: SpaceName) -> Response:
    ids = list(dict.fromkeys(forms.asked(visit.request).all("id")))
    return confirmation(visit, space, ids)


@router.post("/forget")
@form(counts="free")
def forget(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    ids = list(dict.fromkeys(fields.all("id")))
    if not ids or len(ids) > AT_ONCE:
        raise InvalidInput("id", f"say what to forget: 1 to {AT_ONCE} items")
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
