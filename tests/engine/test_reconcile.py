"""What a draft does to what is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine.reconcile import reconcile
from truekeep.model import Draft, MemoryItem, Source

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def item(id: str = "old", **fields: Any) -> MemoryItem:
    return MemoryItem(**{"id": id, "content": "tea", "created": NOW, "updated": NOW, "when": NOW, **fields})


def test_what_is_new_is_added_as_it_was_said() -> None:
    draft = Draft(content="tea", tags=("a",), metadata={"n": 1}, key="k", ttl=DAY, pinned=True, when=NOW - DAY)

    decision = reconcile(draft, id="new", same=[], claims=[], now=NOW)

    assert (decision.outcome, decision.superseded) == ("added", ())
    assert decision.item == item(
        "new",
        tags=("a",),
        metadata={"n": 1},
        key="k",
        expires=NOW + DAY,
        pinned=True,
        when=NOW - DAY,
        unjudged=True,
    )


def test_saying_it_again_changes_nothing_but_what_was_added() -> None:
    old = item(tags=("a",), metadata={"a": 1}, kind="preference")

    decision = reconcile(Draft(content="Tea!", tags=("b",)), id="new", same=[old], claims=[], now=NOW + DAY)

    assert decision.outcome == "reinforced"
    assert decision.item == replace(old, reinforced=1, updated=NOW + DAY, tags=("a", "b"), reason="said again")


def test_a_clock_that_jumped_back_does_not_make_it_older() -> None:
    decision = reconcile(Draft(content="tea"), id="new", same=[item()], claims=[], now=NOW - DAY)

    assert decision.item.updated == NOW


def test_the_more_trusted_source_is_kept() -> None:
    told = item(source=Source(name="notes", trust="tool"))
    user = Source(name="notes", trust="user")

    upwards = reconcile(Draft(content="tea", source=user), id="n", same=[told], claims=[], now=NOW).item
    downwards = reconcile(Draft(content="tea", source=told.source), id="n", same=[upwards], claims=[], now=NOW).item

    assert upwards.source == downwards.source == user


@pytest.mark.parametrize(
    ("draft", "old"),
    [
        (Draft(content="tea", source=Source(name="web")), item(source=Source(name="notes"))),
        (Draft(content="tea", kind="decision"), item()),
        (Draft(content="tea", kind="interaction"), item(kind="interaction")),
        (Draft(content="tea"), item(kind="interaction")),
        (Draft(content="tea", key="k"), item()),
        (Draft(content="tea", source=Source(speaker="Ana")), item()),
        (Draft(content="tea"), item(retired=NOW)),
        (Draft(content="tea"), item(superseded_by="x")),
        (Draft(content="tea"), item(until=NOW)),
        (Draft(content="tea"), item(expires=NOW)),
    ],
)
def test_the_same_words_can_be_another_memory(draft: Draft, old: MemoryItem) -> None:
    decision = reconcile(draft, id="new", same=[old], claims=[], now=NOW)

    assert (decision.outcome, decision.item.id) == ("added", "new")


@pytest.mark.parametrize(
    ("expires", "ttl", "expected"),
    [
        (None, None, None),
        (None, DAY, None),
        (NOW + DAY, None, None),
        (NOW + DAY, 2 * DAY, NOW + 2 * DAY),
        (NOW + 3 * DAY, DAY, NOW + 3 * DAY),
    ],
)
def test_saying_it_again_never_shortens_its_life(
    expires: datetime | None, ttl: timedelta | None, expected: datetime | None
) -> None:
    decision = reconcile(Draft(content="tea", ttl=ttl), id="new", same=[item(expires=expires)], claims=[], now=NOW)

    assert decision.item.expires == expected


def test_it_may_turn_out_to_be_true_for_longer() -> None:
    draft = Draft(content="tea", when=NOW - DAY)

    decision = reconcile(draft, id="new", same=[item()], claims=[], now=NOW)

    assert decision.item.when == NOW - DAY


def test_a_draft_without_the_key_does_not_move_a_claim() -> None:
    draft = Draft(content="tea", when=NOW - DAY)

    decision = reconcile(draft, id="new", same=[item(key="k")], claims=[], now=NOW)

    assert (decision.outcome, decision.item.when) == ("reinforced", NOW)


def test_a_claim_that_held_for_no_time_does_not_hide_the_one_that_holds() -> None:
    holds = item("b", key="k", when=NOW - DAY)
    held_for_no_time = item("a", content="cocoa", key="k", until=NOW, superseded_by="b", retired=NOW)

    decision = reconcile(Draft(content="milk", key="k"), id="new", same=[], claims=[holds, held_for_no_time], now=NOW)

    assert (decision.outcome, [old.id for old in decision.superseded]) == ("superseded", ["b"])


@given(
    arrivals=st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9)), min_size=1, max_size=12),
    clock=st.lists(st.integers(0, 9), min_size=12, max_size=12),
)
def test_claims_never_overlap_and_one_is_current(arrivals: list[tuple[int, int | None]], clock: list[int]) -> None:
    line: dict[str, MemoryItem] = {}
    for place, ((content, when), tick) in enumerate(zip(arrivals, clock, strict=False)):
        draft = Draft(content=str(content), key="k", when=None if when is None else NOW + when * DAY)
        same = sorted((one for one in line.values() if one.content == draft.content), key=lambda one: one.when)
        decision = reconcile(draft, id=str(place), same=same, claims=list(line.values()), now=NOW + tick * DAY)
        line.update({one.id: one for one in (decision.item, *decision.superseded, *decision.bounded)})
        if when is None:
            assert decision.item.is_current, "what is said now holds now"

    assert sum(one.is_current and one.until is None for one in line.values()) == 1
    assert {one.superseded_by for one in line.values()} <= {*line, None}
    for moment in (NOW + tick * DAY for tick in range(-1, 11)):
        true_then = [one for one in line.values() if one.when <= moment and (one.until is None or moment < one.until)]
        assert len(true_then) <= 1
    earliest = min(one.when for one in line.values())
    latest = [one for one in line.values() if one.when <= NOW + 99 * DAY and one.until is None]
    assert len(latest) == 1
    assert earliest <= latest[0].when
