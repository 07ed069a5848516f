"""Telling a retry from another use of the same idempotency key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, Field, fields, is_dataclass


def request_hash(*parts: object) -> str:
    """A hash of what was asked for. Of a dataclass, what differs from its defaults: a new field breaks no retry."""
    text = json.dumps([_told(part) for part in parts], sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _told(part: object) -> object:
    if isinstance(part, type) or not is_dataclass(part):
        return part
    given = {field: getattr(part, field.name) for field in fields(part)}
    return {field.name: _told(value) for field, value in given.items() if value != _default(field)}


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()
