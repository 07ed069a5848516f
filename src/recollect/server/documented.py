"""How routes are described: one call names the body, the answer and the errors of a route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import FastAPI, Header, Path
from fastapi.openapi.utils import get_openapi
from pydantic import AfterValidator, BaseModel
from pydantic.json_schema import models_json_schema
from pydantic_core import to_json
from starlette.responses import Response

from recollect import __version__

from . import answers, problems
from .fields import Name

SpaceName = Annotated[Name, Path(description="the name of the memory"), AfterValidator(unquote)]
Id = Annotated[Name, Path(description="the id of an item"), AfterValidator(unquote)]
Key = Annotated[Name, Path(description="the key of a value"), AfterValidator(unquote)]
IdempotencyKey = Annotated[
    Name | None, Header(alias="Idempotency-Key", description="a retry with the same key does nothing twice")
]

_ERRORS: Mapping[int, str] = {
    400: "The request cannot be read.",
    401: "There is no key, or it is unknown, expired or revoked.",
    403: "The key does not allow this.",
    404: "There is no such thing here.",
    409: "Somebody else changed it first, or an idempotency key was used for something else.",
    412: "The value has another version.",
    413: "The body is too large.",
    415: "The body is of another media type.",
    422: "An argument cannot be accepted; nothing was written.",
    429: "A quota is used up; `Retry-After` says when to try again.",
    503: "The store is out of reach; try again.",
}
_ALWAYS = (400, 401, 403, 422, 503)
_WITH_BODY = (413, 415)
REF = "#/components/schemas/{model}"
_bodies: dict[str, type[BaseModel]] = {}


def documented(
    summary: str,
    answer: type[BaseModel] | None,
    *,
    body: type[BaseModel] | list[type[BaseModel]] | None = None,
    status: int = 200,
    errors: tuple[int, ...] = (),
    described: str = "Done.",
    also: int | None = None,
    media: str | None = None,
) -> dict[str, Any]:
    """Arguments for a route's decorator."""
    codes = sorted({*_ALWAYS, *errors, *(_WITH_BODY if body else ())})
    good: dict[str, Any] = {"description": described}
    if answer is not None:
        good["model"] = answer
    if media is not None:
        good["content"] = {media: {"schema": {"type": "string"}}}
    responses: dict[int | str, dict[str, Any]] = {status: good}
    if also is not None:
        responses[also] = {**good, "description": "Done."}
    responses |= {code: _error(code) for code in codes}
    extra: dict[str, Any] = {}
    if body is not None:
        extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": _schema(body)}}}
    return {
        "summary": summary,
        "status_code": status,
        "responses": responses,
        "response_model": None,
        "openapi_extra": extra,
    }


def _error(code: int) -> dict[str, Any]:
    schema = {"$ref": REF.format(model="Problem")}
    found: dict[str, Any] = {"description": _ERRORS[code], "content": {problems.MEDIA_TYPE: {"schema": schema}}}
    if code == 429:
        found["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return found


def _schema(body: type[BaseModel] | list[type[BaseModel]]) -> dict[str, Any]:
    several = body if isinstance(body, list) else [body]
    for model in several:
        _bodies[model.__name__] = model
    refs = [{"$ref": REF.format(model=model.__name__)} for model in several]
    return refs[0] if len(refs) == 1 else {"anyOf": refs}


def reply(record: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(to_json(record), status, dict(headers or {}), media_type="application/json")


def openapi(app: FastAPI) -> dict[str, Any]:
    """The complete document: FastAPI's own, the bodies, problems and keys."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(
        title="Recollect",
        version=__version__,
        summary="Persistent memory for AI agents",
        description=_DESCRIPTION,
        routes=app.routes,
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    models = [(model, "validation") for model in _bodies.values()] + [(answers.Problem, "serialization")]
    _, found = models_json_schema(models, ref_template=REF)  # type: ignore[arg-type]  # literals, see above
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= found["$defs"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    document["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "Authorization: Bearer rk_..."},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "basic": {"type": "http", "scheme": "basic", "description": "the key is the password"},
    }
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _given(parameter["schema"])
    document["security"] = [{"bearer": []}, {"header": []}, {"basic": []}, {}]
    app.openapi_schema = document
    return document


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
