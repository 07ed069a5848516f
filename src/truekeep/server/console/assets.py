"""The route of the files that pages need."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from truekeep.errors import NotFound
from truekeep.server.documented import Id

from .files import TYPES, files
from .files import version as present_version
from .pages import PageRoute

router = APIRouter(prefix="/console", include_in_schema=False, route_class=PageRoute)


@router.get("/static/{version}/{name}")
async def file(request: Request, version: Id, name: Id) -> Response:
    if name not in files():
        raise NotFound("there is no such file")
    kept = "public, max-age=31536000, immutable" if version == present_version() else "no-cache"
    return Response(files()[name], headers={"Cache-Control": kept}, media_type=TYPES[Path(name).suffix])
