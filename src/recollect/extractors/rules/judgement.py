"""What the sentences of a message are worth: the kind of each, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recollect.model import JSON

from .kinds import kind_of
from .lessons import anatomy, goes_on, is_lesson
from .lexicon import Lexicon
from .openers import Opened, opened
from .reading import Reading, read
from .scene import Scene
from .score import ENOUGH, ENOUGH_BESIDE, lasting
from .vetoes import is_not_meant, is_question, is_request, is_vetoed, is_winked

_LABELS = (("lesson", ("regret", "avoid", "moral")), ("decision", ("resolve", "ruling", "final")))
_CLAUSE = re.compile(r"(?:;|,|\s[-\u2013\u2014])\s+")
_TWO_WORDS = ("only", "calling", "avoid", "liking", "likes", "regret")  # without one of these, two words say nothing
_CLAUSE_WORDS = 4  # that a clause must have to stand alone
_TELLING = 2  # words with a meaning of their own, without which an answer tells nothing
_SHORT = 8  # words: an answer that is not longer is not understood without its question
_NOTHING = -1_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """A sentence that is worth keeping."""

    kind: str
    content: str
    metadata: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(slots=True)
class _Sentence:
    """A sentence on trial."""

    part: Opened
    reading: Reading
    scene: Scene
    kind: str | None = None
    score: int = _NOTHING  # of what is neither vetoed nor of a clear kind


def verdicts(said: Sequence[str], lexicon: Lexicon, scene: Scene) -> Iterator[Verdict]:
    """The sentences that are worth keeping, each with the one that goes on with it."""
    tried = _on_trial(said, lexicon, scene)
    for sentence, following in zip(tried, [*tried[1:], None], strict=False):
        if following is None or not _takes_back(following):
            _judge(sentence, lexicon)
    enough = ENOUGH_BESIDE if any(sentence.kind for sentence in tried) else ENOUGH
    taken = False
    for sentence, following in zip(tried, [*tried[1:], None], strict=False):
        if taken:
            taken = False
            continue
        kind = sentence.kind or (_kind_by_score(sentence) if sentence.score >= enough else None)
        joined = _joined(kind, sentence, following)
        if joined and following:
            taken = True
            yield _verdict(joined, f"{sentence.part.content} {following.part.content}", sentence)
        elif kind:
            yield _verdict(kind, sentence.part.content, sentence)
        else:
            yield from _salvaged(sentence, lexicon)


def _takes_back(sentence: _Sentence) -> bool:
    """Whether a short remark shows that the sentence before was not meant: "Yeah, right.", "Living the dream!"."""
    return sentence.reading.length < _CLAUSE_WORDS and (
        sentence.reading.has("sarcasm") or is_winked(sentence.part.content)
    )


def _joined(kind: str | None, sentence: _Sentence, following: _Sentence | None) -> str | None:
    if following is None or following.part.asked:  # what is to be remembered stands for itself
        return None
    return goes_on(kind, sentence.reading, following.reading)


def _on_trial(said: Sequence[str], lexicon: Lexicon, scene: Scene) -> list[_Sentence]:
    """The first sentence that says something answers the question; "Yes." leaves it to the next."""
    tried = []
    for part in (opened(piece, scene.names) for sentence in said for piece in _pieces(sentence, lexicon, scene)):
        reading = read(part.claim, lexicon)
        tried.append(_Sentence(part, reading, scene))
        if reading.start < len(reading.words):
            scene = replace(scene, asked="") if scene.asked else scene
        elif scene.asked:
            scene = replace(scene, answers=True)
    return tried


def _pieces(sentence: str, lexicon: Lexicon, scene: Scene) -> Sequence[str]:
    """The clauses of a sentence that a semicolon parts, where they are clearly of different kinds; else the whole."""
    head, mark, tail = sentence.partition("; ")
    if not mark:
        return (sentence,)
    readings = read(head, lexicon), read(tail, lexicon)
    if any(one.length < _CLAUSE_WORDS or is_vetoed(one, by_assistant=scene.by_assistant) for one in readings):
        return (sentence,)
    kinds = [kind_of(one, scene) for one in readings]
    return (head, tail) if all(kinds) and kinds[0] != kinds[1] else (sentence,)


def _judge(sentence: _Sentence, lexicon: Lexicon) -> None:
    """Find the kind, or the score where no words are clear."""
    part, reading, scene = sentence.part, sentence.reading, sentence.scene
    if reading.length < 2 or (reading.length == 2 and not reading.has(*_TWO_WORDS)):
        return
    label = read(part.label, lexicon) if part.label else None
    if label and label.at(len(label.words) - 1, "noted", "progress"):
        return
    labelled = next((kind for kind, classes in _LABELS if label and label.has(*classes)), None)
    remembered = part.asked and not scene.by_assistant
    if labelled:
        vetoed = is_question(reading) or is_not_meant(reading)
    else:
        vetoed = not remembered and is_vetoed(reading, by_assistant=scene.by_assistant)
    if vetoed:
        return
    sentence.kind = labelled or kind_of(reading, scene) or _kind_with_label(sentence, label, lexicon)
    if sentence.kind is None:
        sentence.score = lasting(reading, scene)
        if label and sentence.score < ENOUGH:
            sentence.score = max(sentence.score, lasting(read(part.content, lexicon), scene))
        if remembered or sentence.score >= ENOUGH:
            sentence.kind = _kind_by_score(sentence)
        elif scene.asked:
            sentence.kind = _kind_of_answer(reading, scene, lexicon)


def _kind_with_label(sentence: _Sentence, label: Reading | None, lexicon: Lexicon) -> str | None:
    """As in "Painting over damp plaster: bubbles within a week": the deed looks like a label."""
    if label is None or label.length < 2 or not sentence.reading.has("failure", "mishap", "regret"):
        return None
    return "lesson" if is_lesson(read(sentence.part.content, lexicon), sentence.scene) else None


def _kind_by_score(sentence: _Sentence) -> str:
    reading, scene = sentence.reading, sentence.scene
    if reading.has("failure") and not reading.has("moment", "schedule", "finding"):
        return "lesson"
    return "decision" if scene.team and scene.answers and not reading.has("i", "own") else "fact"


def _kind_of_answer(reading: Reading, scene: Scene, lexicon: Lexicon) -> str | None:
    """A short answer holds little by itself, but much after its question."""
    if scene.by_assistant or reading.length < 3 or reading.has("moment", "status", "opinion", "joke"):
        return None
    telling = sum(len(word) > 2 and word not in lexicon.common for word in reading.words[reading.start :])
    standing = reading.has("only", "no", "standing")
    if telling < _TELLING or (not standing and read(scene.asked, lexicon).has("offer", "request")):
        return None
    return "preference" if standing else "fact"


def _salvaged(sentence: _Sentence, lexicon: Lexicon) -> Iterator[Verdict]:
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
    again = _Sentence(Opened(piece, piece), read(piece, lexicon), replace(scene, asked=""))
    if again.reading.length > 3:
        _judge(again, lexicon)
        if again.kind:
            yield _verdict(again.kind, piece, again)


def _verdict(kind: str, content: str, sentence: _Sentence) -> Verdict:
    metadata: dict[str, JSON] = {}
    if kind == "lesson":
        metadata.update(anatomy(content))
    if sentence.scene.asked and not sentence.scene.by_assistant and sentence.reading.length <= _SHORT:
        metadata["asked"] = sentence.scene.asked
    return Verdict(kind, content, metadata)
