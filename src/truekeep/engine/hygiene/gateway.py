"""What is said, cleaned before it is kept; and what had better not be believed at once.

Secrets are replaced by placeholders that name their kind. What is told by a maker's prefix, by a frame, by a check
digit, or by the name that the text gives it is found; a bare string of random characters is not: it may as well be a
commit, an id or an image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from truekeep.errors import InvalidInput
from truekeep.model import JSON, Draft, MemoryItem, Message, Redact

from . import cards, codes, makers, named
from .instructions import poses_as_instruction
from .spans import PLACEHOLDER, folded, placeholder, replaced

_Said = TypeVar("_Said", bound=Draft | MemoryItem)
_UNTRUSTED = ("tool", "unknown")
_ROUNDS = 4  # a replacement seldom uncovers another secret, and then only a few


class Cleaned(NamedTuple):
    """A text without its secrets, and the kinds of those, in the order in which they stood there."""

    text: str
    kinds: tuple[str, ...]


def redacted(text: str) -> Cleaned:
    """Replace the secrets. Time is linear in the text; a text without a secret comes back as it is."""
    kinds: dict[str, None] = {}
    for _ in range(_ROUNDS):
        plain = folded(text)
        said, lowered = plain.text, _lowered(plain.text)
        found = chain(  # those whose kind is the most certain come first
            makers.in_frames(said),
            makers.in_urls(said),
            makers.find(said, lowered),
            named.find(said, lowered),
            named.in_tables(said),
            codes.find(said, lowered),
            cards.find(said),
        )
        spans = plain.unfolded(list(found))
        if not spans:
            break
        kinds.update(dict.fromkeys(span.kind for span in spans))
        text = replaced(text, spans)
    # Where several overlapped, one gave its name to them all.
    places = {kind: text.find(placeholder(kind)) for kind in kinds}
    return Cleaned(text, tuple(sorted((kind for kind in kinds if places[kind] >= 0), key=places.__getitem__)))


def _lowered(text: str) -> str:
    """In lower case, each character in its place: a few have a small form of two characters.

    Placeholders are blotted out: the kind that they name is no name of what follows.
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(small if len(small := c.lower()) == 1 else c for c in text)
    if "[redacted:" in lowered:
        lowered = PLACEHOLDER.sub(lambda found: "#" * len(found[0]), lowered)
    return lowered


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
