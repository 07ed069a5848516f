"""Routes as plain functions: the caller, what they sent and where it goes are arguments, and a thread does the work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping
from functools import partial
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, get_args, get_type_hints

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from truekeep.errors import InvalidInput
from truekeep.model import Scope

from .bodies import raw_json
from .desk import desk_of
from .documented import documented

_F = TypeVar("_F", bound=Callable[..., Any])
Arguments = Mapping[str, Any]


def route(
    add: Callable[..., Any],
    path: str,
    summary: str,
    answer: Any,
    *,
    scope: Scope,
    counts: str | Callable[[Arguments], str] = "free",
    space: str | Callable[[Arguments], str | None] = "space",
    large: bool = False,
    lenient: bool = False,
    **told: Any,
) -> Callable[[_F], _F]:
    """Serve a function of the caller under a path, once their key allows it.

    Its first argument is the caller. `body` is what was sent, read as its annotation says. The others are names in
    the path, queries and headers, as FastAPI knows them.

    Args:
        add: the method of a router, such as `router.post`.
        path: where it is.
        summary: what it does, for the OpenAPI document.
        answer: what it answers with: a thing of the model, or a model of pydantic's.
        scope: what the key must allow.
        counts: what it is counted as: write, operation, recall or free.
        space: which argument names the space that it is about. This one and `counts` may be told from the arguments.
        large: whether the body is a batch, a value or a transcript.
        lenient: whether parameters that it does not know are ignored: those of somebody else's client.
        **told: further words of `documented`.
    """

    def serving(work: _F) -> _F:
        read, models = _body(get_type_hints(work, include_extras=True).get("body"))

        async def serve(request: Request, **given: Any) -> Response:
            if not lenient:
                await refuse_unknown(request)
            if models:
                given["body"] = read(await raw_json(request, large=large))
            where = given.get(space) if isinstance(space, str) else space(given)
            counted = counts if isinstance(counts, str) else counts(given)
            return await desk_of(request).serve(
                request, lambda caller: work(caller, **given), scope=scope, space=where, counts=counted
            )

        add(path, **documented(summary, answer, body=models, **told))(endpoint(work, serve, {"body"}))
        return work

    return serving


async def refuse_unknown(request: Request) -> None:
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
