"""What AutoGen hands over and takes, as memories have it: contents of a memory, and messages of a model context."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from pydantic_core import to_jsonable_python

from truekeep.errors import InvalidInput
from truekeep.model import Match

TEXT, JSON = MemoryMimeType.TEXT.value, MemoryMimeType.JSON.value
_LABELS = ("kind", "session", "speaker")  # not `key` or `ttl`: in metadata of others they mean something else
_OURS = {"id", "score", "similarity", "confidence", "created"}  # what `content_of` tells; it may be handed back to us


def text_in(content: MemoryContent) -> str:
    """Its text; JSON for a mapping.

    Raises:
        InvalidInput: a picture, or bytes that are no text.
    """
    given = content.content
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return json.dumps(to_jsonable_python(given, fallback=str), ensure_ascii=False)
    if isinstance(given, bytes) and mime_of(content).startswith("text/"):
        return given.decode("utf-8", "replace")
    raise InvalidInput("content", f"only text and JSON can be remembered, not {type(given).__name__}")


def arguments_in(content: MemoryContent) -> dict[str, Any]:
    """The arguments of `Memory.remember`: a kind, tags, session and speaker among the metadata are meant as such."""
    metadata = to_jsonable_python({**(content.metadata or {})}, fallback=str)
    arguments: dict[str, Any] = {name: metadata.pop(name) for name in _LABELS if isinstance(metadata.get(name), str)}
    if "kind" in arguments:
        arguments["kind"] = "-".join(arguments["kind"].lower().split())
    if isinstance(metadata.get("tags"), list):
        arguments["tags"] = [str(tag) for tag in metadata.pop("tags")]
    if mime_of(content) != TEXT:
        metadata["mime_type"] = mime_of(content)
    kept = {name: value for name, value in metadata.items() if name not in _OURS}
    return {"content": text_in(content), "metadata": kept, **arguments}


def content_of(match: Match) -> MemoryContent:
    """What was found, as it was added."""
    item = match.item
    metadata: dict[str, Any] = dict(item.metadata)
    mime = str(metadata.pop("mime_type", TEXT))
    told: dict[str, Any] = {
        "id": item.id,
        "kind": item.kind,
        "tags": list(item.tags),
        "session": item.session,
        "speaker": item.speaker,
        "created": item.created.isoformat(),
        "score": match.score,
        "similarity": match.similarity,
        "confidence": match.confidence,
    }
    metadata.update({name: value for name, value in told.items() if value is not None})
    return MemoryContent(content=_as_added(item.content, mime), mime_type=mime, metadata=metadata)


def mime_of(content: MemoryContent) -> str:
    """As text, whether an enum or a plain string was given."""
    mime = content.mime_type
    return str(mime.value) if isinstance(mime, MemoryMimeType) else str(mime)


def _as_added(text: str, mime: str) -> str | dict[str, Any]:
    if mime != JSON:
        return text
    try:
        found = json.loads(text)
    except ValueError:  # corrected by hand since
        return text
    return found if isinstance(found, dict) else text


def from_context(message: LLMMessage) -> dict[str, Any]:
    """A message of a model context. In a team, what other agents said comes as user messages."""
    if isinstance(message, UserMessage):
        return {"role": "user", "name": message.source, "content": message.content}
    if isinstance(message, AssistantMessage):
        said = message.content if isinstance(message.content, str) else None  # else it calls tools
        return {"role": "assistant", "name": message.source, "content": said}
    return {"role": "system" if isinstance(message, SystemMessage) else "tool", "content": None}
