"""Invented statements, groups written by hand, and rough texts."""

from __future__ import annotations

import re
from itertools import islice
from random import Random

from training.examples import CHANGE, PART, SAME, STAY
from training.groups import Groups
from training.invented import FOLDER, attributes, load
from training.rough import rough

_OPEN = re.compile(r"\{\w\}|<[\w -]+>|\[[^\]]*\|")  # a place of a phrase that nothing was put into


def test_every_attribute_can_be_said_and_asked_for() -> None:
    found = attributes()

    assert len(found) == 113
    assert all(attribute.phrases["S"] and attribute.phrases["Q"] for attribute in found)


def test_no_place_of_a_phrase_stays_open() -> None:
    texts = [text for example in load(2000, 1000, by_hand=0.0) for text in (example.head, *example.texts)]

    assert [text for text in texts if _OPEN.search(text) or not text.strip()] == []


def test_statements_stay_change_repeat_and_change_in_part() -> None:
    examples = list(load(2000, 0))

    labels = [label for example in examples for label in example.labels]
    assert {STAY, CHANGE, SAME, PART} == set(labels)
    assert 0.5 < labels.count(STAY) / len(labels) < 0.85
    assert all(sum(label != STAY for label in example.labels) <= 1 for example in examples)


def test_a_quarter_of_the_questions_has_no_answer() -> None:
    examples = list(load(0, 2000))

    silent = [example for example in examples if 1 not in example.labels]
    assert 0.2 < len(silent) / len(examples) < 0.3
    assert all(2 <= len(example.texts) <= 7 for example in examples)


def test_the_same_seed_invents_the_same() -> None:
    assert list(load(20, 20)) == list(load(20, 20))
    assert list(load(20, 20)) != list(load(20, 20, seed=6))


def test_a_change_is_of_the_group_that_it_changes() -> None:
    lines = (FOLDER / "groups.txt").read_text(encoding="utf-8").split("\nM: ")[1:]
    groups = Groups(FOLDER / "groups.txt", Random(1))

    drawn = (groups.relation() for _ in iter(int, 1))
    changes = [(newer, older) for (newer, _), (older, label), *_ in islice(drawn, 300) if label == CHANGE]

    assert len(changes) > 50
    assert all(any(newer in group and older in group for group in lines) for newer, older in changes)


def test_a_rough_text_is_never_empty_and_keeps_nearly_all_letters() -> None:
    random = Random(1)
    given = "Update: as of today, we host on Hetzner."

    found = {rough(given, random) for _ in range(200)}

    assert given in found
    assert "we host on Hetzner." in found
    assert all(15 < len(text) < 45 for text in found)
    assert rough("Now!", Random(2)).strip()
