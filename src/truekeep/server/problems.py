"""Errors as RFC 9457 problem documents that always carry `detail`; one table from error class to status."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from truekeep.errors import (
    BackendError,
    ConfigurationError,
    Conflict,
    DamagedStore,
    EmbedderError,
    ExtractorError,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    StoreError,
    TruekeepError,
)

from . import logs

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def routed(method: str) -> str:
    """What to look for a route by: HEAD is answered as GET, and the gate leaves the body out."""
    return "GET" if method == "HEAD" else method


class Refused(TruekeepError):
    """A request that is turned away before it reaches a memory."""

    status = 400
    slug = "malformed"

    def __init__(self, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Unauthorized(Refused):
    status, slug = 401, "unauthorized"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, WWW_Authenticate='Bearer realm="truekeep"')


class Forbidden(Refused):
    status, slug = 403, "forbidden"


class TooSlow(Refused):
    status, slug = 408, "too-slow"


class PreconditionFailed(Refused):
    status, slug = 412, "precondition-failed"


class TooLarge(Refused):
    status, slug = 413, "too-large"


class WrongMediaType(Refused):
    status, slug = 415, "wrong-media-type"


class TooManyTries(Refused):
    status, slug = 429, "too-many-tries"

    def __init__(self, detail: str, seconds: int) -> None:
        super().__init__(detail, Retry_After=str(seconds))


class HeadTooLarge(Refused):
    status, slug = 431, "head-too-large"


class NotSetUp(Refused):
    status, slug = 503, "configuration"


class Busy(Refused):
    status, slug = 503, "busy"


class NotReady(Refused):
    status, slug = 503, "not-ready"


# Errors that say what is wrong with a request; all others are ours to look into.
TOLD = (TruekeepError, RequestValidationError, ValidationError)
STATUS: Mapping[type[TruekeepError], tuple[int, str]] = {
    InvalidInput: (422, "invalid-input"),
    NotFound: (404, "not-found"),
    Conflict: (409, "conflict"),
    QuotaExceeded: (429, "quota-exceeded"),
    ConfigurationError: (503, "configuration"),
    EmbedderError: (503, "embedder-failed"),  # before their root: the first that fits is taken
    ExtractorError: (503, "extractor-failed"),
    BackendError: (503, "unavailable"),
}


_AGAIN, _LATER = "1", "60"  # seconds: what passes by itself, and what somebody has to see to
_OUTAGES: Mapping[type[TruekeepError], str] = {
    DamagedStore: "the store is damaged",
    StoreError: "the store is out of order",
    EmbedderError: "the embedder failed",
    ExtractorError: "the extractor failed",
    BackendError: "what this needs is out of reach",
    ConfigurationError: "the server is not set up for this",
}


def problem(status: int, slug: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    logs.note(reason=slug)
    # ASCII: a detail may quote what cannot be encoded.
    text = json.dumps(document(status, slug, detail, **more))
    return Response(text, status, dict(headers or {}), media_type=MEDIA_TYPE)


def document(status: int, slug: str, detail: str, **more: Any) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"type": f"urn:truekeep:{slug}", "title": title, "status": status, "detail": detail, **more}


def of_error(error: Exception) -> Response:
    """What one of `TOLD` comes to."""
    if isinstance(error, RequestValidationError):
        return _of_validation(error.errors(), placed=True)
    if isinstance(error, ValidationError):
        return _of_validation(error.errors(include_url=False, include_input=False))
    assert isinstance(error, TruekeepError)
    if isinstance(error, Refused):
        return problem(error.status, error.slug, str(error), error.headers)
    status, slug = _entry(error)
    if isinstance(error, InvalidInput):
        return problem(status, slug, str(error), argument=error.argument, problem=error.problem)
    if isinstance(error, QuotaExceeded):
        logs.note(quota=error.quota)
        return problem(status, slug, str(error), {"Retry-After": str(max(1, int(error.retry_after.total_seconds())))})
    if isinstance(error, BackendError | ConfigurationError):
        return _outage(error, status, slug)
    return problem(status, slug, str(error))


def slug_of(error: TruekeepError) -> str:
    """In a word, what an error of a memory is."""
    return _entry(error)[1]


def _entry(error: TruekeepError) -> tuple[int, str]:
    return next(entry for kind, entry in STATUS.items() if isinstance(error, kind))


def _outage(error: BackendError | ConfigurationError, status: int, slug: str) -> Response:
    """What failed, without its place: path, host, user and database are in the log, and nobody else's business."""
    log.error("the backend failed: %s: %s", type(error).__name__, error, extra={"error": error})
    what = next(words for kind, words in _OUTAGES.items() if isinstance(error, kind))
    passes = isinstance(error, BackendError) and error.retryable
    if passes and isinstance(error, StoreError):
        what = "the store is out of reach"
    detail = f"{what}; {'try again' if passes else 'its operator finds the reason in the log'}"
    return problem(status, slug, detail, {"Retry-After": _AGAIN if passes else _LATER}, retryable=passes)


def _of_validation(errors: Any, *, placed: bool = False) -> Response:
    """What pydantic found, in our words: the first wrong argument and what is wrong with it. Never quotes the input."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return problem(400, "malformed", f"the body is not JSON: {first['ctx']['error']}")
    place = first["loc"][1:] if placed else first["loc"]  # FastAPI puts first where the argument stands
    argument = ".".join(str(part) for part in place) or "body"
    words = str(first["msg"]).removeprefix("Value error, ")
    return problem(422, "invalid-input", f"{argument}: {words}", argument=argument, problem=words)


def install(app: FastAPI) -> None:
    """Every error of the app leaves as a problem."""

    async def told(_: Request, error: Exception) -> Response:
        return of_error(error)

    for kind in TOLD:
        app.add_exception_handler(kind, told)

    @app.exception_handler(HTTPException)
    async def framework(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            allowed = ", ".join(_allowed(request))
            return problem(405, "method-not-allowed", f"only {allowed} can be done here", {"Allow": allowed})
        # A client must tell a wrong address from a memory that is not there.
        if error.status_code == 404:
            return problem(404, "no-such-path", "there is no such path; /openapi.json lists those that there are")
        return problem(error.status_code, "refused", str(error.detail), error.headers)

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> Response:
        return problem(500, "internal", "something went wrong here; the server's log has the details")


def _allowed(request: Request) -> list[str]:
    """What can be done at this path; the framework knows the methods of its first route only."""
    asked = {method: {**request.scope, "method": routed(method)} for method in METHODS}
    routes = request.app.routes
    return [method for method, scope in asked.items() if any(route.matches(scope)[0] is Match.FULL for route in routes)]
