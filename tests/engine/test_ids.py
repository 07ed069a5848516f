"""Ids."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

from truekeep.engine.ids import new_id

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_ids_are_uuids_of_version_7() -> None:
    parsed = uuid.UUID(new_id(NOW))

    assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
    assert parsed.int >> 80 == int(NOW.timestamp() * 1000)


def test_ids_sort_by_time_and_never_repeat() -> None:
    made = [new_id(NOW + timedelta(milliseconds=tick)) for tick in range(1000)]
    at_once = {new_id(NOW) for _ in range(1000)}

    assert made == sorted(made)
    assert len(at_once) == 1000


def test_ids_of_one_moment_sort_in_the_order_in_which_they_were_made() -> None:
    made = [new_id(NOW) for _ in range(10_000)]

    assert made == sorted(set(made))


def test_any_time_makes_an_id() -> None:
    for year in (1, 1969, 9999):
        assert uuid.UUID(new_id(datetime(year, 1, 1, tzinfo=UTC))).version == 7
