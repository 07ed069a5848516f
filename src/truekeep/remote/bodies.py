"""Requests as JSON: what the arguments of a call look like on the wire."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

from truekeep import wire
from truekeep.engine.admit import Limits, json_text
from truekeep.engine.verbs.values import Append, Edit, Increment, Replace
from truekeep.model import Draft, Filters, Query

# The server judges sizes, by its own settings. Names and tags become part of addresses: they stay within bounds.
LIMITS = Limits(
    content_bytes=sys.maxsize,
    metadata_bytes=sys.maxsize,
    value_bytes=sys.maxsize,
    batch=sys.maxsize,
    results=sys.maxsize,
    query_bytes=sys.maxsize,
    transcript_bytes=sys.maxsize,
)
_NUMBER_BYTES = 1_000  # as text; a server takes no longer ones, and Python does not even write them


def json_bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def fresh_key() -> str:
    """An idempotency key of our own, so that a request whose answer got lost can be sent again."""
    return uuid4().hex


def key_header(idempotency_key: str | None) -> dict[str, str]:
    """The caller's key or one of our own. A header carries printable ASCII only: of other keys it carries a digest."""
    key = idempotency_key or fresh_key()
    if not key.isascii() or not key.isprintable() or key != key.strip():
        key = f"sha256:{sha256(key.encode()).hexdigest()}"
    return {"Idempotency-Key": key}


def keyed(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, each with an idempotency key."""
    ours = fresh_key()
    return [
        draft if draft.idempotency_key else replace(draft, idempotency_key=f"{ours}:{number}")
        for number, draft in enumerate(drafts)
    ]


def query_record(query: Query) -> dict[str, Any]:
    options = {name: getattr(query, name) for name in ("limit", "min_similarity", "min_answerable", "order")}
    return {"query": query.text, **options, **wire.given(query.filters)}


def context_record(query: Query | None, filters: Filters) -> dict[str, Any]:
    return {"query": "", **wire.given(filters)} if query is None else query_record(query)


def filter_parameters(filters: Filters) -> list[tuple[str, str]]:
    """The same for the query of an address, where a list is a name that stands there several times."""
    record = wire.given(filters)
    pairs = [(name, value) for name, some in record.items() for value in (some if isinstance(some, list) else [some])]
    return [(name, "true" if value is True else str(value)) for name, value in pairs]


def edit_request(edit: Edit, ttl: timedelta | None) -> tuple[str, str, dict[str, Any], dict[str, str]]:
    """The method, the end of the path, the body and the condition of an edit of a value."""
    match edit:
        case Replace(value, if_version):
            lasting = None if ttl is None or ttl == timedelta.max else ttl.total_seconds()
            return "PUT", "", {"value": value, **given(ttl=lasting)}, _condition(if_version)
        case Append(element, _):
            return "POST", "/append", {"element": element}, {}
        case Increment(by):
            json_text(by, "by", _NUMBER_BYTES)
            return "POST", "/increment", {"by": by}, {}


def given(**fields: Any) -> dict[str, Any]:
    """Those that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def dry(dry_run: bool) -> dict[str, bool]:
    """Told only where it is so: servers of older versions do not know it."""
    return {"dry_run": True} if dry_run else {}


def _condition(if_version: int | None) -> dict[str, str]:
    if if_version is None:
        return {}
    return {"If-None-Match": "*"} if if_version == 0 else {"If-Match": f'"{if_version}"'}
