"""Routes as FastAPI describes them, with as little as possible between a request and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from pydantic import WithJsonSchema
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope


class Route(APIRoute):
    """A route whose arguments are the request and names in the path needs nothing solved: they are handed over.

    Others (queries, headers) are served as FastAPI does it.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._end = self.path_format.rpartition("}")[2]  # most routes of ours end in a word of their own

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].endswith(self._end):  # then no pattern need be tried
            return Match.NONE, {}
        return super().matches(scope)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        needs, endpoint = self.dependant, self.endpoint  # codespell:ignore dependant
        named = all(_is_name(parameter) for parameter in needs.path_params)
        further = needs.query_params or needs.header_params or needs.cookie_params or needs.body_params
        if not named or further or needs.dependencies or needs.request_param_name is None:
            return super().get_route_handler()
        request_name = needs.request_param_name

        async def answer(request: Request) -> Response:
            names = {name: unquote(value) for name, value in request.path_params.items()}
            response: Response = await endpoint(**{request_name: request}, **names)
            return response

        return answer


def _is_name(parameter: Any) -> bool:
    """Whether it is one of `schemas.SpaceName` and its like: any text, percent-encoded."""
    checks = [check for check in parameter.field_info.metadata if not isinstance(check, WithJsonSchema)]
    return [getattr(check, "func", None) for check in checks] == [unquote]


def routed(method: str) -> str:
    """What to look for a route by: HEAD is answered as GET, and the gate leaves the body out."""
    return "GET" if method == "HEAD" else method


def include(app: FastAPI, routers: Iterable[APIRouter]) -> None:
    """The routes of all of them, side by side. `include_router` would look for each request's route twice."""
    for router in routers:
        app.router.routes.extend(router.routes)
