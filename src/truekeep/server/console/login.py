"""What anybody may see: the way in with a key, and out again; and the files that pages need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from truekeep.engine.access import digest
from truekeep.errors import NotFound
from truekeep.server.desk import address_of, desk_of
from truekeep.server.problems import Unauthorized
from truekeep.server.schemas import Id

from . import forms, rendering
from .forms import COOKIE, LASTS
from .pages import Pages, Visit, console_of, goto, goto_page, shown_to_anybody

pages = Pages("/console")

_HOME = "/console"
_LOGIN_BYTES = 64 * 1024  # anybody may send them
# Said here, since a machine's own table may call scripts plain text, and browsers then refuse them.
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FILES = StaticFiles(directory=rendering.FOLDER)


@pages.router.get("/login")
async def login_page(request: Request) -> Response:
    desk = desk_of(request)
    if await desk.run(desk.callers.is_open):
        return goto(_HOME)
    return shown_to_anybody(request, "login.html", wanted=_ours(forms.asked(request).text("next")), problem=None)


@pages.router.post("/login")
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


@pages.post("/logout", scope="read", counts="free")
def logout(visit: Visit) -> Response:
    request, desk = visit.request, visit.caller.desk
    visit.console.sessions.end(request.cookies.get(COOKIE), desk.store, desk.clock())
    response = goto_page("login")
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


@pages.router.get("/static/{version}/{name}")
async def file(request: Request, version: Id, name: Id) -> Response:
    try:
        response = await _FILES.get_response(name, request.scope)
    except HTTPException as error:
        raise NotFound("there is no such file") from error
    is_present = version == rendering.version()
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_present else "no-cache"
    response.headers["Content-Type"] = _TYPES[Path(name).suffix]
    return response
