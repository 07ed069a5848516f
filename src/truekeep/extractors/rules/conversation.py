"""A walk through a conversation, that keeps what lasts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from truekeep.extractors.prose import own_words, sentences
from truekeep.language import Language, language_of
from truekeep.model import ROLE_TRUST, Draft, Message, Source

from .judgement import Verdict, verdicts
from .scene import ASSISTANTS, SILENT, Scene, names_of, role_of
from .weighing import Weights

LONGEST = 1_000  # characters: nobody says a longer sentence, and all that reads one stays cheap
_ASKED_LONGEST = 300
_UNFIT = re.compile(r"[\x00-\x08\x0e-\x1f\ud800-\udfff]")


def kept(messages: Sequence[Message], weights: Weights) -> list[Draft]:
    """What lasts of a conversation."""
    drafts: list[Draft] = []
    for place, (message, said, language, scene) in walk(messages):
        if found := list(verdicts(said, language, scene, weights)):
            source = _source(message, place)
            drafts += (_draft(verdict, message, source) for verdict in found)
    return drafts


class Turn(NamedTuple):
    """A message that somebody means: its sentences, their language, and the scene."""

    message: Message
    said: Sequence[str]
    language: Language
    scene: Scene


def walk(messages: Sequence[Message]) -> Iterator[tuple[int, Turn]]:
    """The messages with something to say, and the place of each."""
    names, language = names_of(messages), None
    asker, asked = None, ""
    for place, message in enumerate(messages):
        role = role_of(message)
        if role in SILENT:
            continue
        said = [sentence if _is_fit(sentence) else "" for sentence in sentences(own_words(message.content))]
        if not said:
            continue
        language = language_of(said, before=language)
        scene = Scene(
            by_assistant=role in ASSISTANTS,
            named=bool(message.speaker),
            team=len(names) > 1,
            names=names,
            asked=asked if asker != (role, message.speaker) else "",
        )
        yield place, Turn(message, said, language, scene)
        last = said[-1].rstrip()
        asker, asked = (role, message.speaker), last[:_ASKED_LONGEST] if last.endswith("?") else ""


def _source(message: Message, place: int) -> Source:
    trust = ROLE_TRUST.get(role_of(message), "unknown")
    id = message.id if message.id is not None else str(place)
    return Source(speaker=message.speaker, role=message.role, message=id, trust=trust)


def _draft(verdict: Verdict, message: Message, source: Source) -> Draft:
    return Draft(
        content=verdict.content,
        kind=verdict.kind,
        metadata=verdict.metadata,
        source=source,
        when=message.when,
        derived=True,
    )


def _is_fit(sentence: str) -> bool:
    return len(sentence) <= LONGEST and (sentence.isprintable() or not _UNFIT.search(sentence))
