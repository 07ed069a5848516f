"""Access keys: made, rotated and revoked. A new key is shown on the page that made it, and never again. And tenants."""

from __future__ import annotations

from starlette.responses import Response

from truekeep.engine.verbs import erasure
from truekeep.server import keyring
from truekeep.server.schemas import Id

from .pages import Pages, Visit, goto_page

pages = Pages("/console", told={"revoked": "Revoked: it stopped working at once."})

_SHOWN = 100
_TENANTS = 200
_ERASURES = 50


@pages.get("/keys", scope="admin")
def keys_page(visit: Visit) -> Response:
    chosen = visit.fields.text("id")  # the one that somebody is about to revoke or rotate
    found = keyring.listed(visit.caller)
    return visit.page(
        "keys.html",
        keys=found[-_SHOWN:],
        left_out=max(0, len(found) - _SHOWN),
        chosen=next((key for key in found if key.id == chosen), None),
    )


@pages.post("/keys", scope="admin", counts="free")
def create(visit: Visit) -> Response:
    fields = visit.fields
    expires = fields.time("expires")
    body = keyring.KeyBody.model_validate(
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


@pages.post("/keys/{id}/rotate", scope="admin", counts="free")
def rotate(visit: Visit, id: Id) -> Response:
    key, secret = keyring.rotated(visit.caller, id)
    return visit.page("new_key.html", made=key, secret=secret, closed=False)


@pages.post("/keys/{id}/revoke", scope="admin", counts="free")
def revoke(visit: Visit, id: Id) -> Response:
    keyring.remove(visit.caller, id)
    return goto_page("keys", done="revoked")


@pages.get("/tenants", scope="admin")
def tenants_page(visit: Visit) -> Response:
    """For the operator: names and figures, never contents."""
    names = keyring.tenants_of(visit.caller)
    shown = [keyring.figures(visit.caller, name) for name in names[:_TENANTS]]
    desk = visit.caller.desk
    erased = erasure.latest(desk.store, desk.clock, limit=_ERASURES)
    return visit.page("tenants.html", tenants=shown, left_out=max(0, len(names) - _TENANTS), erased=erased)
