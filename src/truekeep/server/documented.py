"""How routes are described: one call names the body, the answer and the errors of a route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Header, Path
from pydantic import AfterValidator, BaseModel
from pydantic_core import to_json
from starlette.responses import Response

from truekeep.engine import admit
from truekeep.errors import InvalidInput

from . import answers, problems
from .fields import LIMITS, Name


def _named(description: str, example: str) -> Any:
    return Path(description=description, openapi_examples={"one": {"value": example}})


def _admitted(key: str | None) -> str | None:
    try:
        return None if key is None else admit.name(key, "idempotency_key", LIMITS)
    except InvalidInput as error:
        raise ValueError(error.problem) from None  # the header's name is told beside it


SpaceName = Annotated[Name, _named("the name of the memory", "support-bot"), AfterValidator(unquote)]
TenantName = Annotated[Name, _named("the name of a tenant", "acme"), AfterValidator(unquote)]
Id = Annotated[Name, _named("an id", "019b796d-d600-7269-becb-25f1c7e8a604"), AfterValidator(unquote)]
Key = Annotated[Name, _named("the key of a value", "profile"), AfterValidator(unquote)]
CheckpointName = Annotated[Name, _named("the name of a checkpoint", "before-import"), AfterValidator(unquote)]
ReaderName = Annotated[Name, _named("the name of a reader", "crm"), AfterValidator(unquote)]
IdempotencyKey = Annotated[
    Name | None,
    Header(alias="Idempotency-Key", description="a retry with the same key does nothing twice"),
    AfterValidator(_admitted),  # before anything is made of it, or compared
]

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
    public: bool = False,
) -> dict[str, Any]:
    """Arguments for a route's decorator. What is `public` needs no key."""
    codes = sorted({*(_PUBLIC if public else _ALWAYS), *errors, *(_WITH_BODY if body else ())})
    good: dict[str, Any] = {"description": described}
    if answer is not None:
        good["model"] = answers.of(answer)
    if media is not None:
        good["content"] = {media: {"schema": {"type": "string"}}}
    responses: dict[int | str, dict[str, Any]] = {status: good}
    if also is not None:
        responses[also] = {**good, "description": "Done."}
    responses |= {code: error(code) for code in codes}
    extra: dict[str, Any] = {"security": []} if public else {}
    if body:
        extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": _schema(body)}}}
    return {
        "summary": summary,
        "status_code": status,
        "responses": responses,
        "response_model": None,
        "openapi_extra": extra,
    }


def error(code: int) -> dict[str, Any]:
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


def reply(record: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(to_json(record), status, dict(headers or {}), media_type="application/json")
