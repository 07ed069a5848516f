"""Foreign names of fields, and ours."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from truekeep.errors import InvalidInput

from .records import Found, LeftOut, end, moment

NAMES: Mapping[str, tuple[str, ...]] = {
    "content": ("content", "text", "memory", "statement", "fact", "note", "body", "message", "page_content"),
    "id": ("id", "uuid", "uid", "memory_id", "message_id"),
    "kind": ("kind", "memory_type"),
    "when": ("when", "time", "timestamp", "created_at", "created", "date", "datetime"),
    "expires": ("expires", "expires_at", "expiration_date"),
    "speaker": ("speaker", "author", "user", "sender", "actor_id", "user_id"),
    "role": ("role",),
    "session": ("session", "session_id", "thread", "thread_id", "run", "run_id", "conversation", "conversation_id"),
    "tags": ("tags", "labels", "categories"),
    "metadata": ("metadata",),
}
_SCALARS = ("id", "kind", "role", "session", "speaker")
_APART = re.compile(r"[,;]")
_NO_SLUG = re.compile(r"[^a-z0-9_.-]+")


class Fields:
    """Reads records whose fields have the usual names, or those that the caller says.

    Args:
        given: our name → theirs, such as `{"content": "body"}`: then only that one counts.
    """

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        for ours in given or {}:
            if ours not in NAMES:
                raise InvalidInput("map", f"has no field {ours!r}; there are {', '.join(NAMES)}")
        self._names = {**NAMES, **{ours: (_folded(theirs),) for ours, theirs in (given or {}).items()}}

    def read(self, where: str, record: Mapping[str, Any], *, is_lenient: bool = False, **known: Any) -> Found | LeftOut:
        """One record; `known` are fields that the source has outside of it. What has no name of ours is metadata.

        Where a record is `is_lenient`, what has the name of a time but is none is metadata, too.
        """
        rest: dict[str, tuple[str, Any]] = {}
        for name, value in record.items():
            folded = _folded(name)
            rest[folded if folded not in rest else f"{folded}\0{name}"] = name, value
        given = {ours: self._taken(rest, ours) for ours in self._names if ours not in known}
        given = {ours: value for ours, value in given.items() if value is not None} | known
        if "content" not in given:
            return LeftOut(where=where, reason="has no text")
        extra = dict(rest.values())
        try:
            content = given.pop("content")
            return Found(where=where, content=content, **_in_our_words(given, extra, is_lenient=is_lenient))
        except ValueError as error:
            return LeftOut(where=where, reason=str(error))

    def _taken(self, rest: dict[str, tuple[str, Any]], ours: str) -> Any:
        """The value under the first of its names that has one. A name is a text or a number, not an object."""
        for name in self._names[ours]:
            _, value = rest.get(name, (name, None))
            if not _is_blank(value) and (ours not in _SCALARS or isinstance(value, str | int | float)):
                return rest.pop(name)[1]
        return None


def text_of(value: object) -> object:
    """The text inside of what chat programs and LangMem call content; anything else as it is."""
    if isinstance(value, Mapping) and isinstance(value.get("content", value.get("text")), str):
        return value.get("content", value.get("text"))
    if isinstance(value, list) and value:
        parts = [text_of(part) for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        return "\n".join(texts) if texts else value
    return value


def slug(kind: str) -> str:
    """The nearest thing to it that a kind may be."""
    return _NO_SLUG.sub("-", kind.strip().lower()).strip("-._")


def _in_our_words(given: dict[str, Any], extra: dict[str, Any], *, is_lenient: bool) -> dict[str, Any]:
    """The fields of a `Found` but for its content."""
    words: dict[str, Any] = {"metadata": {**_metadata(given.pop("metadata", None)), **_without_blanks(extra)}}
    for name, value in given.items():
        if name in ("when", "expires"):
            try:
                words[name] = end(value) if name == "expires" else moment(value)
            except ValueError as error:
                if not is_lenient:
                    raise ValueError(f"{name}: {str(value)[:60]!r} is no time") from error
                words["metadata"][name] = value
        elif name == "tags":
            words[name] = _tags(value)
        else:
            words[name] = {"kind": slug, "role": str.lower}.get(name, str)(str(value))
    if "speaker" not in words and "role" in words:
        words["speaker"] = words["role"]
    return words


def _tags(value: object) -> tuple[str, ...]:
    parts = _APART.split(value) if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(text for part in parts if (text := str(part).strip())))


def _metadata(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):  # a column of a table
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"metadata": value}
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {"metadata": value}


def _without_blanks(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if not _is_blank(value)}


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_")
