"""What a server answers: JSON, or a problem that becomes the exception which an embedded memory would raise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from truekeep.errors import (
    AccessDenied,
    BackendError,
    ConfigurationError,
    Conflict,
    EmbedderError,
    ExtractorError,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    StoreError,
    TruekeepError,
)
from truekeep.patience import seconds_asked

from .address import Address

_URN = "urn:truekeep:"
_PASSING = frozenset({502, 503, 504})  # the server, or the way to it, is out of order for a moment
_BACKENDS: Mapping[str, type[BackendError]] = {
    "unavailable": StoreError,
    "embedder-failed": EmbedderError,
    "extractor-failed": ExtractorError,
}


class Failed(Exception):
    """One attempt that failed: what to tell the caller in the end, and whether another attempt may help."""

    def __init__(self, error: TruekeepError, *, may_pass: bool, asked: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_pass = may_pass
        self.asked = asked  # seconds that the server asks us to wait


def json_of(body: bytes, address: Address) -> Any:
    """The JSON of a good answer."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        problem = f"what answers at {address.url} is no Truekeep server, or another version of it: it sent no JSON"
        raise Failed(StoreError(problem), may_pass=False) from error


def failure_of(status: int, headers: Mapping[str, str], body: bytes, address: Address) -> Failed:
    """What an answer means that is not a good one."""
    slug, document = _document(body)
    asked = seconds_asked(headers.get("retry-after"))
    if slug is None:
        return Failed(_foreign(status, headers, address), may_pass=status in _PASSING, asked=asked)
    error = _error(status, slug, document, asked, address)
    return Failed(error, may_pass=isinstance(error, BackendError) and error.retryable, asked=asked)


def _document(body: bytes) -> tuple[str | None, Mapping[str, Any]]:
    """The kind of problem and its document; None for an answer that is not ours."""
    try:
        document = json.loads(body)
        kind, _ = document["type"], document["detail"]
    except (ValueError, RecursionError, TypeError, LookupError):
        return None, {}
    return (kind.removeprefix(_URN), document) if str(kind).startswith(_URN) else (None, {})


def _error(status: int, slug: str, document: Mapping[str, Any], asked: float, address: Address) -> TruekeepError:
    detail = str(document["detail"])
    if slug in _BACKENDS:
        return _BACKENDS[slug](detail, retryable=bool(document.get("retryable")))
    match slug:
        case "invalid-input" | "malformed" | "too-large" | "head-too-large":
            return InvalidInput(str(document.get("argument") or "request"), str(document.get("problem") or detail))
        case "not-found":
            return NotFound(detail)
        case "no-such-path":
            hint = "give at= the address of the server alone, without /v1, or upgrade the server"
            return StoreError(f"{address.url} is a Truekeep server and knows no such path; {hint}")
        case "conflict" | "precondition-failed":
            return Conflict(detail)
        case "quota-exceeded":
            return QuotaExceeded(detail, timedelta(seconds=asked))
        case "unauthorized":
            if address.key is not None:
                return AccessDenied(f"the server at {address.url} does not accept this key=; {detail}")
            return AccessDenied(
                f"the server at {address.url} asks for an access key: give key=, or TRUEKEEP_KEY on the command line; "
                "its operator makes one with 'truekeep keys create'"
            )
        case "forbidden" | "too-many-tries":
            return AccessDenied(f"the server at {address.url} refuses: {detail}")
        case "configuration":
            return ConfigurationError(f"the server at {address.url} refuses: {detail}")
        case "busy" | "too-slow":  # nothing of the request was done
            return StoreError(f"the server at {address.url} refuses: {detail}", retryable=True)
        case _:
            return StoreError(f"the server at {address.url} answered with status {status}: {detail}")


def _foreign(status: int, headers: Mapping[str, str], address: Address) -> TruekeepError:
    """An answer of something else than a Truekeep server: a proxy, or another program. Its text is not quoted."""
    if 300 <= status < 400:
        target = urlsplit(headers.get("location", ""))
        where = f"{target.scheme}://{target.hostname}" if target.hostname else "elsewhere"
        return ConfigurationError(f"{address.url} redirects to {where}; give the final address as at=")
    if status in (401, 403, 407):
        return AccessDenied(f"something before the server at {address.url} refuses access: status {status}")
    hint = "" if status in _PASSING else "; is that a Truekeep server?"
    return StoreError(f"{address.url} answered with status {status}{hint}", retryable=status in _PASSING)
