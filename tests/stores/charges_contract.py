"""The contract of charges: inherit `ChargesContract` in a test module and supply an empty `store`."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from truekeep.errors import QuotaExceeded
from truekeep.model import JSON, Quotas, SpaceId, Usage, Value
from truekeep.ports import Answer, Change, Charge, Moved, NewVectors, Put, Store
from truekeep.testing.samples import EMBEDDER, NOW, SPACE, job, keep, put

OTHER = SpaceId(SPACE.tenant, "other")
FOREIGN = SpaceId("acme", SPACE.name)
HOUR = timedelta(hours=1)


def charge(now: datetime = NOW, **quotas: int) -> Charge:
    return Charge(now=now, quotas=Quotas(**quotas))


def write(store: Store, *puts: Put, charge: Charge, space: SpaceId = SPACE) -> None:
    store.apply(space, Change(puts=puts), based_on=store.head(space).seq, charge=charge)


def set_value(store: Store, value: JSON, key: str = "k", **arguments: Any) -> Value | None:
    return store.edit_value(SPACE, key, lambda _: value, now=NOW, ttl=None, **arguments)


def writes(count: int, name: str = SPACE.name, day: str = "2026-01-01") -> Usage:
    return Usage(subject=f"space:{name}", counter="writes", period=day, count=count)


def bytes_of(store: Store, space: SpaceId = SPACE) -> int:
    return sum(size.bytes for size in store.overview(space.tenant) if size.name == space.name)


class ChargesContract:
    """What a write may not exceed."""

    def test_writes_are_counted_by_space_and_day_only_when_charged(self, store: Store) -> None:
        keep(store, put("free"))
        write(store, put("a"), put("b"), put("old", superseded_by="a"), charge=charge())
        set_value(store, 1, charge=charge())
        set_value(store, None, charge=charge())
        store.restore(SPACE, [put("c"), put("d", superseded_by="c")], [put("c", "former")], charge=charge())
        restored = Value(key="r", value=1, version=1, created=NOW, updated=NOW)
        store.restore_value(SPACE, restored, charge=charge(NOW + timedelta(days=1)))
        write(store, put("x"), charge=charge(), space=OTHER)
        store.erase_space(OTHER)

        assert store.usage(SPACE.tenant) == [writes(4), writes(1, day="2026-01-02")]
        assert store.usage(FOREIGN.tenant) == []

    def test_the_payloads_of_jobs_take_room(self, store: Store) -> None:
        text, small = {"text": "x" * 600}, charge(bytes_per_space=2_000)
        set_value(store, "y" * 500, charge=small)
        store.add_job(job("a", payload=text), charge=small)
        store.add_job(job("b", payload=text), charge=small)
        store.add_job(job("elsewhere", OTHER, payload=text), charge=small)

        with pytest.raises(QuotaExceeded, match="bytes_per_space"):
            store.add_job(job("c", payload=text), charge=small)

        assert store.job(SPACE, "c") is None
        store.add_job(job("free", payload=text))

    def test_a_tenant_has_so_many_open_jobs(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("truekeep.stores.ledger.quotas.OPEN_JOBS", 2)
        store.add_job(job("a"))
        store.add_job(job("over", state="done"))
        store.add_job(job("b", OTHER))

        with pytest.raises(QuotaExceeded, match="jobs"):
            store.add_job(job("c"))

        store.add_job(job("foreign", FOREIGN))

    def test_vectors_made_later_cost_nothing(self, store: Store) -> None:
        keep(store, put("a", "one"))
        change = Change(vectors=[NewVectors(id="a", content="one", vectors=b"v")], embedder=EMBEDDER)

        store.apply(SPACE, change, based_on=0, charge=charge(writes_per_day=0, memories=0, bytes_per_space=0))

        assert store.usage(SPACE.tenant) == []
        assert [row.vectors for row in store.changes(SPACE, after=0, embedder=EMBEDDER).rows] == [b"v"]

    def test_the_write_after_the_last_of_the_day_is_refused_as_a_whole(self, store: Store) -> None:
        limited = charge(writes_per_day=3)
        write(store, put("a"), put("b"), charge=limited)
        before = store.head(SPACE)

        with pytest.raises(QuotaExceeded, match="writes_per_day") as refusal:
            write(store, put("c"), put("d"), charge=limited)

        assert refusal.value.retry_after == timedelta(hours=12)
        assert (store.head(SPACE), store.usage(SPACE.tenant)) == (before, [writes(2)])
        set_value(store, 1, charge=limited)
        with pytest.raises(QuotaExceeded):
            set_value(store, 2, charge=limited)
        set_value(store, None, charge=limited)  # deleting is always possible
        assert store.keys(SPACE, now=NOW) == []

    def test_another_day_and_another_space_have_writes_of_their_own(self, store: Store) -> None:
        write(store, put("a"), charge=charge(writes_per_day=1))
        east = datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=5)))  # still the first of January in UTC

        write(store, put("b"), charge=charge(writes_per_day=1), space=OTHER)
        write(store, put("c"), charge=charge(writes_per_day=1), space=FOREIGN)
        with pytest.raises(QuotaExceeded) as refusal:
            write(store, put("d"), charge=charge(east, writes_per_day=1))
        write(store, put("d"), charge=charge(NOW + timedelta(hours=12), writes_per_day=1))

        assert refusal.value.retry_after == timedelta(hours=4)

    def test_memories_are_counted_over_all_spaces_of_the_tenant(self, store: Store) -> None:
        limited = charge(memories=3)
        write(store, put("a"), put("b"), charge=limited)
        write(store, put("a"), charge=charge(memories=1), space=FOREIGN)

        with pytest.raises(QuotaExceeded, match="memories") as refusal:
            write(store, put("c"), put("d"), charge=limited, space=OTHER)
        write(store, put("c"), charge=limited, space=OTHER)
        with pytest.raises(QuotaExceeded):
            store.restore(SPACE, [put("d")], [], charge=limited)

        assert refusal.value.retry_after == HOUR
        assert store.head(OTHER).seq == 1
        assert {size.name: size.items for size in store.overview(SPACE.tenant)} == {"bot": 2, "other": 1}

    def test_who_holds_too_many_memories_may_change_them_and_has_room_again_after_erasing(self, store: Store) -> None:
        keep(store, put("a"), put("b"), put("c"))

        write(store, put("a", "changed", version=2, keep_previous=True), charge=charge(memories=1))
        set_value(store, 1, charge=charge(memories=1))
        with pytest.raises(QuotaExceeded):
            write(store, put("d"), charge=charge(memories=3))
        store.erase(SPACE, ["b"], now=NOW)
        write(store, put("d"), charge=charge(memories=3))

        assert [one.id for one in store.get(SPACE, ["a", "b", "c", "d"])] == ["a", "c", "d"]

    def test_a_space_does_not_grow_beyond_its_bytes(self, store: Store) -> None:
        keep(store, put("a", "x" * 1000))
        full = bytes_of(store)
        limited = charge(bytes_per_space=full + 500)

        with pytest.raises(QuotaExceeded, match="bytes_per_space") as refusal:
            write(store, put("b", "é" * 300), charge=limited)  # two bytes each
        with pytest.raises(QuotaExceeded):
            set_value(store, "é" * 300, charge=limited)
        with pytest.raises(QuotaExceeded):
            write(store, put("a", "y" * 1000, version=2, keep_previous=True), charge=limited)
        set_value(store, "y" * 400, charge=limited)
        write(store, put("b", "é" * 300), charge=limited, space=OTHER)

        assert refusal.value.retry_after == HOUR
        assert bytes_of(store) == full + 402
        assert store.usage(SPACE.tenant) == [writes(1), writes(1, OTHER.name)]
        assert store.check() == []

    def test_who_holds_too_many_bytes_may_make_them_fewer(self, store: Store) -> None:
        keep(store, put("a", "x" * 1000))
        set_value(store, "x" * 1000)
        limited = charge(bytes_per_space=10)

        write(store, put("a", "x" * 900, version=2), charge=limited)
        set_value(store, "x" * 900, charge=limited)
        for grown in (put("a", "x" * 901, version=3), put("b", "x")):
            with pytest.raises(QuotaExceeded):
                write(store, grown, charge=limited)

        assert [one.content for one in store.get(SPACE, ["a", "b"])] == ["x" * 900]

    def test_what_was_decided_on_something_else_is_told_before_the_quota(self, store: Store) -> None:
        keep(store, put("a", "tea"), answers={"once": Answer("h", "a", "added", ())})
        change = Change(puts=[put("b", "milk")], answers={"once": Answer("h", "b", "added", ())})

        with pytest.raises(Moved):  # so that a retry is answered as before, however little is left
            store.apply(SPACE, change, based_on=0, charge=charge(writes_per_day=0, memories=0))

    @pytest.mark.parametrize("quota", ["writes_per_day", "memories", "bytes_per_space"])
    def test_a_refused_first_write_leaves_nothing_that_another_space_could_answer_for(
        self, store: Store, quota: str
    ) -> None:
        with pytest.raises(QuotaExceeded, match=quota):
            write(store, put("a", "tea"), put("b", "milk"), charge=Charge(now=NOW, quotas=Quotas(**{quota: 1})))

        keep(store, put("a", "foreign tea"), space=FOREIGN)

        assert store.get(SPACE, ["a"]) == []
        assert store.found(SPACE, ["a"]) == []
        assert (store.spaces(SPACE.tenant), store.head(SPACE).seq) == ([], 0)
