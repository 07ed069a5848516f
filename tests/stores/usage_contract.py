"""The contract of usage, quotas and sizes: inherit `UsageContract` in a test module and supply an empty `store`."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.stores.charges_contract import FOREIGN, OTHER, ChargesContract, bytes_of, charge, set_value, writes
from truekeep.errors import Conflict, InvalidInput, QuotaExceeded
from truekeep.model import JSON, SpaceId, Value
from truekeep.ports import Answer, Moved, Store
from truekeep.testing.samples import NOW, SPACE, job, keep, put

OPERATIONS = ("key:a", "operations", "2026-01")


class CountsContract:
    """Counts by tenant, subject, counter and period."""

    def test_counts_add_up_for_each_tenant_and_come_sorted(self, store: Store) -> None:
        store.count_usage("acme", {OPERATIONS: 2, ("key:a", "operations", "2025-12"): 1})
        store.count_usage("acme", {OPERATIONS: 3, ("key:a", "a", "2026-01"): 1, ("key:A", "z", "2026-01"): 0})
        store.count_usage("other", {OPERATIONS: 7})
        store.count_usage("other", {})

        assert [(one.subject, one.counter, one.period, one.count) for one in store.usage("acme")] == [
            ("key:a", "operations", "2025-12", 1),
            ("key:a", "a", "2026-01", 1),
            (*OPERATIONS, 5),
        ]
        assert [one.count for one in store.usage("other")] == [7]
        assert store.check() == []

    def test_what_is_given_back_never_goes_below_zero(self, store: Store) -> None:
        store.count_usage("acme", {OPERATIONS: 2, ("key:b", "recalls", "2026-01"): 5})
        store.count_usage("acme", {OPERATIONS: -3, ("key:b", "recalls", "2026-01"): -2, ("key:c", "x", "2026-01"): -1})

        assert [(one.subject, one.count) for one in store.usage("acme")] == [("key:b", 3)]

    def test_usage_is_told_for_the_periods_asked_for(self, store: Store) -> None:
        periods = ["2025-12", "2026-01", "2026-01-15"]
        store.count_usage("acme", {("key:a", "operations", period): 1 for period in periods})

        assert [one.period for one in store.usage("acme", periods=["2026-01-15", "2025-12"])] == [
            "2025-12",
            "2026-01-15",
        ]
        assert store.usage("acme", periods=[]) == []

    def test_a_lease_grants_what_is_left_and_then_nothing(self, store: Store) -> None:
        granted = [store.lease_usage("acme", *OPERATIONS, want=40, limit=100) for _ in range(4)]

        assert granted == [40, 40, 20, 0]
        assert [one.count for one in store.usage("acme")] == [100]
        assert store.lease_usage("acme", *OPERATIONS, want=1, limit=50) == 0
        assert store.lease_usage("acme", *OPERATIONS, want=0, limit=500) == 0
        assert store.lease_usage("other", *OPERATIONS, want=1, limit=1) == 1

    def test_usage_of_more_than_thirteen_months_ago_is_tidied_away(self, store: Store) -> None:
        periods = ["2024-11", "2024-11-30", "2024-12", "2024-12-01", "2026-01", "2026-01-31"]
        store.count_usage("acme", {("key:a", "operations", period): 1 for period in periods})

        store.tidy(now=datetime(2026, 1, 31, 23, tzinfo=NOW.tzinfo))

        assert [one.period for one in store.usage("acme")] == periods[2:]
        assert store.check() == []


class SizesContract:
    """How much each space holds."""

    def test_the_overview_tells_what_spaces_hold_by_name_in_pages(self, store: Store) -> None:
        for name in ("b", "a", "Ü", "emptied"):
            keep(store, put("one", "tea"), put("two", "milk"), space=SpaceId("local", name))
        store.erase_space(SpaceId("local", "emptied"))
        store.add_job(job("j", SpaceId("local", "only a job")))
        keep(store, put("x"), space=FOREIGN)
        set_value(store, {"é": 1})

        sizes = store.overview("local")

        assert [size.name for size in sizes] == store.spaces("local")
        assert [(size.name, size.items, size.values) for size in sizes] == [
            ("a", 2, 0),
            ("b", 2, 0),
            ("bot", 0, 1),
            ("only a job", 0, 0),
            ("Ü", 2, 0),
        ]
        assert (sizes[2].bytes, sizes[3].bytes, sizes[0].bytes) == (len('{"é":1}'.encode()), 0, sizes[1].bytes)
        assert store.overview("local", limit=2) == sizes[:2]
        assert store.overview("local", after="b", limit=2) == sizes[2:4]
        assert store.overview("local", after="d", limit=1) == sizes[3:4]  # past one that holds nothing
        assert store.overview("local", after="Ü") == []

    def test_the_bytes_of_a_space_follow_all_that_happens_to_it(self, store: Store) -> None:
        keep(store, put("a", "tea"))
        small = bytes_of(store)
        keep(store, put("a", "tea and milk", version=2, keep_previous=True))
        keep(store, put("b", "successor"), put("c", superseded_by="b", reason="superseded by b"))
        store.restore(SPACE, [put("d", "x", expires=NOW)], [put("d", "y")])
        set_value(store, "long " * 10)
        large = bytes_of(store)
        assert store.check() == []  # counts what is there

        store.erase(SPACE, ["b"], now=NOW)
        store.erase_expired(NOW)
        set_value(store, None)

        assert small < bytes_of(store) < large
        assert store.check() == []
        store.erase_space(SPACE)
        set_value(store, 1)
        assert bytes_of(store) == 1
        assert store.check() == []


class RepeatedEditsContract:
    """Edits of values under idempotency keys."""

    def test_a_repeated_edit_is_made_once(self, store: Store) -> None:
        def add(present: Value | None) -> JSON:
            return (int(str(present.value)) if present else 0) + 1

        limited = charge(writes_per_day=1)
        first, again = (
            store.edit_value(SPACE, "n", add, now=NOW, ttl=None, answer=("once", "add"), charge=limited) for _ in "12"
        )

        assert first is not None
        assert first.value == 1
        assert again == first
        assert store.usage(SPACE.tenant) == [writes(1)]
        assert store.check() == []

    def test_a_repeated_edit_returns_what_is_there_now(self, store: Store) -> None:
        set_value(store, 1, answer=("once", "set"))
        later = set_value(store, 2)

        assert set_value(store, 1, answer=("once", "set")) == later
        set_value(store, None)
        assert set_value(store, 1, answer=("once", "set")) is None

    def test_a_repeated_deletion_does_not_delete_what_came_later(self, store: Store) -> None:
        assert set_value(store, None, answer=("once", "delete")) is None
        later = set_value(store, 2)

        assert set_value(store, None, answer=("once", "delete")) == later

    def test_an_idempotency_key_is_for_one_request_whether_of_a_value_or_an_item(self, store: Store) -> None:
        keep(store, put("a"), answers={"of an item": Answer("h", "a", "added", ())})
        set_value(store, 1, answer=("of a value", "set"))

        for key in ("of an item", "of a value"):
            with pytest.raises(Conflict, match="idempotency_key"):
                set_value(store, 2, answer=(key, "another"))
        with pytest.raises(Moved):
            keep(store, put("b"), answers={"of a value": Answer("h", "b", "added", ())})

        seen = store.look(SPACE, answers=["of a value"]).answers["of a value"]
        assert (seen.request, seen.id) == ("set", "")
        assert store.edit_value(OTHER, "k", lambda _: 3, now=NOW, ttl=None, answer=("of a value", "x")) is not None

    def test_an_edit_that_raised_may_be_tried_again(self, store: Store) -> None:
        def refuse(_: Value | None) -> JSON:
            raise InvalidInput("value", "no")

        with pytest.raises(InvalidInput):
            store.edit_value(SPACE, "k", refuse, now=NOW, ttl=None, answer=("once", "h"))
        with pytest.raises(QuotaExceeded):
            set_value(store, 1, answer=("once", "h"), charge=charge(writes_per_day=0))

        assert set_value(store, 1, answer=("once", "h")) is not None

    def test_answers_about_values_are_tidied_and_erased_like_others(self, store: Store) -> None:
        keep(store, put("k"))
        set_value(store, 1, key="k", answer=("once", "h"))
        set_value(store, 1, key="old", answer=("long ago", "h"))

        store.erase(SPACE, ["k"], now=NOW)  # an item that happens to be called like the value

        assert "once" in store.look(SPACE, answers=["once"]).answers
        store.tidy(now=NOW + timedelta(days=31))
        assert store.look(SPACE, answers=["once", "long ago"]).answers == {}
        assert store.check() == []


class UsageContract(CountsContract, ChargesContract, SizesContract, RepeatedEditsContract):
    """Usage, quotas, sizes, and edits that are made once; supply a fixture `store` that is empty."""
