"""What the sentences of a message are worth: the kind of each, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from truekeep.language import Language
from truekeep.model import JSON

from .clear import clear_kind
from .lessons import anatomy, goes_on
from .openers import Opened, opened
from .reading import Reading, read
from .scene import Scene
from .signs import is_request, signs
from .vetoes import is_not_meant, is_question, is_vetoed, is_winked
from .weighing import Weighed, Weights, weighed

_LABELS = (("lesson", ("regret", "avoid", "moral")), ("decision", ("resolve", "ruling", "final")))
_CLAUSE = re.compile(r"(?:;|,|\s[-\u2013\u2014])\s+")
_TWO_WORDS = ("only", "calling", "avoid", "liking", "likes", "regret")  # without one of these, two words say nothing
_CLAUSE_WORDS = 4  # that a clause must have to stand alone
_SHORT = 8  # words: an answer that is not longer is not understood without its question
ENOUGH = 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A sentence that is worth keeping."""

    kind: str
    content: str
    metadata: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(slots=True)
class Sentence:
    """A sentence on trial."""

    part: Opened
    reading: Reading
    scene: Scene
    kind: str | None = None
    is_first: bool = True  # in its message
    is_alone: bool = True
    odds: float = 0.0  # that it is worth keeping

    def weighed(self, weights: Weights) -> Weighed:
        return weighed(self.signs(), weights)

    def signs(self) -> Set[str]:
        return signs(
            self.reading,
            self.scene,
            labelled=bool(self.part.label),
            is_first=self.is_first,
            is_alone=self.is_alone,
        )


def verdicts(said: Sequence[str], language: Language, scene: Scene, weights: Weights) -> Iterator[Verdict]:
    """The sentences that are worth keeping, each with the one that goes on with it."""
    tried = on_trial(said, language, scene, weights)
    pairs = list(zip_longest(tried, tried[1:]))
    for sentence, following in pairs:
        if following is None or not _takes_back(following):
            _judge(sentence, weights)
    taken = False
    for sentence, following in pairs:
        if taken:
            taken = False
            continue
        kind = sentence.kind if sentence.odds >= ENOUGH else None
        joined = _joined(kind, sentence, following) if following else None
        if joined and following:
            taken = True
            yield _verdict(joined, f"{sentence.part.content} {following.part.content}", sentence)
        elif kind:
            yield _verdict(kind, sentence.part.content, sentence)
        else:
            yield from _salvaged(sentence, weights)


def _takes_back(sentence: Sentence) -> bool:
    """Whether a short remark shows that the sentence before was not meant: "Yeah, right.", "Living the dream!"."""
    return sentence.reading.length < _CLAUSE_WORDS and (
        sentence.reading.has("sarcasm") or is_winked(sentence.part.content)
    )


def _joined(kind: str | None, sentence: Sentence, following: Sentence) -> str | None:
    if following.part.asked:  # what is to be remembered stands for itself
        return None
    return goes_on(kind, sentence.reading, following.reading)


def on_trial(said: Sequence[str], language: Language, scene: Scene, weights: Weights) -> list[Sentence]:
    """The first sentence that says something answers the question; "Yes." leaves it to the next."""
    tried: list[Sentence] = []
    pieces: list[str] = []
    for sentence in said:
        pieces += _pieces(sentence, language, scene, weights) if "; " in sentence else (sentence,)
    for part in (opened(piece, scene.names) for piece in pieces):
        reading = read(part.claim, language)
        tried.append(Sentence(part, reading, scene, is_first=not tried, is_alone=len(pieces) == 1))
        if reading.start < len(reading.words):
            scene = replace(scene, asked="") if scene.asked else scene
        elif scene.asked:
            scene = replace(scene, answers=True)
    return tried


def _pieces(sentence: str, language: Language, scene: Scene, weights: Weights) -> Sequence[str]:
    """The clauses of a sentence that a semicolon parts, where they are clearly of different kinds; else the whole."""
    head, _, tail = sentence.partition("; ")
    kinds = set()
    for clause in (head, tail):
        one = Sentence(Opened(clause, clause), read(clause, language), scene)
        if one.reading.length < _CLAUSE_WORDS or is_vetoed(one.reading):
            return (sentence,)
        found = one.weighed(weights)
        if found.odds < ENOUGH:
            return (sentence,)
        kinds.add(found.kind)
    return (head, tail) if len(kinds) > 1 and "lesson" not in kinds else (sentence,)


def _judge(sentence: Sentence, weights: Weights) -> None:
    """Find the kind, and how likely it is to be worth keeping."""
    part, reading, scene = sentence.part, sentence.reading, sentence.scene
    if reading.length < 2 or (reading.length == 2 and not reading.has(*_TWO_WORDS)):
        return
    if scene.by_assistant and reading.has("meta"):  # it tells of instructions that were planted in what it read
        return
    label = read(part.label, reading.language) if part.label else None
    if label and (label.at(len(label.words) - 1, "noted", "progress") or is_not_meant(label)):
        return
    labelled = next((kind for kind, classes in _LABELS if label and label.has(*classes)), None)
    remembered = part.asked and not scene.by_assistant
    vetoed = (is_question(reading) or is_not_meant(reading)) if labelled else not remembered and is_vetoed(reading)
    if vetoed:
        return
    sentence.kind, sentence.odds = sentence.weighed(weights)
    if label and sentence.odds < ENOUGH:  # "Painting over damp plaster: bubbles": the deed looks like a label
        whole = replace(sentence, reading=read(part.content, reading.language)).weighed(weights)
        sentence.kind, sentence.odds = whole if whole.odds > sentence.odds else (sentence.kind, sentence.odds)
    if labelled or remembered:
        sentence.kind, sentence.odds = labelled or sentence.kind, ENOUGH
    elif sentence.odds < ENOUGH and (clear := clear_kind(reading, scene)):
        sentence.kind, sentence.odds = clear, ENOUGH
    elif sentence.kind == "preference" and scene.by_assistant and not scene.named:
        sentence.odds = 0.0  # a service has no taste


def _salvaged(sentence: Sentence, weights: Weights) -> Iterator[Verdict]:
    """What is said before a question or a request in the same sentence, or after a rumour's "but"."""
    part, reading, scene = sentence.part, sentence.reading, sentence.scene
    cuts = [] if scene.by_assistant else list(_CLAUSE.finditer(part.content))
    if not cuts:
        return
    if is_question(reading) or is_request(reading):
        piece = part.content[: cuts[-1].start()]
    elif is_not_meant(reading) and reading.has("turn"):
        piece = part.content[cuts[-1].end() :]
    else:
        return
    again = Sentence(Opened(piece, piece), read(piece, reading.language), replace(scene, asked=""))
    if again.reading.length > 3:
        _judge(again, weights)
        if again.kind and again.odds >= ENOUGH:
            yield _verdict(again.kind, piece, again)


def _verdict(kind: str, content: str, sentence: Sentence) -> Verdict:
    metadata: dict[str, JSON] = {}
    if kind == "lesson":
        metadata.update(anatomy(content))
    if sentence.scene.asked and not sentence.scene.by_assistant and sentence.reading.length <= _SHORT:
        metadata["asked"] = sentence.scene.asked
    return Verdict(kind, content, metadata)
