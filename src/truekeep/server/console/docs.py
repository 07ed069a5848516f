"""`/docs`: the whole API on one page, made here from the OpenAPI document. Nothing of it comes from elsewhere."""

from __future__ import annotations

from functools import lru_cache

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

from truekeep.server.desk import desk_of

from . import describing, rendering
from .pages import PageRoute

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/docs")
async def docs(request: Request) -> Response:
    page = await desk_of(request).run(lambda: _page(request.app))
    return Response(page, media_type="text/html; charset=utf-8")


@lru_cache(1)
def _page(app: FastAPI) -> bytes:
    """The same for everybody, and made once: whoever asks for it has shown no key."""
    document = app.openapi()
    return rendering.render(
        "docs.html",
        key=None,
        info=document["info"],
        groups=describing.groups(document),
        schemas=describing.schemas(document),
        errors=describing.errors(document),
        origin=describing.ORIGIN,
    ).encode()
