"""What is said, cleaned before it is kept; and what had better not be believed at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from truekeep.errors import InvalidInput
from truekeep.model import JSON, Draft, MemoryItem, Message, Redact

from . import named
from .instructions import poses_as_instruction
from .secrets import Cleaned, redacted
from .spans import PLACEHOLDER, placeholder

_Said = TypeVar("_Said", bound=Draft | MemoryItem)
_UNTRUSTED = ("tool", "unknown")
_redacted_name = lru_cache(maxsize=1000)(redacted)  # a batch has few speakers and tags, and each many times


class _Sieve:
    """Takes secrets out of texts by a mode, and knows which kinds it found."""

    def __init__(self, mode: Redact) -> None:
        self._mode = mode
        self._found: dict[str, None] = {}

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(self._found)

    def text(self, said: str, argument: str, where: str = "") -> str:
        return self._cleaned(said, redacted(said), argument, where)

    def name(self, said: str, argument: str) -> str:
        return self._cleaned(said, _redacted_name(said), argument)

    def _cleaned(self, said: str, clean: Cleaned, argument: str, where: str = "") -> str:
        # A text that was cleaned before, such as that of a message, tells by its placeholders what it had.
        return self._judged(said, clean.text, (*clean.kinds, *PLACEHOLDER.findall(said)), argument, where)

    def json(self, value: JSON, argument: str, name: str = "") -> JSON:
        """A JSON value with its strings cleaned; what stands under the name of a secret is one, keys stay."""
        if isinstance(value, str):
            clean = self.text(value, argument)
            kind = named.under(name, value) if clean == value and name else None
            return clean if kind is None else self._judged(value, placeholder(kind), (kind,), argument)
        if isinstance(value, Mapping):
            return {key: self.json(inner, argument, key) for key, inner in value.items()}
        if isinstance(value, Sequence):
            return [self.json(inner, argument, name) for inner in value]
        return value

    def _judged(self, said: str, clean: str, kinds: Sequence[str], argument: str, where: str = "") -> str:
        if clean != said and self._mode == "refuse":
            found = f"{where}holds a secret ({kinds[0]})"
            raise InvalidInput(argument, f"{found}, and this memory refuses those; leave it out")
        self._found.update(dict.fromkeys(kinds))
        return said if self._mode == "flag" else clean


def cleaned(said: _Said, mode: Redact) -> _Said:
    """What is said as it may be kept: secrets in content, tags, metadata and speaker are dealt with and listed."""
    if mode == "off":
        return said
    sieve = _Sieve(mode)
    content, tags, metadata = _clean(sieve, said.content, said.tags, said.metadata)
    speaker = said.source.speaker and sieve.name(said.source.speaker, "speaker")
    if not sieve.kinds:
        return said
    source = replace(said.source, speaker=speaker)
    kinds = tuple(dict.fromkeys((*said.redacted, *sieve.kinds)))
    return replace(said, content=content, tags=tags, metadata=metadata, source=source, redacted=kinds)


def vetted(item: MemoryItem, mode: Redact) -> MemoryItem:
    """An item that somebody brings, as if it were said now: what he claims about it himself protects nobody."""
    item = cleaned(item, mode)
    return replace(item, quarantined=True) if is_suspect(item) else item


def cleaned_edits(edits: Mapping[str, Any], mode: Redact) -> Mapping[str, Any]:
    """The edits of a correction (fields of an item) as they may be kept."""
    if mode == "off":
        return edits
    given = (edits.get("content", ""), edits.get("tags", ()), edits.get("metadata", {}))
    clean = dict(zip(("content", "tags", "metadata"), _clean(_Sieve(mode), *given), strict=True))
    return {name: clean.get(name, value) for name, value in edits.items()}


def listed(item: MemoryItem, mode: Redact) -> MemoryItem:
    """The item with the kinds of secrets that are in it, or were: after a correction they may be others."""
    if mode == "off":
        return item
    sieve = _Sieve("flag")
    _clean(sieve, item.content, item.tags, item.metadata)
    return replace(item, redacted=sieve.kinds)


def cleaned_messages(messages: Sequence[Message], mode: Redact) -> list[Message]:
    """The messages as they may be kept for a while, and shown to an extractor."""
    if mode == "off":
        return list(messages)
    sieve = _Sieve(mode)
    return [
        message if (content := sieve.text(message.content, "messages", f"[{place}] ")) is message.content
        else replace(message, content=content)
        for place, message in enumerate(messages)
    ]  # fmt: skip


def is_suspect(said: Draft | MemoryItem) -> bool:
    """Whether it comes from nobody we trust and poses as an instruction: to be kept, and looked at by somebody."""
    if said.source.trust not in _UNTRUSTED:
        return False
    shown = (said.content, said.source.speaker or "")  # both of which enter a prompt
    return any(poses_as_instruction(text) is not None for text in shown)


def _clean(
    sieve: _Sieve, content: str, tags: Sequence[str], metadata: Mapping[str, JSON]
) -> tuple[str, tuple[str, ...], Mapping[str, JSON]]:
    content = sieve.text(content, "content")
    tags = tuple(dict.fromkeys(sieve.name(tag, "tags") for tag in tags))
    try:
        return content, tags, {key: sieve.json(value, "metadata", key) for key, value in metadata.items()}
    except RecursionError as error:
        raise InvalidInput("metadata", "is nested too deeply") from error
