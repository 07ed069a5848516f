"""The contract of persons who were erased: inherit `PersonsContract` in a test module and supply an empty `store`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from truekeep.model import Job, Source, SpaceId, Value
from truekeep.ports import Moved, Put, Store
from truekeep.testing.samples import NOW, SPACE, job, keep, put

LATER = NOW + timedelta(days=1)
OTHER = SpaceId(SPACE.tenant, "other")


def said(id: str, speaker: str, **fields: object) -> Put:
    return put(id, source=Source(speaker=speaker), **fields)  # type: ignore[arg-type]  # fields of an item


class PersonsContract:
    """Who is barred, and what that keeps out."""

    def test_a_bar_holds_for_one_name_in_one_tenant(self, store: Store) -> None:
        store.bar("local", speakers=["ana"], now=NOW)

        assert store.barred("local", ["ana", "Ana", "an", "ben"]) == {"ana": NOW}
        assert store.barred("acme", ["ana"]) == {}

        store.bar("local", speakers=["ana", "ben"], now=LATER)

        assert store.barred("local", ["ana", "ben"]) == {"ana": LATER, "ben": LATER}
        assert store.check() == []

    def test_a_bar_ends_when_somebody_is_admitted_again(self, store: Store) -> None:
        store.bar("local", speakers=["ana", "ben"], now=NOW)

        assert store.admit("local", ["ana", "nobody"]) == ["ana"]
        assert store.admit("local", ["ana"]) == store.admit("acme", ["ben"]) == []

        assert store.barred("local", ["ana", "ben"]) == {"ben": NOW}

    def test_the_names_are_not_told_by_what_is_kept(self, store: Store) -> None:
        store.bar("local", speakers=["ana"], values=["user:ana:tone"], now=NOW)

        keys = store.keys(SpaceId.own("local"), now=NOW)

        (mark,) = store.marks("local", ["ana"])
        assert len(keys) == 2
        assert f"person:bar:{mark}" in keys
        assert not any("ana" in key for key in keys)
        assert store.marks("acme", ["ana"]) != [mark]

    def test_what_is_derived_from_a_barred_speaker_is_refused_and_what_is_said_is_not(self, store: Store) -> None:
        store.bar("local", speakers=["ana"], now=NOW)

        with pytest.raises(Moved):
            keep(store, said("a", "ana", derived=True, created=LATER))
        keep(store, said("b", "ben", derived=True), said("c", "ana"))

        assert [one.id for one in store.get(SPACE, ["a", "b", "c"])] == ["b", "c"]

    def test_a_row_that_is_there_may_change_whoever_said_it(self, store: Store) -> None:
        store.bar("local", speakers=["ana"], now=NOW)
        keep(store, said("a", "ana", created=LATER))

        keep(store, said("a", "ana", created=LATER, derived=True, version=2, keep_previous=True))

        assert [one.version for one in store.history(SPACE, "a")] == [1, 2]

    def test_what_was_said_before_the_bar_is_restored_nowhere(self, store: Store) -> None:
        store.bar("local", speakers=["ana"], now=NOW)
        before, since, other = said("a", "ana"), said("b", "ana", created=LATER), said("c", "ben")
        former = replace(before, item=replace(before.item, id="c", content="hers once"))

        for space in (SPACE, OTHER):
            restored = store.restore(space, [before, since, other], [former])

            assert (restored.refused, restored.versions, restored.refused_versions) == (["a"], 0, 1)
            assert [one.id for one in store.get(space, ["a", "b", "c"])] == ["b", "c"]
        assert store.restore(SpaceId("acme", "bot"), [before], []).refused == []

        store.admit("local", ["ana"])

        assert store.restore(OTHER, [before], []).refused == []

    def test_a_barred_value_is_restored_only_if_it_was_set_since(self, store: Store) -> None:
        store.bar("local", values=["k"], now=NOW)
        value = Value(key="k", value=1, version=1, created=NOW, updated=NOW)

        assert store.restore_value(OTHER, value) is None
        assert store.restore_value(OTHER, replace(value, key="kk")) is True
        assert store.restore_value(OTHER, replace(value, updated=LATER)) is True
        assert store.edit_value(SPACE, "k", lambda _: 2, now=NOW, ttl=None) is not None

    def test_erased_values_are_unknown_to_checkpoints_too(self, store: Store) -> None:
        def set_to(key: str, value: int | None) -> None:
            store.edit_value(SPACE, key, lambda _: value, now=NOW, ttl=timedelta(days=1))

        for key in ("gone", "kept", "ended"):
            set_to(key, 1)
        store.add_checkpoint(SPACE, "first", now=NOW)
        for key, value in (("gone", 2), ("kept", 2), ("ended", None)):
            set_to(key, value)
        assert store.all_keys(SPACE) == ["ended", "gone", "kept"]

        store.erase_values(SPACE, ["gone", "ended"])

        assert store.all_keys(SPACE) == store.keys(SPACE, now=NOW) == ["kept"]
        assert [key for key, _, _ in store.difference(SPACE, "first").values] == ["kept"]
        store.erase_values(OTHER, ["gone"])
        assert store.check() == []

    def test_jobs_are_cut_or_erased(self, store: Store) -> None:
        for id in ("cut", "gone", "kept"):
            store.add_job(job(id, payload={"messages": [id, "ana"]}))
        running = store.claim_job(now=NOW, lease=timedelta(minutes=1), max_attempts=3)

        def left(job: Job) -> Job | None:
            rest: dict[str, Job | None] = {"cut": replace(job, payload={"messages": ["cut"]}), "gone": None}
            return rest.get(job.id, job)

        assert store.cut_jobs(SPACE, left) == 2

        assert store.job(SPACE, "gone") is None
        assert running is not None
        assert store.job(SPACE, "cut") == replace(running, payload={"messages": ["cut"]})
        assert store.cut_jobs(SPACE, left) == 0
        assert store.check() == []

    def test_what_others_said_may_be_reopened_alone(self, store: Store) -> None:
        ends: dict[str, Any] = {"superseded_by": "hers", "retired": NOW, "until": NOW}
        keep(store, put("hers"), put("again", restated=True, **ends), put("before", **ends))

        store.erase(SPACE, ["hers"], now=NOW, reopen=lambda item: item.restated)

        again, before = store.get(SPACE, ["again", "before"])
        assert (again.is_current, again.until) == (True, None)
        assert not before.is_current

    def test_spaces_that_hold_nothing_but_traces_are_told(self, store: Store) -> None:
        keep(store, put("a"))
        keep(store, put("a"), space=OTHER)
        store.bar("local", speakers=["ana"], now=NOW)
        store.erase(OTHER, ["a"], now=NOW)

        assert store.spaces("local") == ["bot"]
        assert store.traces("local") == ["bot", "other"]
        assert store.traces("acme") == []

    def test_a_signature_is_of_the_text_and_of_the_store(self, store: Store) -> None:
        signatures: Collection[str] = {store.sign("a"), store.sign("b"), store.sign("a")}

        assert len(signatures) == 2
        assert all(len(one) == 64 for one in signatures)
