"""The short way from a request to its route leaves out nothing that the long way does."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote, unquote

import httpx
import pytest
from fastapi import APIRouter, FastAPI, Path, Request
from fastapi.routing import APIRoute
from pydantic import AfterValidator, Field
from starlette.responses import Response

from truekeep.server import serving
from truekeep.server.schemas import SpaceName

from .served import Served, at


def handler(path: str, endpoint: Any) -> str:
    """Where the function comes from that a route of ours answers with."""
    return serving.Route(path, endpoint).get_route_handler().__module__


async def named(request: Request, space: SpaceName) -> Response:
    return Response(space)


async def asked(request: Request, space: SpaceName, limit: int = 5) -> Response:
    return Response(space * limit)


async def numbered(request: Request, number: Annotated[int, Path()]) -> Response:
    return Response(str(number))


async def short(
    request: Request, space: Annotated[str, Path(), Field(max_length=3), AfterValidator(unquote)]
) -> Response:
    return Response(space)


@pytest.mark.parametrize(
    ("path", "endpoint", "is_direct"),
    [
        ("/{space}", named, True),
        ("/{space}", asked, False),
        ("/{number}", numbered, False),
        ("/{space}", short, False),
    ],
)
def test_only_routes_that_need_nothing_but_names_take_the_short_way(path: str, endpoint: Any, is_direct: bool) -> None:
    assert (handler(path, endpoint) == serving.__name__) is is_direct


@pytest.mark.parametrize("name", ["plain", "a/b", "100 %", "%2F", "über cats 🐈", "a?b#c"])
def test_both_ways_read_the_same_names(served: Served, ana: httpx.Client, name: str) -> None:
    ana.post(at(name, "memories"), json={"content": "Ana drinks tea"}).raise_for_status()  # the long way

    found = ana.post(at(name, "recall"), json={"query": "tea"})  # the short one

    assert [match["content"] for match in found.json()["matches"]] == ["Ana drinks tea"]
    assert [space["name"] for space in ana.get("/v1/spaces").json()["spaces"]] == [name]


@pytest.mark.anyio
async def test_routers_lie_side_by_side_in_the_app() -> None:
    app, router = FastAPI(), APIRouter(prefix="/v1", tags=["v"], route_class=serving.Route)
    router.add_api_route("/{space}/names", named, methods=["GET"])

    serving.include(app, [router])

    [route] = [route for route in app.routes if isinstance(route, APIRoute)]
    assert (route.path, route.tags) == ("/v1/{space}/names", ["v"])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        answer = await client.get(f"/v1/{quote('a%2Fb', safe='')}/names")
    assert answer.text == "a/b"
