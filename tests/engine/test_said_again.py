"""What is said again in other words, with the learned judge of the package: one memory, and nothing lost with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from truekeep import Memory

FIRST, AGAIN = "Finn is lactose intolerant.", "Finn can't digest lactose."
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def current(*said: tuple[str, dict[str, Any]]) -> list[str]:
    """What is believed after these were said, a day apart."""
    now = BEGIN
    with Memory("again", at=":memory:", background=False, clock=lambda: now) as memory:
        for text, more in said:
            memory.remember(text, **more)
            now += timedelta(days=1)
        return sorted(item.content for item in memory.items())


def test_one_memory_is_left_in_the_wording_that_says_as_much_or_more() -> None:
    assert current((FIRST, {}), (AGAIN, {})) == [AGAIN]


def test_it_counts_as_said_again_and_is_forgotten_with_its_other_wording() -> None:
    with Memory("again", at=":memory:", background=False) as memory:
        memory.remember(FIRST)
        memory.remember(AGAIN)
        [left] = memory.items()
        memory.forget(left.id)

        assert left.reinforced == 1
        assert memory.items(include_superseded=True) == []


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({"tags": ["project:x"]}, {}),
        ({"kind": "preference"}, {}),
        ({"metadata": {"page": 4}}, {}),
        ({"speaker": "Ana"}, {}),
        ({}, {"ttl": timedelta(days=30)}),
        ({"pinned": True}, {}),
    ],
    ids=["tag", "kind", "metadata", "speaker", "end", "pinned"],
)
def test_what_is_filed_otherwise_is_kept_beside_it(first: dict[str, Any], again: dict[str, Any]) -> None:
    assert current((FIRST, first), (AGAIN, again)) == sorted([FIRST, AGAIN])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana reports to Ben.", "Ben's manager is Ana."),
        ("Orders calls Billing.", "Orders is called by Billing."),
        ("I prefer tabs over spaces.", "I like spaces better than tabs."),
        ("I love cooking Thai food.", "I love eating Thai food."),
        ("Dogs are allowed.", "Dogs are allowed on a lead."),
        ("My mother-in-law has diabetes.", "My mum is diabetic."),
    ],
)
def test_what_says_something_else_is_kept_beside_it(old: str, new: str) -> None:
    assert current((old, {}), (new, {})) == sorted([old, new])


def test_of_long_texts_the_judge_has_read_the_beginning_and_nothing_is_said_again() -> None:
    story = "Mum has type 2 diabetes since 2015 and takes metformin twice a day with her meals at home. " * 4

    assert len(current((story + "She must not have penicillin.", {}), (story + "She sings in a choir.", {}))) == 2


@pytest.mark.parametrize("more", [{"session": "second"}, {"tags": ["import"]}])
def test_what_a_filter_forgets_takes_nothing_along_that_it_does_not_find(more: dict[str, Any]) -> None:
    with Memory("again", at=":memory:", background=False) as memory:
        memory.remember(FIRST)
        memory.remember(AGAIN, **more)
        memory.forget(**more)

        assert [item.content for item in memory.items()] == [FIRST]


OLD, NEW = "The rent is 900 euros.", "The rent went up to 1000 euros."


@pytest.mark.parametrize("more", [{"tags": ["garage"]}, {"ttl": timedelta(hours=8)}])
def test_what_is_filed_elsewhere_or_ends_sooner_only_suspects(more: dict[str, Any]) -> None:
    with Memory("again", at=":memory:", background=False) as memory:
        old = memory.remember(OLD, tags=["flat"] if "tags" in more else [])
        new = memory.remember(NEW, **more)

        assert [item.id for item in new.suspected] == [old.id]


def test_what_is_filed_alike_and_lasts_supersedes() -> None:
    with Memory("again", at=":memory:", background=False) as memory:
        old = memory.remember(OLD)
        new = memory.remember(NEW)

        assert [item.id for item in new.superseded] == [old.id]
