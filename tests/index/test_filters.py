from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from truekeep.model import TRUST_LEVELS, Filters, MemoryItem, Source

from .rows import NOW, erased, index_of, row

DAYS = st.integers(-3, 3).map(lambda days: NOW + timedelta(days=days))
NAMES = st.none() | st.sampled_from(["ana", "ben"])
FIELDS = st.fixed_dictionaries(
    {"when": DAYS, "created": DAYS},
    optional={
        "kind": st.sampled_from(["fact", "lesson", "preference"]),
        "tags": st.lists(st.sampled_from(["x", "y", "z"]), max_size=3, unique=True).map(tuple),
        "until": st.none() | DAYS,
        "expires": st.none() | DAYS,
        "retired": st.none() | DAYS,
        "superseded_by": NAMES,
        "source": st.builds(Source, name=NAMES, speaker=NAMES, session=NAMES, trust=st.sampled_from(TRUST_LEVELS)),
    },
)
FILTERS = st.builds(
    Filters,
    kinds=st.none() | st.frozensets(st.sampled_from(["fact", "lesson", "-preference", "-fact", "unknown"])),
    tags=st.none() | st.frozensets(st.sampled_from(["x", "y", "unknown"])),
    session=NAMES,
    speaker=NAMES | st.just("unknown"),
    source=NAMES,
    since=st.none() | DAYS,
    until=st.none() | DAYS,
    before=st.none() | DAYS,
    as_of=st.none() | DAYS,
    min_trust=st.none() | st.sampled_from(TRUST_LEVELS),
    include_superseded=st.booleans(),
)


def passes(item: MemoryItem, filters: Filters, now: datetime) -> bool:
    """The meaning of filters, one item at a time."""
    if item.expires is not None and item.expires <= now:
        return False
    if filters.as_of is not None:
        if item.when > filters.as_of or (item.until is not None and item.until <= filters.as_of):
            return False
    elif not filters.include_superseded and (not item.is_current or (item.until is not None and item.until <= now)):
        return False
    kinds = filters.kinds or frozenset()
    wanted = {kind for kind in kinds if not kind.startswith("-")}
    return (
        (not wanted or item.kind in wanted)
        and f"-{item.kind}" not in kinds
        and set(filters.tags or ()) <= set(item.tags)
        and filters.session in (None, item.session)
        and filters.speaker in (None, item.speaker)
        and filters.source in (None, item.source.name)
        and (filters.since is None or item.when >= filters.since)
        and (filters.until is None or item.when < filters.until)
        and (filters.before is None or item.created < filters.before)
        and TRUST_LEVELS.index(item.source.trust) >= TRUST_LEVELS.index(filters.min_trust or "unknown")
    )


@given(st.lists(FIELDS, max_size=12), FILTERS, DAYS)
def test_a_mask_allows_what_the_filters_mean(fields: list[dict[str, Any]], filters: Filters, now: datetime) -> None:
    rows = [row(number + 1, str(number), "tea", **given) for number, given in enumerate(fields)]
    view = index_of([*rows, row(100, "gone", "tea"), erased(101, "gone")]).view()

    allowed = view.ids(view.rows(view.select(filters, now)))

    expected = [change.id for change in rows if change.item and passes(change.item, filters, now)]
    assert sorted(allowed) == sorted(expected)


@given(st.lists(FIELDS, max_size=12), FILTERS, DAYS)
def test_the_newest_come_by_time_and_then_by_id_whatever_changed_last(
    fields: list[dict[str, Any]], filters: Filters, now: datetime
) -> None:
    ids = [str(UUID(int=(number << 70) + (7 << 76) + number)) for number in range(len(fields))]
    rows = [row(100 - number, ids[number], "tea", **given) for number, given in enumerate(fields)]
    view = index_of(rows[::-1]).view()

    newest = view.ids(view.newest(view.select(filters, now), limit=3, offset=1))

    passing = [change.item for change in rows if change.item and passes(change.item, filters, now)]
    expected = sorted(passing, key=lambda item: (item.when, item.id), reverse=True)
    assert newest == [item.id for item in expected][1:4]


def test_without_filters_and_without_anything_bound_to_end_no_mask_is_made() -> None:
    view = index_of([row(1, "a", "tea"), row(2, "b", "coffee")]).view()

    assert view.select(Filters(), NOW) is None
    assert view.allows(None, 1)


def test_a_mask_appears_once_something_can_end_and_goes_when_it_no_longer_can() -> None:
    index = index_of([row(1, "a", "tea", expires=NOW + timedelta(days=1))])

    assert index.view().select(Filters(), NOW) is not None
    index.absorb([row(2, "a", "tea")])

    assert index.view().select(Filters(), NOW) is None
