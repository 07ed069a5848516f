"""Logging in with a key, and out again."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from truekeep.engine.access import digest
from truekeep.server.desk import address_of, desk_of
from truekeep.server.problems import Unauthorized

from . import forms
from .pages import PageRoute, Visit, act, console_of, goto, shown_to_anybody
from .sessions import COOKIE, LASTS

router = APIRouter(prefix="/console", include_in_schema=False, route_class=PageRoute)

_HOME = "/console"
_LOGIN_BYTES = 64 * 1024  # anybody may send them


@router.get("/login")
async def login_page(request: Request) -> Response:
    desk = desk_of(request)
    if await desk.run(desk.callers.is_open):
        return goto(_HOME)
    return shown_to_anybody(request, "login.html", wanted=_ours(forms.asked(request).text("next")), problem=None)


@router.post("/login")
async def login(request: Request) -> Response:
    fields = await forms.sent(request, most=_LOGIN_BYTES)
    desk, wanted = desk_of(request), _ours(fields.text("next"))
    secret = (fields.text("key") or "").strip()
    try:
        await desk.run(lambda: desk.callers.who(secret, address_of(request)))
    except Unauthorized:
        problem = "This key is unknown, expired or revoked." if secret else "Enter a key."
        return shown_to_anybody(request, "login.html", 401, wanted=wanted, problem=problem)
    response = goto(wanted)
    cookie = console_of(request).sessions.begin(digest(secret), desk.clock())
    response.set_cookie(COOKIE, cookie, max_age=int(LASTS.total_seconds()), **_guarded(request))
    return response


@router.post("/logout")
async def logout(request: Request) -> Response:
    def work(visit: Visit, fields: forms.Fields) -> Response:
        visit.console.sessions.end(request.cookies.get(COOKIE), visit.caller.desk.store, visit.caller.desk.clock())
        return goto("/console/login")

    response = await act(request, work, scope="read", counts="free")
    response.delete_cookie(COOKIE, **_guarded(request))
    return response


def _guarded(request: Request) -> dict[str, Any]:
    """For no script, no other site, no other path, and over TLS only where the page came that way."""
    is_secure = request.headers.get("origin", "").startswith("https:") or request.url.scheme == "https"
    return {"path": "/console", "httponly": True, "samesite": "strict", "secure": is_secure}


def _ours(wanted: str | None) -> str:
    """Where to go after logging in: pages of ours only."""
    is_ours = wanted is not None and (wanted == _HOME or wanted.startswith((f"{_HOME}/", f"{_HOME}?")))
    return wanted if wanted is not None and is_ours and wanted.isprintable() and "\\" not in wanted else _HOME
