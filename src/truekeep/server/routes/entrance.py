"""The entrance: a browser is shown to the console, a program where everything is."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from truekeep import __version__
from truekeep.server import answers
from truekeep.server.documented import documented, reply

router = APIRouter(tags=["operation"])

_BY_ACCEPT = {"Vary": "Accept"}
_LINKS = {
    "console": "/console",
    "docs": "/docs",
    "openapi": "/openapi.json",
    "health": "/health",
    "mcp": "/mcp",
    "v1": "/v1/spaces",
}


@router.get(
    "/",
    **documented(
        "What there is here; needs no key",
        answers.CardAnswer,
        public=True,
        described="Where everything is. A browser is sent to the console instead.",
    ),
)
async def card(request: Request) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(_LINKS["console"], 303, _BY_ACCEPT)
    return reply({"name": "Truekeep", "version": __version__, "links": _LINKS}, headers=_BY_ACCEPT)
