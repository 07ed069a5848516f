"""How a page is served: who visits, what they may do, and what is said when something goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from pydantic import SecretStr, ValidationError
from starlette.responses import RedirectResponse, Response

from truekeep.engine.projection import Projection, project
from truekeep.errors import TruekeepError
from truekeep.memory import Memory
from truekeep.model import Scope, SpaceId
from truekeep.server import problems
from truekeep.server.desk import Caller, Desk, address_of, desk_of
from truekeep.server.serving import Route, endpoint

from . import forms, rendering
from .forms import COOKIE, Sessions

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
_OF_A_SPACE = 4  # slashes of /console/spaces/{space}/items


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
    space: str | None  # that the page is about
    sent: forms.Fields | None
    told: Mapping[str, str]  # what was done, by the word for it in an address

    @property
    def fields(self) -> forms.Fields:
        """Those of the form that was sent, or of the address."""
        return forms.asked(self.request) if self.sent is None else self.sent

    @property
    def memory(self) -> Memory:
        """That of the space."""
        assert self.space is not None  # only pages of a space ask for it
        return self.caller.memory(self.space)

    @property
    def console(self) -> Console:
        return console_of(self.request)

    def page(self, template: str, status: int = 200, **shown: Any) -> Response:
        """A page that knows who looks at it, its space and the way up to that, and what was done just now."""
        up = "../" * (self.request.scope["route"].path.count("/") - _OF_A_SPACE)
        done = self.told.get(self.fields.text("done") or "") if self.told else None
        here = {"space": self.space, "up": up, "done": done, "now": self.caller.desk.clock()}
        return shown_to_anybody(self.request, template, status, **{**_somebody(self.caller), **here, **shown})


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
    sent: forms.Fields | None = None,
    told: Mapping[str, str] | None = None,
) -> _T:
    """Let whoever has a session, or everybody where no key is needed, do some work."""
    desk, sessions = desk_of(request), console_of(request).sessions

    def serve() -> _T:
        digest = sessions.digest_in(request.cookies.get(COOKIE), desk.store, desk.clock())
        key = desk.callers.behind(digest, address_of(request))
        request.scope[_VISITOR] = _somebody(Caller(key, desk))
        caller = desk.let_in(key, scope=scope, space=space, counts=counts)
        return work(Visit(request, caller, space, sent, told or {}))

    return await desk.run(serve)


async def _sent(request: Request, *, scope: Scope, space: str | None) -> forms.Fields:
    """The fields of a form, which must come from a page of that session."""
    forms.refuse_strangers(request)
    await visit(request, lambda visit: None, scope=scope, space=space)  # before what they send is taken in
    fields = await forms.sent(request)
    if not console_of(request).sessions.is_token(fields.text("token"), request.cookies.get(COOKIE)):
        raise problems.Forbidden("this form is too old, or of another session; go back and load the page again")
    return fields


class Pages:
    """Functions of a visit, and of the names in the path, under one prefix: pages, and the forms that they send.

    `told` says what was done, on the page that comes after a form.
    """

    def __init__(self, prefix: str, told: Mapping[str, str] | None = None) -> None:
        self.router = APIRouter(prefix=prefix, include_in_schema=False, route_class=PageRoute)
        self._told = told or {}

    def get(
        self, path: str, *, scope: Scope = "read", counts: str | Callable[[Request], str] = "free"
    ) -> Callable[[_Work], _Work]:
        """A page."""
        return self._add("GET", path, scope, counts)

    def post(self, path: str, *, scope: Scope = "write", counts: str = "write") -> Callable[[_Work], _Work]:
        """A form."""
        return self._add("POST", path, scope, counts)

    def _add(
        self, method: str, path: str, scope: Scope, counts: str | Callable[[Request], str]
    ) -> Callable[[_Work], _Work]:
        def added(work: _Work) -> _Work:
            async def serve(request: Request, **names: Any) -> Response:
                space = names.get("space")
                return await visit(
                    request,
                    lambda visit: work(visit, **names),
                    scope=scope,
                    space=space,
                    counts=counts if isinstance(counts, str) else counts(request),
                    sent=await _sent(request, scope=scope, space=space) if method == "POST" else None,
                    told=self._told,
                )

            self.router.add_api_route(path, endpoint(work, serve), methods=[method])
            return work

        return added


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


def goto_page(*names: str, **query: str) -> Response:
    """The same for a page of ours, told from its address."""
    return goto(f"{address(*names)}?{urlencode(query)}" if query else address(*names))


def address(*names: str) -> str:
    """The path of a page: every name is one segment."""
    return "/".join(["/console", *(quote(name, safe="") for name in names)])


def _failure(request: Request, error: TruekeepError | ValidationError) -> Response:
    if isinstance(error, problems.Unauthorized) and not is_part(request) and request.method == "GET":
        wanted = request.scope["raw_path"].decode("ascii", "replace")
        if query := request.url.query:
            wanted = f"{wanted}?{query}"
        return goto(f"/console/login?next={quote(wanted, safe='')}")
    told = problems.of_error(error)
    detail = json.loads(bytes(told.body))["detail"]
    response = shown_to_anybody(
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


def shown_to_anybody(request: Request, template: str, status: int = 200, **shown: Any) -> Response:
    """A page that needs no session."""
    token = console_of(request).sessions.token(request.cookies.get(COOKIE))
    text = rendering.render(template, **{**_NOBODY, "token": token, **shown})
    return Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")
