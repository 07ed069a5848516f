"""Requests made out of arguments: what is accepted, and as what."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine import admit, requests
from truekeep.engine.admit import Limits
from truekeep.errors import InvalidInput
from truekeep.model import Filters, Message, Source

LIMITS = Limits()


def test_times_are_kept_in_utc() -> None:
    local = datetime(2026, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))

    assert admit.moment(local, "when") == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert admit.moment(local, "when").tzinfo is UTC  # type: ignore[union-attr]  # it was given
    assert admit.moment(None, "when") is None


@pytest.mark.parametrize(
    ("given", "span"),
    [(1, timedelta(seconds=1)), (0.5, timedelta(seconds=0.5)), (timedelta(days=1), timedelta(days=1))],
)
def test_a_time_to_live_is_a_span_or_seconds(given: Any, span: timedelta) -> None:
    assert admit.ttl(given) == span


def test_tags_keep_their_order_and_lose_duplicates() -> None:
    assert admit.tags(["b", "a", "b"], LIMITS) == ("b", "a")
    assert set(admit.tags({"a", "b"}, LIMITS)) == {"a", "b"}


def test_metadata_is_a_copy() -> None:
    given = {"list": [1]}

    kept = admit.metadata(given, LIMITS)
    given["list"].append(2)

    assert kept == {"list": [1]}


def is_valid(text: str) -> bool:
    return bool(text.strip()) and "\x00" not in text and not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


@given(st.text())
def test_a_name_is_accepted_as_it_is_or_refused(text: str) -> None:
    if is_valid(text) and len(text) <= 256 and not any(unicodedata.category(letter) == "Cc" for letter in text):
        assert admit.name(text, "space", LIMITS) == text
    else:
        with pytest.raises(InvalidInput, match=r"^space: "):
            admit.name(text, "space", LIMITS)


@given(st.text())
def test_content_is_accepted_as_it_is_or_refused(text: str) -> None:
    if is_valid(text):
        assert admit.content(text, LIMITS) == text
    else:
        with pytest.raises(InvalidInput, match=r"^content: "):
            admit.content(text, LIMITS)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, Source()),
        ("crawler", Source(name="crawler")),
        (Source(name="x", trust="tool"), Source(name="x", trust="tool")),
        ({"role": "assistant"}, Source(role="assistant", trust="agent")),
        ({"role": "tool", "trust": "user"}, Source(role="tool", trust="user")),
        ({"role": "stranger"}, Source(role="stranger", trust="unknown")),
    ],
)
def test_a_source_is_named_given_or_described(given: Any, expected: Source) -> None:
    assert requests.source(given, session=None, speaker=None, limits=LIMITS) == expected


def test_arguments_win_over_what_the_source_says() -> None:
    given = Source(session="s1", speaker="Ana")

    source = requests.source(given, session="s2", speaker=None, limits=LIMITS)

    assert (source.session, source.speaker) == ("s2", "Ana")


def test_no_filter_is_no_filter() -> None:
    assert requests.filters(LIMITS) == Filters()
    assert requests.filters(LIMITS, tags=[], session=None) == Filters()


def test_items_of_a_batch_take_none_for_not_given() -> None:
    [draft] = requests.drafts([{"content": "tea", "kind": None, "tags": None, "pinned": None, "ttl": None}], LIMITS)

    assert draft == requests.draft(LIMITS, content="tea")


def test_messages_are_admitted_before_a_job_is_made_of_them() -> None:
    kept = requests.messages([{"role": "user", "content": "tea", "name": ""}], LIMITS)

    assert kept == [Message(content="tea", role="user", speaker="")]
    with pytest.raises(InvalidInput, match=r"messages: \[1\]\.content contains a NUL"):
        requests.messages(["fine", "not\x00fine"], LIMITS)
