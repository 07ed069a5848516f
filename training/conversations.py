"""Conversations: which sentences of a message are worth keeping, and as what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from truekeep.extractors.prose import own_words
from truekeep.language import sentences

from .examples import Example

_ROLES = ("user", "assistant", "tool", "system", "function", "developer")
_SILENT = ("tool", "system", "function", "developer")  # nobody's own words
_OVERLAP = 0.6  # of the shorter one's words: a sentence and a marked passage that are cut in different places
_LEAST_SHARED = 3


def load(file: Path) -> Iterator[Example]:
    """One example for each message in which somebody says something."""
    lines = file.read_text(encoding="utf-8").splitlines()
    for place, line in enumerate(line for line in lines if line):
        yield from _messages(f"c{place}", json.loads(line))


def _messages(id: str, fields: Mapping[str, Any]) -> Iterator[Example]:
    before = ""
    for place, (speaker, text) in enumerate(fields["m"]):
        passages = [(_plain(passage), kind) for message, passage, kind in fields["keep"] if message == place]
        if said := spoken(role_of(speaker), text):
            kinds = [_kind(sentence, passages) for sentence in said]
            yield example(fields["author"], f"{fields['author']}{id}", before, speaker, said, kinds)
        before = f"{speaker}: {' '.join(text.split())}"


def spoken(role: str, text: str) -> list[str]:
    """The sentences of a message; none of one that is nobody's own words."""
    return [] if role in _SILENT else list(sentences(own_words(text)))


def example(
    source: str, world: str, before: str, speaker: str, spoken: Sequence[str], kinds: Sequence[str | None]
) -> Example:
    """A message; the kind of a sentence is "" where it is not worth keeping and None where nobody knows."""
    return Example(
        task="keep",
        source=source,
        world=world,
        head=f"{before}\n{speaker}:",
        texts=tuple(spoken),
        labels=tuple(-1 if kind is None else int(bool(kind)) for kind in kinds),
        kinds=tuple(kind or "" for kind in kinds),
    )


def role_of(speaker: str) -> str:
    if speaker in _ROLES:
        return speaker
    return "tool" if speaker.startswith("tool") else "user"


def _kind(sentence: str, passages: Sequence[tuple[str, str]]) -> str:
    text = _plain(sentence)
    for passage, kind in passages:
        if text in passage or passage in text:
            return kind
    words = set(re.findall(r"\w+", text))
    for passage, kind in passages:
        marked = set(re.findall(r"\w+", passage))
        shared = len(words & marked)
        if shared >= max(_LEAST_SHARED, _OVERLAP * min(len(words), len(marked))):
            return kind
    return ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
