"""How a page is served: who visits, what they may do, and what is said when something goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote

from fastapi import Request
from pydantic import SecretStr, ValidationError
from starlette.responses import RedirectResponse, Response

from truekeep.engine.projection import Projection, project
from truekeep.errors import TruekeepError
from truekeep.model import Scope, SpaceId
from truekeep.server import problems
from truekeep.server.desk import Caller, Desk, address_of, desk_of
from truekeep.server.routing import Route
from truekeep.server.serving import endpoint

from . import forms, rendering
from .sessions import COOKIE, Sessions

_T = TypeVar("_T")
_Work = Callable[..., Any]
HEADERS = {
    # Nothing inline, nothing from elsewhere: text that poses as markup could not run even if it were not escaped.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NOBODY = {"key": None, "may_write": False, "may_admin": False, "is_open": False}
_VISITOR = "truekeep.visitor"  # in the scope of a request: who it is, for the page that tells what went wrong
MAPPED = 800  # of a map: with their texts they stay below 100 KB
_MAPS = 64


class Console:
    """What the pages of one process share."""

    def __init__(self, secret: SecretStr | None) -> None:
        self.sessions = Sessions(None if secret is None else secret.get_secret_value())
        self._projected = lru_cache(_MAPS)(_projected)

    def projection(self, caller: Caller, space: str) -> Projection:
        """The map of a space; made again when the space has changed."""
        id = SpaceId(caller.tenant, space)
        return self._projected(caller.desk, id, caller.desk.store.head(id).seq)


def _projected(desk: Desk, space: SpaceId, _: int) -> Projection:
    parts = desk.opened.parts
    return project(parts=parts, space=space, now=parts.clock(), limit=MAPPED)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of somebody who was let in."""

    request: Request
    caller: Caller

    @property
    def console(self) -> Console:
        return console_of(self.request)

    def page(self, template: str, status: int = 200, **shown: Any) -> Response:
        return _page(self.request, template, status, **_somebody(self.caller), now=self.caller.desk.clock(), **shown)


def _somebody(caller: Caller) -> dict[str, Any]:
    scopes = caller.key.scopes
    return {
        "key": caller.key,
        "may_write": "write" in scopes,
        "may_admin": "admin" in scopes,
        "is_open": caller.desk.callers.is_open(),
    }


def console_of(request: Request) -> Console:
    console: Console = request.app.state.console
    return console


async def visit(
    request: Request,
    work: Callable[[Visit], _T],
    *,
    scope: Scope = "read",
    space: str | None = None,
    counts: str = "free",
) -> _T:
    """Let whoever has a session, or everybody where no key is needed, do some work."""
    desk, sessions = desk_of(request), console_of(request).sessions

    def serve() -> _T:
        digest = sessions.digest_in(request.cookies.get(COOKIE), desk.store, desk.clock())
        key = desk.callers.behind(digest, address_of(request))
        request.scope[_VISITOR] = _somebody(Caller(key, desk))
        return work(Visit(request, desk.let_in(key, scope=scope, space=space, counts=counts)))

    return await desk.run(serve)


async def act(
    request: Request,
    work: Callable[[Visit, forms.Fields], _T],
    *,
    scope: Scope = "write",
    space: str | None = None,
    counts: str = "write",
) -> _T:
    """The same for a form, which must come from a page of that session."""
    forms.refuse_strangers(request)
    await visit(request, lambda visit: None, scope=scope, space=space)  # before what they send is taken in
    fields = await forms.sent(request)
    if not console_of(request).sessions.is_token(fields.text("token"), request.cookies.get(COOKIE)):
        raise problems.Forbidden("this form is too old, or of another session; go back and load the page again")
    return await visit(request, lambda visit: work(visit, fields), scope=scope, space=space, counts=counts)


def page(*, scope: Scope = "read", counts: str | Callable[[Request], str] = "free") -> Callable[[_Work], _Work]:
    """Serve a function of the visit, and of the names in the path, as a page."""

    def shown(work: _Work) -> _Work:
        async def serve(request: Request, **names: Any) -> Response:
            counted = counts if isinstance(counts, str) else counts(request)
            return await visit(
                request, lambda visit: work(visit, **names), scope=scope, space=names.get("space"), counts=counted
            )

        return endpoint(work, serve)

    return shown


def form(*, scope: Scope = "write", counts: str = "write") -> Callable[[_Work], _Work]:
    """The same for a form: the function takes its fields, too."""

    def taken(work: _Work) -> _Work:
        async def serve(request: Request, **names: Any) -> Response:
            return await act(
                request,
                lambda visit, fields: work(visit, fields, **names),
                scope=scope,
                space=names.get("space"),
                counts=counts,
            )

        return endpoint(work, serve, {"fields"})

    return taken


class PageRoute(Route):
    """A route whose answers are pages, errors too, each with the headers that keep a browser safe."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def page(request: Request) -> Response:
            try:
                response = await answer(request)
            except (TruekeepError, ValidationError) as error:
                response = _failure(request, error)
            response.headers.update(HEADERS)
            response.headers.setdefault("Cache-Control", "no-store")
            return response

        return page


def goto(path: str) -> Response:
    """Answer a form so that loading the page again does not send it again."""
    return RedirectResponse(path, 303)


def address(*names: str) -> str:
    """The path of a page: every name is one segment."""
    return "/".join(["/console", *(quote(name, safe="") for name in names)])


def shown_to_anybody(request: Request, template: str, status: int = 200, **shown: Any) -> Response:
    """A page that needs no session."""
    return _page(request, template, status, **shown)


def _failure(request: Request, error: TruekeepError | ValidationError) -> Response:
    if isinstance(error, problems.Unauthorized) and not is_part(request) and request.method == "GET":
        wanted = request.scope["raw_path"].decode("ascii", "replace")
        if query := request.url.query:
            wanted = f"{wanted}?{query}"
        return goto(f"/console/login?next={quote(wanted, safe='')}")
    if isinstance(error, ValidationError):
        told = problems.of_validation(error.errors(include_url=False, include_input=False))
    else:
        told = problems.of_error(error)
    detail = json.loads(bytes(told.body))["detail"]
    response = _page(
        request,
        "part_error.html" if is_part(request) else "error.html",
        told.status_code,
        detail=detail,
        space=request.path_params.get("space"),
        was_sent=request.method == "POST",
        **request.scope.get(_VISITOR, {}),
    )
    if "retry-after" in told.headers:
        response.headers["Retry-After"] = told.headers["retry-after"]
    return response


def is_part(request: Request) -> bool:
    """Whether our script asks for a piece of a page that is shown already."""
    return request.headers.get("x-part") == "1"


def _page(request: Request, template: str, status: int, **shown: Any) -> Response:
    token = console_of(request).sessions.token(request.cookies.get(COOKIE))
    text = rendering.render(template, **{**_NOBODY, "token": token, **shown})
    return Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")
