"""What the sentences of a message are worth: the kind of each, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from truekeep.language import Language
from truekeep.language.reading import Reading, read
from truekeep.model import JSON

from .clear import clear_kind, is_beyond_doubt, is_of_success, is_wished
from .lessons import anatomy, goes_on
from .openers import Opened, opened
from .scene import Scene
from .signs import signs
from .vetoes import is_barred, is_doubtful, is_not_meant, is_winked
from .weights import KINDS, LIKELY, Opinion, Weighed, Weights, least_odds, together, weighed

_LABELS = (("lesson", ("regret", "avoid", "moral")), ("decision", ("resolve", "ruling", "final")))
_TWO_WORDS = ("only", "calling", "avoid", "liking", "likes", "regret")  # without one of these, two words say nothing
_CLAUSE_WORDS = 4  # that a clause must have to stand alone
_SHORT = 8  # words: an answer that is not longer is not understood without its question
ENOUGH = 1.0
_WISHED = ("preference", "lesson")  # what one wants for good may be a ban, too
_AGREED = -1.0  # a logit on keeping: the judge has seen few who decide without a reason, and does not think much of it
_HOPEFUL = (
    0.03  # odds by the rules: in a conversation most messages have no such sentence, and are not put to the judge
)

Ask = Callable[[], Sequence[Opinion] | None]  # what a judge says of the sentences of a message, if there is one


@dataclass(frozen=True, slots=True)
class Verdict:
    """A sentence that is worth keeping."""

    kind: str
    content: str
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    is_likely: bool = True  # else it is kept in the company of others only


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
    opinion: Opinion | None = None

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


def verdicts(
    said: Sequence[str], language: Language, scene: Scene, weights: Weights, ask: Ask | None = None
) -> Iterator[Verdict]:
    """The sentences that are worth keeping, each with the one that goes on with it."""
    tried = on_trial(said, language, scene)
    if ask is not None and any(_is_open(one, weights) for one in tried):
        _put_to(ask, tried)
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


def _is_open(sentence: Sentence, weights: Weights) -> bool:
    """Whether the judge's word may tell."""
    reading, scene = sentence.reading, sentence.scene
    is_told = reading.has("milestone") or (scene.is_brief and reading.length > 2)
    is_hopeful = is_told or sentence.weighed(weights).odds >= _HOPEFUL
    return is_hopeful and not is_beyond_doubt(clear_kind(reading, scene), reading)


def _put_to(ask: Ask, tried: Sequence[Sentence]) -> None:
    """Ask the judge, who sees the sentences of a message beside each other."""
    if (opinions := ask()) is not None:
        for sentence, opinion in zip(tried, opinions, strict=True):
            sentence.opinion = opinion


def _takes_back(sentence: Sentence) -> bool:
    """Whether a short remark shows that the sentence before was not meant: "Yeah, right.", "Living the dream!"."""
    return sentence.reading.length < _CLAUSE_WORDS and (
        sentence.reading.has("sarcasm") or is_winked(sentence.part.content)
    )


def _joined(kind: str | None, sentence: Sentence, following: Sentence) -> str | None:
    if following.part.asked:  # what is to be remembered stands for itself
        return None
    return goes_on(kind, sentence.reading, following.reading)


def on_trial(said: Sequence[str], language: Language, scene: Scene) -> list[Sentence]:
    """The first sentence that says something answers the question; "Yes." leaves it to the next."""
    tried: list[Sentence] = []
    for sentence in said:
        part = opened(sentence, scene.names)
        reading = read(part.claim, language)
        tried.append(Sentence(part, reading, scene, is_first=not tried, is_alone=len(said) == 1))
        if reading.start < len(reading.words):
            scene = replace(scene, asked="") if scene.asked else scene
        elif scene.asked:
            scene = replace(scene, answers=True)
    return tried


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
    doubted = is_doubtful(reading) and (labelled is not None or not remembered)
    if doubted and not scene.by_assistant and is_wished(reading):  # "could you always answer in Spanish?"
        doubted = is_not_meant(reading)
    if not (labelled or remembered) and is_barred(reading):
        return
    if doubted and (sentence.opinion is None or scene.is_brief):
        return
    found = sentence.weighed(weights)
    if label and found.odds < ENOUGH:  # "Painting over damp plaster: bubbles": the deed looks like a label
        whole = replace(sentence, reading=read(part.content, reading.language)).weighed(weights)
        found = whole if whole.odds > found.odds else found
    least = 0.0
    if sentence.opinion is not None:
        is_news = reading.has("milestone") and not reading.has("if", "modal")
        if not doubted:
            least = least_odds(found, sentence.opinion, scene, is_news=is_news)
        found = together(found, sentence.opinion, doubted=doubted)
    sentence.kind, sentence.odds = found.kind, max(found.odds, least)
    if labelled or remembered:
        sentence.kind, sentence.odds = labelled or sentence.kind, LIKELY
    elif clear := clear_kind(reading, scene):
        if clear != "preference" or found.kind not in _WISHED:
            sentence.kind = clear
        if scene.is_brief or is_beyond_doubt(clear, reading) or _agrees(sentence.opinion, clear, doubted=doubted):
            sentence.odds = LIKELY  # else the judge knows better what is of the moment
    elif sentence.kind == "lesson" and is_of_success(reading):
        sentence.kind = "fact"
    elif sentence.kind == "preference" and scene.by_assistant and not scene.named:
        sentence.odds = 0.0  # a service has no taste


def _agrees(opinion: Opinion | None, kind: str, *, doubted: bool) -> bool:
    """Whether the judge, if it was asked, takes the sentence for the same as clear words do: "We decided on Redis."."""
    if opinion is None:
        return True
    return not doubted and opinion["keep"] >= _AGREED and opinion[kind] == max(opinion[each] for each in KINDS)


def _verdict(kind: str, content: str, sentence: Sentence) -> Verdict:
    metadata: dict[str, JSON] = {}
    if kind == "lesson":
        metadata.update(anatomy(content))
    if sentence.scene.asked and not sentence.scene.by_assistant and sentence.reading.length <= _SHORT:
        metadata["asked"] = sentence.scene.asked
    return Verdict(kind, content, metadata, is_likely=sentence.opinion is None or sentence.odds >= LIKELY)
