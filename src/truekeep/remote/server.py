"""A server: where it is and with which key it is asked, and what its answers mean.

Those are JSON, or a problem that becomes the exception which an embedded memory would raise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

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
from truekeep.surroundings import servers

_EXAMPLE = "at= must look like 'https://memory.example.org' or 'http://127.0.0.1:8420'"
_URN = "urn:truekeep:"
_PASSING = frozenset({502, 503, 504})  # the server, or the way to it, is out of order for a moment
_BACKENDS: Mapping[str, type[BackendError]] = {
    "unavailable": StoreError,
    "embedder-failed": EmbedderError,
    "extractor-failed": ExtractorError,
}


@dataclass(frozen=True, slots=True)
class Address:
    """A server; its key is shown nowhere."""

    url: str  # without credentials and without a slash at its end
    key: str | None = field(default=None, repr=False)

    @property
    def is_on_this_machine(self) -> bool:
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def addresses_of(at: str, key: str | None) -> tuple[Address, ...]:
    """Servers of one store, separated by commas, in the order in which they are asked. One key opens them all."""
    found = [address_of(one, key) for one in servers(at)]
    keys = {address.key for address in found if address.key is not None}
    if len(keys) > 1:
        raise ConfigurationError("the addresses in at= hold different keys; servers of one store have one key")
    return tuple(replace(address, key=next(iter(keys), None)) for address in found)


def address_of(at: str, key: str | None) -> Address:
    """The address without its credentials; the key is the argument, or the password in the address.

    No message quotes what was given: it may hold a secret.
    """
    parts, port = _parts(at)
    host = parts.hostname or ""
    if not host or any(character.isspace() or not character.isprintable() for character in host):
        raise ConfigurationError(_EXAMPLE)
    if parts.query or parts.fragment:
        raise ConfigurationError("at= must not have a '?' or a '#'; give the key as key=")
    name = f"[{host}]" if ":" in host else host
    path = quote(parts.path.rstrip("/"), safe="/%~")
    return Address(f"{parts.scheme}://{name}{'' if port is None else f':{port}'}{path}", _key(parts, key))


def segment(name: str) -> str:
    """A name as one segment of a path. Dots too where they would mean this folder or the one above."""
    return name.replace(".", "%2E") if name in (".", "..") else quote(name, safe="")


def _parts(at: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(at)
        return parts, parts.port
    except ValueError:
        raise ConfigurationError(_EXAMPLE) from None


def _key(parts: SplitResult, key: str | None) -> str | None:
    inside = unquote(parts.password or parts.username or "") or None
    if key is not None and inside is not None:
        raise ConfigurationError("the key is given twice: as key= and in the address")
    given = inside if key is None else key
    if given is None:
        return None
    if not isinstance(given, str) or not given or not given.isascii() or not given.isprintable() or " " in given:
        raise ConfigurationError("key= must be an access key such as 'tk_...'; leave it out where none is needed")
    return given


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
