"""Routes as plain functions: the caller, what they sent and where it goes are arguments, and a thread does the work.

FastAPI describes them; between a request and the function that answers it there is as little as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import is_dataclass
from functools import partial
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, get_args, get_type_hints
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, WithJsonSchema
from pydantic_core import to_json
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope as HttpScope

from truekeep import wire
from truekeep.errors import InvalidInput
from truekeep.model import Scope

from .bodies import raw_json
from .desk import Caller, desk_of
from .openapi import documented, field_of

_F = TypeVar("_F", bound=Callable[..., Any])
Arguments = Mapping[str, Any]
Where = str | Callable[[Arguments], str | None]


class Route(APIRoute):
    """A route whose arguments are the request and names in the path needs nothing solved: they are handed over.

    Others (queries, headers) are served as FastAPI does it.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._end = self.path_format.rpartition("}")[2]  # most routes of ours end in a word of their own

    def matches(self, scope: HttpScope) -> tuple[Match, HttpScope]:
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


class Routes:
    """Functions of the caller under one prefix, each served once their key allows it.

    Args:
        prefix: where they are.
        tag: what they are about, for the OpenAPI document.
        space: which argument names the space that they are about, or what tells it from the arguments.
        lenient: whether parameters that they do not know are ignored: those of somebody else's client.
        words: what errors pass through on their way out: in whose words they are told.
        route_class: how requests find them.
    """

    def __init__(
        self,
        prefix: str,
        tag: str,
        *,
        space: Where = "space",
        lenient: bool = False,
        words: Callable[[], AbstractContextManager[None]] = nullcontext,
        route_class: type[APIRoute] = Route,
    ) -> None:
        self.router = APIRouter(prefix=prefix, tags=[tag], route_class=route_class)
        self._space = space
        self._lenient = lenient
        self._words = words
        self.get = partial(self._serve, "GET")
        self.post = partial(self._serve, "POST")
        self.put = partial(self._serve, "PUT")
        self.patch = partial(self._serve, "PATCH")
        self.delete = partial(self._serve, "DELETE")

    def _serve(
        self,
        method: str,
        path: str,
        *,
        scope: Scope,
        answer: Any = None,
        counts: str | Callable[[Arguments], str] = "free",
        space: Where | None = None,
        lenient: bool | None = None,
        large: bool = False,
        status: int = 200,
        **told: Any,
    ) -> Callable[[_F], _F]:
        """Serve a function under a path. Its docstring is what the OpenAPI document says that it does.

        Its first argument is the caller. `body` is what was sent, read as its annotation says. The others are names in
        the path, queries and headers, as FastAPI knows them. What it returns is told in JSON, as `openapi` reads the
        annotation; a response leaves as it is.

        Args:
            method: how it is asked.
            path: where it is, below the prefix.
            scope: what the key must allow.
            answer: what it answers with, where its annotation does not say so.
            counts: what it is counted as: write, operation, recall or free; or what tells that from the arguments.
            space: as above, where this one is told otherwise.
            lenient: the same.
            large: whether the body is a batch, a value or a transcript.
            status: that of the answer.
            **told: further words of `documented`.
        """
        where = self._space if space is None else space
        is_lenient = self._lenient if lenient is None else lenient

        def serving(work: _F) -> _F:
            hints = get_type_hints(work, include_extras=True)
            read, models = _body(hints.get("body"))
            field = field_of(hints["return"])

            async def serve(request: Request, **given: Any) -> Response:
                if not is_lenient:
                    await _refuse_unknown(request)
                if models:
                    given["body"] = read(await raw_json(request, large=large))

                def answered(caller: Caller) -> Response:
                    with self._words():
                        found = work(caller, **given)
                    return _replied(found, field, status)

                return await desk_of(request).serve(
                    request,
                    answered,
                    scope=scope,
                    space=given.get(where) if isinstance(where, str) else where(given),
                    counts=counts if isinstance(counts, str) else counts(given),
                )

            shown = answer or (None if hints["return"] is Response else hints["return"])
            described = documented(_summary(work), shown, body=models, status=status, **told)
            self.router.add_api_route(path, endpoint(work, serve, {"body"}), methods=[method], **described)
            return work

        return serving

    def asked(self, method: str, path: str, answer: Any, *, public: bool = False, **told: Any) -> Callable[[_F], _F]:
        """Serve an async function of the request: one that waits, or that needs no key, being `public`."""

        def serving(work: _F) -> _F:
            async def serve(request: Request, **given: Any) -> Response:
                if not public:
                    await _refuse_unknown(request)
                response: Response = await work(request, **given)
                return response

            described = documented(_summary(work), answer, public=public, **told)
            self.router.add_api_route(path, endpoint(work, serve), methods=[method], **described)
            return work

        return serving


def _summary(work: Callable[..., Any]) -> str:
    return (work.__doc__ or "").removesuffix(".")


def reply(record: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(to_json(record), status, dict(headers or {}), media_type="application/json")


def _replied(found: Any, field: str | None, status: int) -> Response:
    if isinstance(found, Response):
        return found
    told = [_record(one) for one in found] if isinstance(found, list | tuple) else _record(found)
    return reply(told if field is None else {field: told}, status)


def _record(found: Any) -> Any:
    return wire.record(found) if is_dataclass(found) else found


async def _refuse_unknown(request: Request) -> None:
    """A parameter that nobody reads was meant to change the answer."""
    if not request.scope["query_string"]:
        return
    known = _parameters(request.scope["route"])
    for name in request.query_params:
        if name not in known:
            await desk_of(request).recognise(request)  # a stranger is told first that there is no way in
            has = f"it has {', '.join(sorted(known))}" if known else "it has none"
            raise InvalidInput(name[:100], f"is no parameter of this request; {has}")


def _parameters(route: Any) -> set[str]:
    """What FastAPI reads out of the query, by name; a model stands for its fields."""
    found: set[str] = set()
    for one in route.dependant.query_params:  # codespell:ignore dependant
        kind = one.field_info.annotation
        found.update(kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else [one.alias])
    return found


def endpoint(
    work: Callable[..., Any], serve: Callable[..., Coroutine[Any, Any, Response]], own: Collection[str] = ()
) -> Callable[..., Coroutine[Any, Any, Response]]:
    """`serve` under the name of the work, asking for the request and for what the work needs beyond its `own`."""
    hints = get_type_hints(work, include_extras=True)
    _, *others = signature(work).parameters.values()
    asked = [each.replace(annotation=hints[each.name]) for each in others if each.name not in own]
    request = Parameter("request", Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
    named: Any = serve
    named.__name__, named.__signature__ = work.__name__, Signature([request, *asked])
    return serve


def _body(sent: Any) -> tuple[Callable[[bytes], Any], list[type[BaseModel]]]:
    """What reads a body, and its models. Several are annotated with what tells them apart."""
    if sent is None:
        return bytes, []
    if isinstance(sent, type):
        return partial(sent.model_validate_json, strict=True), [sent]  # type: ignore[attr-defined]  # a model
    models, read = get_args(sent)
    return read, list(get_args(models) or [models])


def include(app: FastAPI, routers: Iterable[APIRouter]) -> None:
    """The routes of all of them, side by side. `include_router` would look for each request's route twice."""
    for router in routers:
        app.router.routes.extend(router.routes)
