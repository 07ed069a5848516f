"""The audit: which key did, or was told, which ids; for the tenant's own administrators, and the operator."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.engine import admit
from truekeep.model import AuditFilters
from truekeep.server import keyring
from truekeep.server.desk import Caller

from . import forms
from .pages import PageRoute, Visit, page

router = APIRouter(prefix="/console", include_in_schema=False, route_class=PageRoute)

_SHOWN = 40  # with their ids they stay below 100 KB
_NAMED = ("item", "request", "key", "space", "verb")
_ASKED = (*_NAMED, "since", "until", "tenant")


@router.get("/audit")
@page(scope="admin")
def audit_page(visit: Visit) -> Response:
    fields, caller = forms.asked(visit.request), visit.caller
    limits = caller.desk.opened.limits
    given = {name: admit.name(text, name, limits) for name in _NAMED if (text := fields.text(name)) is not None}
    if "space" in given:
        caller.may("admin", given["space"])
    sought = AuditFilters(**given, since=fields.time("since"), until=fields.time("until"))
    found = caller.audit(sought, tenant=fields.text("tenant"), cursor=fields.text("after"), limit=_SHOWN)
    return visit.page(
        "audit.html",
        entries=found.entries,
        names=names_of(caller),
        asked={name: fields.text(name) or "" for name in _ASKED},
        next=None if found.cursor is None else fields.again(_ASKED, after=found.cursor),
    )


def names_of(caller: Caller) -> dict[str, str]:
    """Names of keys by their ids, as far as the caller may know them."""
    return {key.id: key.name for key in (caller.key, *keyring.listed(caller))}
