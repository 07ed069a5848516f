"""The contract of a store: inherit `StoreContract` in a test module and supply an empty `store`.

class TestMyStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]: ...
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from truekeep.errors import Conflict, InvalidInput
from truekeep.model import JSON, SpaceId, Value
from truekeep.ports import Answer, Change, Store
from truekeep.testing.erasure_contract import ErasureContract
from truekeep.testing.items_contract import ItemsContract
from truekeep.testing.samples import LEASE, NOW, SPACE, claimed, job, keep, kept_job, put, set_value
from truekeep.testing.undo_contract import UndoContract


class ValuesContract:
    """JSON under keys; supply a fixture `store` that is empty."""

    @pytest.mark.parametrize("value", [0, "", [], {}, False, 1.5, "é🎈", {"z": [1, {"a": None}], "a": 2**70}])
    def test_a_value_comes_back_as_it_was_set(self, store: Store, value: JSON) -> None:
        kept = set_value(store, "k", value)

        assert kept == store.value(SPACE, "k", now=NOW)
        assert kept.value == value

    def test_versions_only_grow_even_over_deletion(self, store: Store) -> None:
        versions = []
        for value in (1, 2, None, 3):
            kept = store.edit_value(SPACE, "k", lambda _, value=value: value, now=NOW, ttl=None)  # type: ignore[misc]
            versions.append(0 if kept is None else kept.version)

        assert versions[2] == 0
        assert 0 < versions[0] < versions[1] < versions[3]

    def test_an_edit_sees_what_is_there_and_keeps_when_it_was_created(self, store: Store) -> None:
        later = NOW + timedelta(hours=1)
        set_value(store, "n", 1)

        def add(present: Value | None) -> JSON:
            assert present is not None
            assert isinstance(present.value, int)
            return present.value + 1

        kept = store.edit_value(SPACE, "n", add, now=later, ttl=None)

        assert kept is not None
        assert (kept.value, kept.created, kept.updated) == (2, NOW, later)

    def test_an_edit_that_raises_changes_nothing(self, store: Store) -> None:
        before = set_value(store, "k", 1)

        def refuse(_: Value | None) -> JSON:
            raise InvalidInput("value", "no")

        with pytest.raises(InvalidInput):
            store.edit_value(SPACE, "k", refuse, now=NOW, ttl=None)

        assert store.value(SPACE, "k", now=NOW) == before

    def test_a_value_is_over_when_its_time_has_come(self, store: Store) -> None:
        ttl = timedelta(seconds=10)
        set_value(store, "k", 1, ttl=ttl)

        assert store.value(SPACE, "k", now=NOW + ttl - timedelta(microseconds=1)) is not None
        assert store.value(SPACE, "k", now=NOW + ttl) is None
        assert store.keys(SPACE, now=NOW + ttl) == []
        assert store.edit_value(SPACE, "k", lambda present: present is None, now=NOW + ttl, ttl=None) is not None

    def test_an_edit_keeps_the_expiry_unless_it_gives_another(self, store: Store) -> None:
        set_value(store, "k", 1, ttl=timedelta(days=1))

        assert set_value(store, "k", 2).expires == NOW + timedelta(days=1)
        assert set_value(store, "k", 3, ttl=timedelta.max).expires is None

    def test_a_restored_value_has_its_times_and_a_new_version(self, store: Store) -> None:
        before = set_value(store, "k", 1)
        late, later = NOW + timedelta(days=1), NOW + timedelta(days=2)
        value = Value(key="k", value=[2], version=1, created=NOW - timedelta(days=9), updated=late, expires=later)

        assert store.restore_value(SPACE, value)

        kept = store.value(SPACE, "k", now=late)
        assert kept is not None
        assert kept.version > before.version
        assert replace(kept, version=1) == value

    def test_a_value_that_is_at_least_as_new_is_not_restored(self, store: Store) -> None:
        present = set_value(store, "k", 1)

        for updated in (NOW - timedelta(days=1), NOW):
            assert not store.restore_value(SPACE, Value(key="k", value=2, version=1, created=NOW, updated=updated))

        assert store.value(SPACE, "k", now=NOW) == present

    def test_deleting_from_a_space_that_holds_nothing_leaves_nothing(self, store: Store) -> None:
        before = store.size()

        assert store.edit_value(SPACE, "k", lambda _: None, now=NOW, ttl=None) is None

        assert (store.spaces(SPACE.tenant), store.head(SPACE).seq, store.size()) == ([], 0, before)

    def test_keys_are_sorted_and_of_one_space(self, store: Store) -> None:
        for key in ("b", "a", "Ü"):
            set_value(store, key, 1)

        assert store.keys(SPACE, now=NOW) == ["a", "b", "Ü"]
        assert store.keys(SpaceId("local", "other"), now=NOW) == []


class JobsContract:
    """Durable work; supply a fixture `store` that is empty."""

    def test_the_oldest_waiting_job_is_claimed_once(self, store: Store) -> None:
        store.add_job(job("late", created=NOW + timedelta(seconds=1)))
        store.add_job(job("early", space=SpaceId("acme", "bot")))

        first, second = claimed(store), claimed(store)

        assert (first.id, first.space.tenant, first.state, first.attempts) == ("early", "acme", "running", 1)
        assert (second.id, second.space.tenant, second.state, second.attempts) == ("late", "local", "running", 1)
        assert store.claim_job(now=NOW, lease=LEASE, max_attempts=3) is None
        assert (store.waiting_jobs(), store.waiting_jobs(SPACE)) == (2, 1)
        assert store.jobs_by_state() == {"waiting": 0, "running": 2, "done": 0, "failed": 0}

    def test_a_job_whose_lease_ran_out_is_claimed_again(self, store: Store) -> None:
        store.add_job(job("j"))
        claimed(store)

        again = claimed(store, NOW + LEASE)

        assert (again.attempts, again.payload) == (2, {"text": "j"})

    @pytest.mark.parametrize(("error", "payload"), [(None, {}), ("not as it should", {"text": "j"})])
    def test_a_done_job_keeps_its_result_and_without_an_error_loses_its_payload(
        self, store: Store, error: str | None, payload: dict[str, str]
    ) -> None:
        store.add_job(job("j"))
        store.finish_job(replace(claimed(store), state="done", result={"ids": ["a"]}, error=error), now=NOW + LEASE)

        done = kept_job(store, "j")
        assert (done.state, done.result, done.payload, done.attempts) == ("done", {"ids": ["a"]}, payload, 1)
        assert done.updated == NOW + LEASE
        assert store.claim_job(now=NOW + 2 * LEASE, lease=LEASE, max_attempts=3) is None
        assert store.waiting_jobs() == 0

    def test_a_failed_job_keeps_its_payload_and_one_put_back_rests_until_its_time(self, store: Store) -> None:
        store.add_job(job("j"))
        store.finish_job(replace(claimed(store), state="waiting", error="try again"), now=NOW, again_at=NOW + LEASE)
        early = store.claim_job(now=NOW + LEASE / 2, lease=LEASE, max_attempts=3)
        store.finish_job(replace(claimed(store, NOW + LEASE), state="failed", error="no"), now=NOW + LEASE)

        failed = kept_job(store, "j")
        assert early is None
        assert (failed.state, failed.error, failed.payload) == ("failed", "no", {"text": "j"})

    def test_a_job_put_back_without_a_time_is_claimed_at_once(self, store: Store) -> None:
        store.add_job(job("j"))
        store.finish_job(replace(claimed(store), state="waiting"), now=NOW)

        assert claimed(store).id == "j"

    def test_a_job_that_was_claimed_too_often_is_given_up_and_the_next_one_is_claimed(self, store: Store) -> None:
        store.add_job(job("deadly"))
        for attempt in range(3):
            claimed(store, NOW + attempt * LEASE)
        store.add_job(job("next", created=NOW + LEASE))

        assert claimed(store, NOW + 3 * LEASE).id == "next"
        deadly = kept_job(store, "deadly")
        assert (deadly.state, deadly.attempts, deadly.error) == ("failed", 3, "gave up")
        assert deadly.payload == {"text": "deadly"}
        assert store.check() == []

    def test_whoever_lost_a_job_to_another_changes_nothing(self, store: Store) -> None:
        store.add_job(job("j"))
        slow, other = claimed(store), claimed(store, NOW + LEASE)

        store.finish_job(replace(slow, state="failed", error="late"), now=NOW + LEASE)
        running = store.job(SPACE, "j")
        store.finish_job(replace(other, state="done"), now=NOW + LEASE)
        store.finish_job(replace(other, state="waiting"), now=NOW + LEASE)

        assert running == other
        assert kept_job(store, "j").state == "done"

    def test_a_job_is_added_once_and_only_in_its_space(self, store: Store) -> None:
        store.add_job(job("j"))

        with pytest.raises(Conflict):
            store.add_job(job("j"))

        assert store.job(SpaceId("local", "other"), "j") is None
        assert store.job(SPACE, "other") is None

    def test_a_job_is_found_in_any_space_of_its_tenant_only(self, store: Store) -> None:
        for space in (SPACE, SpaceId("local", "other"), SpaceId("acme", "bot")):
            store.add_job(job(f"in {space.name} of {space.tenant}", space))
        store.add_job(job("same", SpaceId("acme", "bot")))
        store.add_job(job("same", SpaceId("local", "other"), payload={"text": "ours"}))

        found = store.find_job("local", "in other of local")
        same = store.find_job("local", "same")

        assert found == store.job(SpaceId("local", "other"), "in other of local")
        assert same is not None
        assert (same.space, same.payload) == (SpaceId("local", "other"), {"text": "ours"})
        assert store.find_job("local", "in bot of acme") is None
        assert store.find_job("local", "none") is None

    def test_the_jobs_of_a_tenant_are_listed_those_begun_last_first(self, store: Store) -> None:
        for number, space in enumerate((SPACE, SpaceId("local", "other"), SpaceId("acme", "bot"), SPACE)):
            store.add_job(job(str(number), space, created=NOW + timedelta(minutes=number)))
        oldest = claimed(store, NOW + timedelta(hours=1))

        found = store.latest_jobs("local")

        assert [(one.id, one.space.name) for one in found] == [("3", SPACE.name), ("1", "other"), ("0", SPACE.name)]
        assert found[-1] == oldest
        assert [one.id for one in store.latest_jobs("local", limit=2)] == ["3", "1"]
        assert store.latest_jobs("nobody") == []


class StoreContract(ItemsContract, ErasureContract, ValuesContract, JobsContract, UndoContract):
    """All that the engine asks of a store; supply a fixture `store` that is empty."""

    def test_old_values_answers_and_jobs_are_tidied_away(self, store: Store) -> None:
        keep(store, put("a"), answers={"once": Answer("h", "a", "added", ())})
        set_value(store, "k", 1, ttl=timedelta(days=1))
        store.add_job(job("finished", state="done"))
        store.add_job(job("waiting"))

        store.tidy(now=NOW + timedelta(days=31))

        assert store.look(SPACE, answers=["once"]).answers == {}
        assert store.keys(SPACE, now=NOW) == []
        assert store.job(SPACE, "finished") is None
        assert store.job(SPACE, "waiting") is not None
        assert store.check() == []

    def test_recent_things_are_not_tidied_away(self, store: Store) -> None:
        keep(store, put("a"), answers={"once": Answer("h", "a", "added", ())})
        store.apply(SPACE, Change(answers={"read": Answer("h", "", "added", ())}, at=NOW), based_on=0)
        store.add_job(job("finished", state="done"))

        store.tidy(now=NOW + timedelta(days=6))

        assert store.look(SPACE, answers=["once", "read"]).answers.keys() == {"once", "read"}
        assert store.job(SPACE, "finished") is not None

    def test_a_backup_is_a_complete_store_and_never_overwrites(self, store: Store, tmp_path: Path) -> None:
        keep(store, put("a"))
        target = tmp_path / "copies" / "backup.db"

        store.backup(target)

        assert target.stat().st_size > 0
        assert list(target.parent.iterdir()) == [target]
        with pytest.raises(InvalidInput):
            store.backup(target)

    def test_a_sound_store_passes_its_check_and_has_a_size(self, store: Store) -> None:
        keep(store, put("a", vectors=b"v", key="k"), answers={"once": Answer("h", "a", "added", ())})
        keep(store, put("a", "b", keep_previous=True))

        assert store.check() == []
        assert store.size() > 0
        assert store.location

    def test_trying_to_write_changes_nothing(self, store: Store) -> None:
        keep(store, put("a"))
        before = store.head(SPACE)

        store.try_write()

        assert store.head(SPACE) == before
        assert store.check() == []

    def test_closing_twice_is_harmless(self, store: Store) -> None:
        store.close()
        store.close()
