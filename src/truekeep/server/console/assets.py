"""The route of the files that pages need."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from truekeep.errors import NotFound
from truekeep.server.documented import Id

from . import rendering
from .pages import PageRoute

# Said here, since a machine's own table may call scripts plain text, and browsers then refuse them.
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FILES = StaticFiles(directory=rendering.FOLDER)

router = APIRouter(prefix="/console", include_in_schema=False, route_class=PageRoute)


@router.get("/static/{version}/{name}")
async def file(request: Request, version: Id, name: Id) -> Response:
    try:
        response = await _FILES.get_response(name, request.scope)
    except HTTPException as error:
        raise NotFound("there is no such file") from error
    is_present = version == rendering.version()
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_present else "no-cache"
    response.headers["Content-Type"] = _TYPES[Path(name).suffix]
    return response
