"""What tells a retry from another request under the same idempotency key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from truekeep.engine.admit import Limits
from truekeep.engine.decide import request_hash
from truekeep.engine.verbs.values import Append, Edit, Increment, Replace, request_of
from truekeep.model import Draft, Source

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Before:
    content: str
    source: Source


@dataclass(frozen=True)
class After:
    content: str
    source: Source
    mood: str | None = None
    notes: dict[str, str] = field(default_factory=dict)


def test_a_release_that_adds_a_field_breaks_no_retry() -> None:
    source = Source(name="web")

    assert request_hash(Before("tea", source)) == request_hash(After("tea", source))
    assert request_hash(Before("tea", source)) != request_hash(After("tea", source, mood="glad"))


def test_every_field_that_is_given_counts() -> None:
    drafts = [
        Draft(content="tea"),
        Draft(content="tea", pinned=True),
        Draft(content="tea", tags=("a",)),
        Draft(content="tea", metadata={"a": 1}),
        Draft(content="tea", source=Source(speaker="Ana")),
        Draft(content="tea", ttl=DAY),
        Draft(content="tea", judged=False),
    ]

    assert len({request_hash(draft) for draft in drafts}) == len(drafts)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Replace(1), Replace(2)),
        (Replace(1), Replace(1, if_version=0)),
        (Replace(1, if_version=0), Replace(1, if_version=7)),
        (Replace(1), Replace(True)),
        (Replace(1), Append(1, Limits())),
        (Append(1, Limits()), Increment(1)),
    ],
)
def test_another_edit_of_a_value_is_no_retry(one: Edit, other: Edit) -> None:
    assert request_of("k", one, None) != request_of("k", other, None)
    assert request_of("k", one, None) != request_of("j", one, None) != request_of("j", one, DAY)
    assert request_of("k", one, DAY) == request_of("k", one, DAY)


def test_a_limit_that_was_changed_breaks_no_retry() -> None:
    few, many = Limits(), Limits(value_bytes=10**9)

    assert request_of("k", Append(1, few), None) == request_of("k", Append(1, many), None)
