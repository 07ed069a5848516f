"""How well the weights fit the sentences that they were fitted on, and what a failure is not."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from truekeep.extractors.rules import RulesExtractor
from truekeep.extractors.rules.signs import signs
from truekeep.extractors.rules.weights import KINDS, weighed, weights
from truekeep.model import Message

SENTENCES = [
    json.loads(line) for line in (Path(__file__).parent / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
]


def kinds(text: str, role: str = "user") -> list[str | None]:
    return [draft.kind for draft in RulesExtractor().extract([Message(content=text, role=role)])]


@pytest.mark.parametrize(
    ("kind", "share"),
    [("lesson", 0.9), ("fact", 0.9), ("preference", 0.7), ("decision", 0.8), ("context", 0.3), (None, 0.93)],
)
def test_most_sentences_are_judged_as_people_judged_them(kind: str | None, share: float) -> None:
    sentences = [one for one in SENTENCES if one["kind"] == kind]

    right = [one for one in sentences if kinds(one["text"], one.get("role", "user")) == ([kind] if kind else [])]

    assert len(right) >= share * len(sentences)


@pytest.mark.parametrize(
    "sentence",
    [
        "Watering at noon burned the leaves, never again",
        "We trusted the sat nav with the lorry and scraped the bridge",
        "tried the cheap toner, it smeared on every page",
        "Mit dem billigen Lack hatten wir nur \u00c4rger, er bl\u00e4tterte nach zwei Wochen ab",
        "La pintura barata se descascarill\u00f3 en un mes, no la compro m\u00e1s",
        "Het was een vergissing om de sleutel bij de buren te laten",
    ],
)
def test_experience_is_kept_as_a_lesson(sentence: str) -> None:
    assert kinds(sentence) == ["lesson"]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("We decided on rail because the lorries came late.", "decision"),
        ("When the tank is below 20 % the pump trips.", "fact"),
        ("no plastic cups, I hate the taste", "preference"),
    ],
)
def test_a_failure_that_is_only_the_reason_does_not_make_a_lesson(sentence: str, kind: str) -> None:
    assert kinds(sentence) == [kind]


def test_weights_add_up_to_odds_and_a_kind() -> None:
    table = {"always": (-100, -100, -100, -100, -100), "failure": (0, 0, 0, 300, 0), "likes": (0, 400, 0, 0, 0)}

    assert weighed(["failure"], table).kind == "lesson"
    assert weighed(["failure", "likes", "unknown"], table).kind == "preference"
    assert weighed(["failure"], table).odds > 1 > weighed([], {"always": (-300,) * len(KINDS)}).odds
    assert weighed(["failure"], {}).odds == 0


def test_every_weight_belongs_to_a_sign_that_a_sentence_can_have() -> None:
    seen: Counter[str] = Counter()
    for one in SENTENCES:
        for found in signs_of(one["text"], one.get("role", "user")):
            seen.update(found)

    unseen = [name for name in weights() if name not in seen and name != "always"]

    assert all(len(row) == len(KINDS) for row in weights().values())
    assert len(unseen) < 0.2 * len(weights())


def signs_of(text: str, role: str) -> list[set[str]]:
    from truekeep.extractors.rules.conversation import walk
    from truekeep.extractors.rules.judgement import on_trial

    turns = (turn for _, turn in walk([Message(content=text, role=role)]))
    return [
        set(signs(one.reading, one.scene)) for turn in turns for one in on_trial(turn.said, turn.language, turn.scene)
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Disabling the cache made it 3 times faster, so we leave it off.",
        "Switching to oat milk got rid of my stomach ache.",
        "raising the timeout to 60s got rid of the 504s",
    ],
)
def test_what_a_deed_made_better_is_no_lesson(sentence: str) -> None:
    assert kinds(sentence) == ["fact"]


def test_what_only_seemed_better_is_one() -> None:
    assert kinds("Using the cheap glue felt faster but it came off") == ["lesson"]
