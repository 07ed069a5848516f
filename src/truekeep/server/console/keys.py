"""Access keys: made, rotated and revoked. A new key is shown on the page that made it, and never again."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.server import key_bodies, keyring
from truekeep.server.documented import Id

from . import forms
from .pages import PageRoute, Visit, form, goto, page

router = APIRouter(prefix="/console/keys", include_in_schema=False, route_class=PageRoute)

_SHOWN = 100
_DONE = {"revoked": "Revoked: it stopped working at once."}


@router.get("")
@page(scope="admin")
def keys_page(visit: Visit) -> Response:
    fields = forms.asked(visit.request)
    chosen = fields.text("id")  # the one that somebody is about to revoke or rotate
    found = keyring.listed(visit.caller)
    return visit.page(
        "keys.html",
        keys=found[-_SHOWN:],
        left_out=max(0, len(found) - _SHOWN),
        chosen=next((key for key in found if key.id == chosen), None),
        done=_DONE.get(fields.text("done") or ""),
    )


@router.post("")
@form(scope="admin", counts="free")
def create(visit: Visit, fields: forms.Fields) -> Response:
    expires = fields.time("expires")
    body = key_bodies.KeyBody.model_validate(
        {
            "name": fields.needed("name"),
            "tenant": fields.text("tenant"),
            "scopes": fields.all("scope") or None,
            "spaces": fields.words("spaces"),
            "expires": None if expires is None else expires.isoformat(),
        }
    )
    was_open = visit.caller.desk.callers.is_open()
    key, secret = keyring.made(visit.caller, body)
    return visit.page("new_key.html", 201, made=key, secret=secret, closed=was_open)


@router.post("/{id}/rotate")
@form(scope="admin", counts="free")
def rotate(visit: Visit, fields: forms.Fields, id: Id) -> Response:
    key, secret = keyring.rotated(visit.caller, id)
    return visit.page("new_key.html", made=key, secret=secret, closed=False)


@router.post("/{id}/revoke")
@form(scope="admin", counts="free")
def revoke(visit: Visit, fields: forms.Fields, id: Id) -> Response:
    keyring.remove(visit.caller, id)
    return goto("/console/keys?done=revoked")
