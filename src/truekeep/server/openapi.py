"""The OpenAPI document: what each route answers, how it is described, and FastAPI's own with the bodies and the keys.

Most answers are the model, as `truekeep.wire` tells it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field, JsonValue, create_model
from pydantic.json_schema import models_json_schema

from truekeep import __version__, model, wire

from . import problems

_NAMES = {model.MemoryItem: "Item", model.AccessKey: "Key", model.Usage: "Count", model.SpaceSize: "Space"}
_SAID = {
    model.MemoryItem: "One memory item.",
    model.Match: "A memory item that was found, with its score and why.",
    model.Suspicion: "A doubt: the newer memory may have replaced the older one.",
}
_DESCRIBED: Mapping[tuple[type, str], str] = {
    (model.MemoryItem, "suspected_by"): "newer memories that may have replaced it",
    (model.Match, "suspected_by"): "newer memories that may have replaced it",
    (model.Remembered, "suspected"): "older ones that it may have replaced",
    (model.Page, "cursor"): "for the next page; null when this was the last",
}
_OTHERS: Mapping[Any, Any] = {Any: JsonValue, model.SpaceId: str, model.Quotas: dict[str, int | None]}

ERRORS: Mapping[int, tuple[str, str, str]] = {
    400: ("malformed", "The request cannot be read.", "the body is not JSON: EOF while parsing at line 1 column 9"),
    401: (
        "unauthorized",
        "There is no key, or it is unknown, expired or revoked.",
        "this access key is unknown, expired or revoked; the operator makes another with 'truekeep keys create'",
    ),
    403: ("forbidden", "The key does not allow this.", "this key has no scope 'write'"),
    404: ("not-found", "There is no such thing here.", "no item '019b796d' in the space 'support-bot'"),
    409: (
        "conflict",
        "Somebody else changed it first, or an idempotency key was used for something else.",
        "idempotency_key 'order-7' was used for another memory",
    ),
    412: ("precondition-failed", "The value has another version.", "the value has version 4, not 3; read it again"),
    413: ("too-large", "The body is too large.", "the body is larger than 20,971,520 bytes"),
    415: ("wrong-media-type", "The body is of another media type.", "the body must be application/json"),
    422: (
        "invalid-input",
        "An argument cannot be accepted; nothing was written.",
        "content: is empty; say what to remember",
    ),
    429: (
        "quota-exceeded",
        "A quota is used up, or the address sent too many wrong keys; `Retry-After` says when to try again.",
        "the quota of 1,000 recalls a month is used up",
    ),
    503: ("unavailable", "The store is out of reach; try again.", "the store is out of reach; try again"),
}
_ALWAYS = (400, 401, 403, 422, 429, 503)
_PUBLIC = (400, 403, 503)
_WITH_BODY = (413, 415)
REF = "#/components/schemas/{model}"
BODIES: dict[str, type[BaseModel]] = {}


class Problem(BaseModel):
    """RFC 9457."""

    type: str = Field(examples=["urn:truekeep:invalid-input"])
    title: str
    status: int
    detail: str = Field(
        description="what happened and what to do", examples=["content: is empty; say what to remember"]
    )
    argument: str | None = Field(None, description="which argument is wrong")
    problem: str | None = Field(None, description="what is wrong with it")
    retryable: bool | None = None


@cache
def _of(kind: Any) -> Any:
    """The answer that tells a thing of the model, all of whose fields are always there; what is none stays itself.

    `Annotated[bool, "done"]` is an object with that one field, and is called after it, or as a second note says.
    """
    if field := field_of(kind):
        inner, _, *called = get_args(kind)
        return answer(*(called or [f"{field.capitalize()}Answer"]), **{field: inner})
    is_told: bool = is_dataclass(kind) and kind not in _OTHERS
    if not is_told:
        return _OTHERS.get(kind, kind)
    name = f"{_NAMES.get(kind, kind.__name__)}Answer"
    told = {
        field: (type, Field(description=_DESCRIBED[kind, field]) if (kind, field) in _DESCRIBED else ...)
        for field, type in wire.shape(kind).items()
    }
    return answer(name, _SAID.get(kind), **told)


def field_of(kind: Any) -> str | None:
    """The name under which an answer is told that is annotated with one."""
    return get_args(kind)[1] if get_origin(kind) is Annotated else None


def answer(name: str, said: str | None = None, /, **fields: Any) -> type[BaseModel]:
    """An answer of these fields, each with its type and perhaps a default."""
    pairs = {field: given if isinstance(given, tuple) else (given, ...) for field, given in fields.items()}
    typed: Any = {field: (_type(type), default) for field, (type, default) in pairs.items()}
    return create_model(name, __doc__=said, __module__=__name__, **typed)


def _type(given: Any) -> Any:
    """What pydantic calls it: a thing of the model by its answer, a tuple as a list. `[X]` is a list of X."""
    if isinstance(given, list):
        return list[_type(given[0])]  # type: ignore[misc]  # a type that is known when this runs
    origin, arguments = get_origin(given), get_args(given)
    if origin in (list, tuple, Sequence):
        return _type([arguments[0]])
    if origin is Mapping:
        return dict[arguments[0], _type(arguments[1])]  # type: ignore[misc,valid-type]  # the same
    if origin in (Union, UnionType):
        return reduce(or_, map(_type, arguments))
    return _of(given)


def documented(
    summary: str,
    answer: Any,
    *,
    body: Sequence[type[BaseModel]] = (),
    status: int = 200,
    errors: tuple[int, ...] = (),
    described: str = "Done.",
    also: int | None = None,
    media: str | None = None,
    sent: Mapping[str, Any] | None = None,
    public: bool = False,
) -> dict[str, Any]:
    """Arguments for a route. `sent` is a body that is no JSON, by its media type; what is `public` needs no key."""
    codes = sorted({*(_PUBLIC if public else _ALWAYS), *errors, *(_WITH_BODY if body else ())})
    good: dict[str, Any] = {"description": described}
    if answer is not None:
        good["model"] = _type(answer)
    if media is not None:
        good["content"] = {media: {"schema": {"type": "string"}}}
    responses: dict[int | str, dict[str, Any]] = {status: good}
    if also is not None:
        responses[also] = {**good, "description": "Done."}
    responses |= {code: _error(code) for code in codes}
    extra: dict[str, Any] = {"security": []} if public else {}
    content = {"application/json": {"schema": _schema(body)}} if body else sent
    if content:
        extra["requestBody"] = {"required": True, "content": content}
    return {
        "summary": summary,
        "status_code": status,
        "responses": responses,
        "response_model": None,
        "openapi_extra": extra,
    }


def _error(code: int) -> dict[str, Any]:
    """How a problem of this status is told."""
    slug, described, detail = ERRORS[code]
    content = {"schema": {"$ref": REF.format(model="Problem")}, "example": problems.document(code, slug, detail)}
    found: dict[str, Any] = {"description": described, "content": {problems.MEDIA_TYPE: content}}
    if code == 429:
        found["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return found


def _schema(body: Sequence[type[BaseModel]]) -> dict[str, Any]:
    BODIES.update({model.__name__: model for model in body})
    refs = [{"$ref": REF.format(model=model.__name__)} for model in body]
    return refs[0] if len(refs) == 1 else {"anyOf": refs}


def openapi(app: FastAPI) -> dict[str, Any]:
    """The complete document, made once."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(
        title="Truekeep",
        version=__version__,
        summary="Persistent memory for AI agents",
        description=_DESCRIPTION,
        routes=app.routes,
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    models = [(model, "validation") for model in BODIES.values()] + [(Problem, "serialization")]
    _, found = models_json_schema(models, ref_template=REF)  # type: ignore[arg-type]  # literals, see above
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= found["$defs"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    document["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "Authorization: Bearer tk_..."},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "basic": {"type": "http", "scheme": "basic", "description": "the key is the password"},
    }
    document["components"]["responses"] = {slug: _error(code) for code, (slug, _, _) in ERRORS.items()}
    for operations in document["paths"].values():
        for operation in operations.values():
            _tidy(operation)
    document["security"] = [{"bearer": []}, {"header": []}, {"basic": []}, {}]
    app.openapi_schema = document
    return document


def _tidy(operation: dict[str, Any]) -> None:
    """Say what all operations have in common by reference, and what no parameter can be not at all."""
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _given(parameter["schema"])
    responses = operation["responses"]
    for code, (slug, _, _) in ERRORS.items():
        if responses.get(str(code)) == _error(code):
            responses[str(code)] = {"$ref": f"#/components/responses/{slug}"}


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """What a parameter looks like where there is one; in an address or a header nothing is null."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) != 1:
        return schema
    return {**options[0], **{name: value for name, value in schema.items() if name != "anyOf"}}


_DESCRIPTION = """A memory that a whole fleet shares. Every error is an RFC 9457 problem that carries `detail`.

Names in paths (spaces, ids, keys) are percent-encoded as one segment, slashes included. Times are ISO 8601 with their
zone. `Idempotency-Key` on a write makes its retry safe. Without any key configured the server answers on loopback
only, as the tenant `local`."""
