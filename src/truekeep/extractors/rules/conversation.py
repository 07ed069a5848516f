"""A walk through a conversation, that keeps what lasts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from truekeep.extractors.prose import own_words
from truekeep.language import ENGLISH, Language, language_of, sentences
from truekeep.model import ROLE_TRUST, Draft, Message, Source
from truekeep.ports.texts import SENTENCE

from .clear import is_amendment
from .judgement import Ask, Verdict, verdicts
from .scene import ASSISTANTS, SILENT, Scene, names_of, role_of
from .vetoes import not_handed_over
from .weights import Opinion, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What `Judge.sentences` answers, or None where there is no judge, or it fails.
Sentences = Callable[[str, str, Sequence[str]], "NDArray[np.float32] | None"]

LONGEST = 1_000  # characters: nobody says a longer sentence, and all that reads one stays cheap
_ASKED_LONGEST = 300
_CONVERSATION = 4  # messages: what is shorter is hardly one
MOST_ASKED = 1_000  # messages that are put to the judge: some six seconds
_ONE_MESSAGE = 5  # sentences: longer messages count for several
_SEEN = 1_000  # characters of the message before; the judge sees fewer
_UNFIT = re.compile(r"[\x00-\x08\x0e-\x1f\ud800-\udfff]")


def kept(messages: Sequence[Message], weights: Weights, judge: Sentences | None = None) -> list[Draft]:
    """What lasts of a conversation. The judge learned from English conversations: of what is none it is not asked.

    What may be worth keeping is kept beside what likely is. Where nothing is, people most often just talk.
    """
    drafts: list[Draft] = []
    is_likely = False
    told: int | None = None  # the message whose last sentence is that of the last draft
    asked = _Asked(judge, messages) if judge is not None else None
    for place, (message, said, language, scene) in walk(messages):
        ask = asked.about(place, said) if asked is not None and language.code == ENGLISH else None
        own = (at for at in (place - 1, place - 2) if at >= 0 and _speaker(messages[at]) == _speaker(message))
        if told == next(own, -1) and is_amendment(said, language, scene):
            drafts[-1] = replace(drafts[-1], content=f"{drafts[-1].content.rstrip('.')}, {said[0]}")
            told = None  # once is enough
        elif found := list(verdicts(said, language, scene, weights, ask)):
            drafts += (_draft(verdict, message, place) for verdict in found)
            told = place if said[-1].endswith(found[-1].content[-len(said[-1]) :]) else None
            is_likely = is_likely or any(verdict.is_likely for verdict in found)
    return drafts if is_likely else []


class _Asked:
    """A judge who is asked about so many messages of a conversation."""

    def __init__(self, judge: Sentences, messages: Sequence[Message]) -> None:
        self._judge = judge
        self._messages = messages
        self._left = MOST_ASKED

    def about(self, place: int, said: Sequence[str]) -> Ask:
        return lambda: self._answer(place, said)

    def _answer(self, place: int, said: Sequence[str]) -> list[Opinion] | None:
        cost = max(1, len(said) // _ONE_MESSAGE)
        if cost > self._left:
            return None
        self._left -= cost
        before = self._messages[place - 1] if place else None
        head = f"{_speaker(before)}: {' '.join(before.content[-_SEEN:].split())}" if before else ""
        logits = self._judge(head, _speaker(self._messages[place]), said)
        if logits is None:
            self._left = 0  # it fails, or there is none: not again in this conversation
            return None
        return [dict(zip(SENTENCE, row, strict=True)) for row in logits.tolist()]


def _speaker(message: Message) -> str:
    return message.speaker or message.role or "user"


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
        said = not_handed_over(said, language)
        if not said:
            continue
        scene = Scene(
            by_assistant=role in ASSISTANTS,
            named=bool(message.speaker),
            team=len(names) > 1,
            names=names,
            asked=asked if asker != (role, message.speaker) else "",
            is_brief=len(messages) < _CONVERSATION,
        )
        yield place, Turn(message, said, language, scene)
        last = said[-1].rstrip()
        asker, asked = (role, message.speaker), last[:_ASKED_LONGEST] if last.endswith("?") else ""


def _source(message: Message, place: int) -> Source:
    trust = ROLE_TRUST.get(role_of(message), "unknown")
    id = message.id if message.id is not None else str(place)
    return Source(speaker=message.speaker, role=message.role, message=id, trust=trust)


def _draft(verdict: Verdict, message: Message, place: int) -> Draft:
    return Draft(
        content=verdict.content,
        kind=verdict.kind,
        metadata=verdict.metadata,
        source=_source(message, place),
        when=message.when,
        derived=True,
    )


def _is_fit(sentence: str) -> bool:
    return len(sentence) <= LONGEST and (sentence.isprintable() or not _UNFIT.search(sentence))
