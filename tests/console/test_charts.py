"""Charts: what is drawn follows from the numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from truekeep.model import MemoryItem
from truekeep.server.console import charts
from truekeep.server.console.rendering import ago, clip, linked, size, state

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def item(id: str, created: datetime = NOW, **fields: object) -> MemoryItem:
    return MemoryItem(id=id, content=id, created=created, updated=created, when=created, **fields)  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 10**9), max_size=60))
def test_a_sparkline_stays_within_its_picture(counts: list[int]) -> None:
    points = [tuple(map(float, point.split(","))) for point in charts.sparkline(counts).split()]

    assert len(points) == len(counts)
    assert all(0 <= x <= charts.SPARK_WIDTH and 0 <= y <= charts.SPARK_HEIGHT for x, y in points)


def test_days_without_any_count_none() -> None:
    counts = {"2026-03-01": 2, "2026-02-27": 1, "2025-01-01": 9}

    assert charts.by_day(counts, date(2026, 3, 1), 4) == [0, 1, 0, 2]


@given(st.floats(-5, 5))
def test_a_bar_is_never_longer_than_its_track(share: float) -> None:
    assert 0 <= charts.bar(share) <= charts.BAR_WIDTH


@given(st.lists(st.floats(-1, 1), max_size=50))
def test_points_stay_within_their_picture_in_their_order(coordinates: list[float]) -> None:
    places = charts.spread(coordinates, 560)

    assert all(0 < place < 560 for place in places)
    assert [place for _, place in sorted(zip(coordinates, places, strict=True))] == sorted(places)


def test_points_use_all_of_their_picture_unless_they_lie_together() -> None:
    assert charts.spread([-1.0, 0.0, 0.25], 832) == [16, 656, 816]
    assert charts.spread([0.5, 0.5], 100) == [50, 50]
    assert charts.spread([], 100) == []


def test_a_rule_links_its_items_and_stays_text() -> None:
    id = "019b9a0b-7200-716c-ad39-1fed0e198d31"

    told = linked(f"superseded by {id}: the same key '<b>', true since 2026-01-07T20:00:00.5+00:00", "../")

    assert str(told) == (
        f'superseded by <a href="../items/{id}">019b9a0b…</a>: '
        "the same key &#39;&lt;b&gt;&#39;, true since 2026-01-07 20:00 UTC"
    )


def test_beliefs_follow_one_another_on_the_line_of_their_key() -> None:
    begin = NOW - timedelta(days=10)
    old = item("old", begin, key="k", retired=NOW - timedelta(days=5), superseded_by="new")
    new = item("new", NOW - timedelta(days=5), key="k")
    alone = item("alone", NOW - timedelta(days=1), key="other")

    claims, since = charts.claims([new, alone, old, item("no key")], NOW)

    assert since == begin
    assert [claim.key for claim in claims] == ["k", "other"]
    first, second = claims[0].beliefs
    assert (first.item.id, first.x, first.is_current) == ("old", 0, False)
    assert first.x + first.width == second.x == charts.CLAIM_WIDTH / 2
    assert second.x + second.width == charts.CLAIM_WIDTH


def test_a_space_without_claims_has_no_lines() -> None:
    assert charts.claims([item("x")], NOW) == ([], NOW)


def test_what_has_become_of_an_item_in_a_word() -> None:
    past = NOW - timedelta(days=1)

    assert state(item("a"), NOW) == "current"
    assert state(item("a", suspected_by=("b",)), NOW) == "in doubt"
    assert state(item("a", superseded_by="b", retired=past), NOW) == "superseded"
    assert state(item("a", until=past), NOW) == "ended"
    assert state(item("a", expires=past), NOW) == "expired"
    assert state(item("a", quarantined=True), NOW) == "quarantined"


def test_times_sizes_and_texts_are_short() -> None:
    assert ago(NOW - timedelta(seconds=5), NOW) == "just now"
    assert ago(NOW - timedelta(minutes=1), NOW) == "1 minute ago"
    assert ago(NOW - timedelta(days=3, hours=5), NOW) == "3 days ago"
    assert ago(NOW + timedelta(days=1), NOW) == "2026-03-02 12:00 UTC"
    assert [size(number) for number in (0, 999, 1500, 2_500_000, 10**13)] == [
        "0 B",
        "999 B",
        "1.5 KB",
        "2.5 MB",
        "10.0 TB",
    ]
    assert clip("abcdef", 4) == "abc…"
