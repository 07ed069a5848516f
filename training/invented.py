"""Invented statements: attributes of people and things, how they are said, changed, ended and asked for.

They are made of the words and phrases in `data/invented`, without end and without care for sense; what they teach is
which of two statements about the same subject and attribute is out of date, and how near others come.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from .examples import CHANGE, PART, SAME, STAY, Example
from .groups import Groups

FOLDER = Path(__file__).parent / "data/invented"
SPEAKER = "I"  # who says something of himself
BY_HAND = 0.5  # of the examples are of groups that were written by hand

Pair = tuple[str, str, int]  # the newer statement, the older one, and what the newer does to it


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that a subject has."""

    of: str  # the words that name its subjects
    label: str
    words: str  # those that name its values
    is_list: bool  # several values hold at once
    phrases: dict[str, list[str]] = field(default_factory=dict)  # S, U, R and Q: see attributes.txt


@dataclass(frozen=True, slots=True)
class Fact:
    """A subject has a value."""

    attribute: Attribute
    subject: str
    value: str


def load(relations: int, questions: int, seed: int = 5, by_hand: float = BY_HAND) -> Iterator[Example]:
    """So many statements, each with older ones, and so many questions with memories."""
    random = Random(seed)
    inventor, groups = Inventor(random), Groups(FOLDER / "groups.txt", random)
    for _ in range(relations):
        newer, *older = groups.relation() if random.random() < by_hand else inventor.relation()
        yield _example("relation", newer, older, random)
    for _ in range(questions):
        question, *texts = groups.question() if random.random() < by_hand else inventor.question()
        yield _example("relevance", question, texts, random)


def _example(task: str, head: tuple[str, int], texts: list[tuple[str, int]], random: Random) -> Example:
    random.shuffle(texts)
    return Example(
        task="relation" if task == "relation" else "relevance",
        source="invented",
        world="",
        head=head[0],
        texts=tuple(text for text, _ in texts),
        labels=tuple(label for _, label in texts),
    )


def attributes(file: Path = FOLDER / "attributes.txt") -> list[Attribute]:
    """All that a subject can have."""
    found: list[Attribute] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if line[1] == ":":
            found[-1].phrases[line[0]] = [phrase.strip() for phrase in line[2:].split(" ; ")]
        else:
            of, label, words, count = line.split("|")
            found.append(Attribute(of, label, words, count == "multi"))
    return found


class Inventor:
    """Says things about invented facts, by chance."""

    def __init__(self, random: Random) -> None:
        self._random = random
        words: Mapping[str, str] = tomllib.loads((FOLDER / "words.toml").read_text(encoding="utf-8"))
        self._words = {name: [word.strip() for word in listed.split(",")] for name, listed in words.items()}
        self._phrases: Mapping[str, list[str]] = tomllib.loads((FOLDER / "phrases.toml").read_text(encoding="utf-8"))
        self._attributes = attributes()

    def relation(self) -> list[tuple[str, int]]:
        """A newer statement, then older ones with what it does to them."""
        fact = self._fact()
        newer, older, label = self._random.choices(_PAIRS, _PAIR_WEIGHTS)[0](self, fact)
        texts = [(older, label), *((self._bystander(fact), STAY) for _ in range(self._random.randint(0, 2)))]
        if fact.subject == SPEAKER and self._random.random() < 0.25:  # somebody else than the user says all of it
            name = self._word("name")
            newer, texts = f"{name}: {newer}", [(f"{name}: {text}", each) for text, each in texts]
        return [(newer, 0), *texts]

    def question(self) -> list[tuple[str, int]]:
        """A question, then memories: 1 for those that answer it; one in four is not answered."""
        fact = self._fact()
        texts: list[tuple[str, int]] = []
        if self._random.random() < 0.75:
            said = self._said(fact) if self._random.random() < 0.75 else self._changed(fact, self._other(fact).value)
            texts.append((self._finished(said), 1))
            if fact.attribute.is_list and self._random.random() < 0.5:
                texts.append((self._finished(self._said(self._other(fact))), 1))
        if self._random.random() < 0.2:
            texts.append((self._finished(self._filled(self._phrase("not known"), fact)), 0))
        texts += [(self._bystander(fact), 0) for _ in range(self._random.randint(3, 6 - len(texts)))]
        return [(self._asked(fact), 0), *texts]

    # Pairs of statements.

    def _repeat(self, fact: Fact) -> Pair:
        said, place = self._said(fact), self._random.random()
        if place < 0.25:
            said = self._phrase("before the same") + said
        elif place < 0.4:
            said += self._phrase("after the same")
        return self._finished(said), self._finished(self._said(fact)), SAME

    def _change(self, fact: Fact) -> Pair:
        if fact.attribute.is_list:
            return self._end(fact)
        said = self._changed(self._other(fact), fact.value)
        older = self._said(fact)
        if self._random.random() < 0.12:  # the older one was a change itself
            older = self._changed(fact, self._other(fact).value)
        return self._finished(said), self._finished(older), CHANGE

    def _end(self, fact: Fact) -> Pair:
        own = fact.attribute.phrases.get("R")
        phrase = self._random.choice(own) if own and self._random.random() < 0.7 else self._phrase("ends")
        older, label = fact, CHANGE
        if fact.attribute.is_list and self._random.random() < 0.4:
            older, label = replace(fact, value=f"{self._other(fact).value} and {fact.value}"), PART
        return self._finished(self._filled(phrase, fact, fact.value)), self._finished(self._said(older)), label

    def _of_another(self, fact: Fact) -> Pair:
        """The same attribute of another subject, or another attribute of the same."""
        other = self._near(fact)
        if self._random.random() < 0.5 and not other.attribute.is_list:
            newer = self._changed(other, self._other(other).value)
        else:
            newer = self._said(other)
        return self._finished(newer), self._finished(self._said(fact)), STAY

    def _undecided(self, fact: Fact) -> Pair:
        other = self._other(fact)
        said, chance = self._filled(self._phrase("undecided"), other, fact.value), self._random.random()
        if chance < 0.14:
            said = f"{self._phrase('elsewhere')}, {self._said(other)}"
        elif chance < 0.28:
            said = f"{self._said(other)} {self._phrase('elsewhere')}"
        return self._finished(said), self._finished(self._said(fact)), STAY

    def _beside(self, fact: Fact) -> Pair:
        """One more value where several hold."""
        while not fact.attribute.is_list:
            fact = self._fact()
        said, chance = self._said(self._other(fact)), self._random.random()
        if chance < 0.35:
            said = self._phrase("before another") + said
        elif chance < 0.5:
            said += self._phrase("after another")
        return self._finished(said), self._finished(self._said(fact)), STAY

    def _chat(self, fact: Fact) -> Pair:
        return self._finished(self._phrase("chat")), self._finished(self._said(fact)), STAY

    # Facts.

    def _fact(self, attribute: Attribute | None = None) -> Fact:
        attribute = attribute or self._random.choice(self._attributes)
        is_own = attribute.of == "person" and self._random.random() < 0.5
        subject = SPEAKER if is_own else self._word(attribute.of)
        return Fact(attribute, subject, self._word(attribute.words))

    def _other(self, fact: Fact) -> Fact:
        value = fact.value
        while value == fact.value:
            value = self._word(fact.attribute.words)
        return replace(fact, value=value)

    def _near(self, fact: Fact) -> Fact:
        if self._random.random() < 0.5:
            other = self._fact(fact.attribute)
            while other.subject == fact.subject:
                other = self._fact(fact.attribute)
            return other
        others = [a for a in self._attributes if a.of == fact.attribute.of and a.words != fact.attribute.words]
        attribute = self._random.choice(others)
        return Fact(attribute, fact.subject, self._word(attribute.words))

    def _bystander(self, fact: Fact) -> str:
        """What has nothing to do with a fact, however near it comes."""
        chance = self._random.random()
        if chance < 0.1:
            return self._finished(self._phrase("chat"))
        others = [a for a in self._attributes if a.words != fact.attribute.words]
        return self._finished(self._said(self._near(fact) if chance < 0.7 else self._fact(self._random.choice(others))))

    # Words.

    def _said(self, fact: Fact) -> str:
        own = self._random.random() < 0.78
        phrase = self._random.choice(fact.attribute.phrases["S"]) if own else self._phrase("says")
        because = self._phrase("because") if self._random.random() < 0.1 else ""
        return self._filled(phrase, fact) + because

    def _changed(self, fact: Fact, before: str) -> str:
        chance, own = self._random.random(), fact.attribute.phrases.get("U")
        if chance < 0.38 and own:
            return self._filled(self._random.choice(own), fact, before)
        if chance < 0.52:
            return self._filled(self._phrase("changes"), fact, before)
        if chance < 0.66:
            return self._phrase("before a change") + self._said(fact)
        if chance < 0.8:
            return self._said(fact) + self._phrase("after a change").replace("{o}", before)
        return self._said(fact)

    def _asked(self, fact: Fact) -> str:
        own = self._random.random() < 0.8
        asked = self._filled(self._random.choice(fact.attribute.phrases["Q"]) if own else "{P} {a}", fact)
        if own and self._random.random() < 0.3:
            asked = self._phrase("before a question") + asked
        mark = "?" if self._random.random() < 0.6 else ""
        return (asked[0].upper() if self._random.random() < 0.5 else asked[0]) + asked[1:] + mark

    def _finished(self, said: str) -> str:
        """As it may be written: with something before or after it, a capital letter and a full stop, or without."""
        if self._random.random() < 0.2:
            said = self._phrase("before anything") + said
        chance = self._random.random()
        if chance < 0.9:
            said = said[0].upper() + said[1:]
        if chance < 0.75 and said[-1] not in ".?!":
            said += "."
        if chance < 0.1:
            further = self._phrase("further")
            said += " " + further[0].upper() + further[1:]
        return said

    def _filled(self, phrase: str, fact: Fact, before: str = "") -> str:
        is_own, name = fact.subject == SPEAKER, fact.subject
        text = re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda match: match[1 if is_own else 2], phrase)
        places = {
            "S": name, "N": name, "E": name, "M": "me" if is_own else name, "P": "my" if is_own else f"{name}'s",
            "a": fact.attribute.label, "v": fact.value, "o": before,
        }  # fmt: skip
        return re.sub(r"\{(\w)\}", lambda match: places[match[1]], text)

    def _phrase(self, name: str) -> str:
        return self._drawn(self._phrases[name])

    def _word(self, name: str) -> str:
        return self._drawn(self._words[name])

    def _drawn(self, choices: Sequence[str]) -> str:
        """One of several, with its <…> filled in."""
        return re.sub(r"<([^<>]+)>", lambda match: self._part(match[1]), self._random.choice(choices))

    def _part(self, name: str) -> str:
        if match := re.fullmatch(r"(\d+)-(\d+)", name):
            return str(self._random.randint(int(match[1]), int(match[2])))
        return self._word(name)


_Maker = Callable[[Inventor, Fact], Pair]
_PAIRS: Sequence[_Maker] = (
    Inventor._repeat, Inventor._change, Inventor._end, Inventor._of_another, Inventor._undecided, Inventor._beside,
    Inventor._chat,
)  # fmt: skip
_PAIR_WEIGHTS = (20, 22, 7, 25, 17, 6, 3)
