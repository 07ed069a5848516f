"""What may come in: each kind of argument is checked here, by name, before anything is written."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from truekeep.errors import InvalidInput
from truekeep.model import JSON, Judged

Word = TypeVar("Word", bound=str)
_KIND = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one call may bring."""

    content_bytes: int = 64 * 1024
    metadata_bytes: int = 64 * 1024
    value_bytes: int = 16 * 1024 * 1024
    name_chars: int = 256  # space, session, speaker, key, idempotency key
    tags: int = 64
    tag_chars: int = 128
    batch: int = 10_000
    results: int = 1_000
    query_bytes: int = 64 * 1024
    transcript_bytes: int = 16 * 1024 * 1024  # all messages of one extraction together
    context_tokens: int = 1_000_000


def content(value: object, limits: Limits, argument: str = "content") -> str:
    text = plain_text(value, argument)
    if not text.strip():
        raise InvalidInput(argument, "is empty; say what to remember")
    size = len(text.encode())
    if size > limits.content_bytes:
        raise InvalidInput(argument, f"has {size:,} bytes; at most {limits.content_bytes:,} are accepted")
    return text


def name(value: object, argument: str, limits: Limits) -> str:
    """A space, session, speaker or key: any characters but control characters, not only blanks."""
    text = plain_text(value, argument)
    if not text.strip():
        raise InvalidInput(argument, "is empty")
    if len(text) > limits.name_chars:
        raise InvalidInput(argument, f"has {len(text)} characters; at most {limits.name_chars} are accepted")
    if _CONTROL.search(text):
        raise InvalidInput(argument, "contains a control character")
    return text


def kind(value: object, argument: str = "kind") -> str:
    text = plain_text(value, argument)
    if not _KIND.fullmatch(text):
        raise InvalidInput(argument, f"{text[:70]!r} is not a slug (a-z, 0-9, '_', '-', '.', at most 64 characters)")
    return text


def tags(value: object, limits: Limits, argument: str = "tags") -> tuple[str, ...]:
    if isinstance(value, str | Mapping) or not isinstance(value, Collection):
        raise InvalidInput(argument, "must be a collection of strings, such as ['auth', 'user:ana']")
    if len(value) > limits.tags:
        raise InvalidInput(argument, f"has {len(value):,} entries; at most {limits.tags} are accepted")
    checked = dict.fromkeys(name(tag, argument, limits) for tag in value)
    for tag in checked:
        if len(tag) > limits.tag_chars:
            raise InvalidInput(argument, f"has a tag of {len(tag)} characters; at most {limits.tag_chars} are accepted")
    return tuple(checked)


def json_text(value: object, argument: str, max_bytes: int) -> str:
    """The value as JSON text; refuses what JSON cannot carry, NaN and lone surrogates among it."""
    try:
        _check_keys(value, argument)
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except RecursionError as error:
        raise InvalidInput(argument, "is nested too deeply") from error
    except InvalidInput:  # which is a ValueError, too
        raise
    except (TypeError, ValueError) as error:
        raise InvalidInput(argument, f"is not JSON: {_reason(error)}") from error
    if size > max_bytes:
        raise InvalidInput(argument, f"has {size:,} bytes as JSON; at most {max_bytes:,} are accepted")
    return text


def _check_keys(value: object, argument: str) -> None:
    """JSON would turn other keys into strings silently, and two of them into one."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidInput(argument, f"has the key {key!r}, which is not a string")
            _check_keys(inner, argument)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_keys(inner, argument)


def metadata(value: object, limits: Limits) -> dict[str, JSON]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput("metadata", "must be a mapping of strings to JSON values")
    if not all(isinstance(field, str) for field in value):
        raise InvalidInput("metadata", "has a key that is not a string")
    text = json_text(dict(value), "metadata", limits.metadata_bytes)
    if "\x00" in text or "\\u0000" in text:
        raise InvalidInput("metadata", "contains a NUL character")
    restored: dict[str, JSON] = json.loads(text)  # a copy that nobody can change under us
    return restored


def ttl(value: object) -> timedelta | None:
    return None if value is None else span(value, "ttl")


def span(value: object, argument: str) -> timedelta:
    """A length of time, given as such or in seconds."""
    if isinstance(value, bool) or not isinstance(value, timedelta | int | float):
        raise InvalidInput(argument, "must be a timedelta or a number of seconds")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(argument, "must be finite")
    try:
        length = value if isinstance(value, timedelta) else timedelta(seconds=value)
    except OverflowError as error:
        raise InvalidInput(argument, "is too long; leave it out for no end") from error
    if length <= timedelta(0):
        raise InvalidInput(argument, "must be positive")
    if length > timedelta(days=365 * 1000):
        raise InvalidInput(argument, "is longer than a thousand years; leave it out for no end")
    return length


def path(value: object, argument: str) -> Path:
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise InvalidInput(argument, "must be a path")
    return Path(os.fsdecode(value))


def moment(value: object, argument: str) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidInput(argument, "must be a datetime with a time zone")
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidInput(argument, "has no time zone; use datetime.now(UTC) or .replace(tzinfo=...)")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(argument, "is out of range in UTC") from error


def flag(value: object, argument: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(argument, "must be True or False")
    return value


def choice(value: object, argument: str, words: Sequence[Word]) -> Word:
    for word in words:
        if value == word:
            return word
    raise InvalidInput(argument, f"must be one of {', '.join(words)}")


def judged(value: object) -> Judged:
    if not isinstance(value, bool) and value != "now":
        raise InvalidInput("judged", 'must be True, False or "now"')
    return value


def whole(value: object, argument: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(argument, "must be a whole number")
    if not least <= value <= most:
        raise InvalidInput(argument, f"must be between {least:,} and {most:,}, not {value:,}")
    return value


def plain_text(value: object, argument: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(argument, f"must be a string, not {type(value).__name__}")
    if "\x00" in value:
        raise InvalidInput(argument, "contains a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(argument, "contains a lone surrogate, which is not valid Unicode") from error
    return value


def _reason(error: Exception) -> str:
    return "contains a lone surrogate" if isinstance(error, UnicodeEncodeError) else str(error)
