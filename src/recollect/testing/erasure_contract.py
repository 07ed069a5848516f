"""What every store must do when something is forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.ports import Answer, Change, Head, Moved, Snapshot, Store
from recollect.testing.samples import EMBEDDER, NOW, SPACE, item, job, keep, put


class ErasureContract:
    """Erasing, tombstones and markers; supply a fixture `store` that is empty."""

    def test_the_erased_are_gone_everywhere(self, store: Store) -> None:
        keep(store, put("a", "Tea", vectors=b"aa", key="k"), answers={"once": Answer("h", "a", "added", ())})
        keep(store, put("a", "Green tea", key="k", version=2, keep_previous=True))
        store.count_accesses(SPACE, {"a": 1}, now=NOW)

        erased = store.erase(SPACE, ["a", "nobody"], now=NOW)

        assert (list(erased.ids), erased.remaining, erased.pending) == (["a"], 0, False)
        assert store.get(SPACE, ["a"]) == store.history(SPACE, "a") == list(store.versions(SPACE)) == []
        assert store.accesses(SPACE, ["a"]) == {}
        sight = store.look(SPACE, keys=["k"], statements=["tea", "green tea"], answers=["once"])
        assert (sight.by_key, sight.by_statement, sight.answers) == ({}, {}, {})
        assert sight.tombstoned == {"tea", "green tea"}

    def test_erasing_leaves_a_marker_in_the_changes(self, store: Store) -> None:
        seen = keep(store, put("a"), put("b")).head.seq

        store.erase(SPACE, ["a"], now=NOW)

        rows = store.changes(SPACE, after=seen, embedder=EMBEDDER).rows
        assert [(row.seq, row.id, row.item, row.vectors) for row in rows] == [(3, "a", None, None)]

    def test_erasing_nothing_changes_nothing(self, store: Store) -> None:
        keep(store, put("a"))

        erased = store.erase(SPACE, ["nobody"], now=NOW)

        assert (list(erased.ids), erased.remaining) == ([], 0)
        assert store.head(SPACE) == Head(1, 0)

    def test_what_was_superseded_by_the_erased_stays_retired(self, store: Store) -> None:
        keep(store, put("new"), put("old", superseded_by="new", retired=NOW, until=NOW, reason="superseded by new"))
        seen = keep(store, put("older", superseded_by="new")).head.seq

        store.erase(SPACE, ["new"], now=NOW)

        old, older = store.get(SPACE, ["old", "older"])
        assert (old.superseded_by, old.retired, old.until, old.reason) == (None, NOW, NOW, None)
        assert not old.is_current
        assert not older.is_current
        assert {row.id for row in store.changes(SPACE, after=seen).rows} == {"new", "old", "older"}

    def test_an_answer_that_only_mentions_the_erased_keeps_its_key_taken(self, store: Store) -> None:
        keep(store, put("old"), put("new"), answers={"once": Answer("h", "new", "superseded", ("old", "x"))})

        store.erase(SPACE, ["old"], now=NOW)

        assert store.look(SPACE, answers=["once"]).answers == {"once": Answer("h", "new", "superseded", ("x",))}

    def test_jobs_of_a_session_are_erased_and_others_stay(self, store: Store) -> None:
        store.add_job(job("gone", payload={"session": "s1", "messages": []}))
        store.add_job(job("stays", payload={"session": "s2", "messages": []}))

        wiped = store.erase_jobs(SPACE, session="s1")

        assert wiped
        assert store.job(SPACE, "gone") is None
        assert store.job(SPACE, "stays") is not None
        assert store.check() == []

    def test_jobs_that_contain_an_erased_text_go_too(self, store: Store) -> None:
        text = 'she said "ü"\nonce'
        keep(store, put("a", text))
        store.add_job(job("telling", payload={"messages": [{"content": f"well, {text}!"}]}))
        store.add_job(job("innocent"))

        erased = store.erase(SPACE, ["a"], now=NOW)

        assert erased.remaining == 0
        assert store.job(SPACE, "telling") is None
        assert store.job(SPACE, "innocent") is not None

    def test_a_tombstone_stops_derived_writes_until_somebody_says_it_again(self, store: Store) -> None:
        keep(store, put("a", "Tea"))
        store.erase(SPACE, ["a"], now=NOW)

        with pytest.raises(Moved):
            keep(store, put("b", "TEA", derived=True))
        refused = store.restore(SPACE, [put("c", "tea"), put("d", "milk")], [item("c", "earlier tea")])
        keep(store, put("e", "Tea"))

        assert list(refused) == ["c"]
        assert [one.id for one in store.get(SPACE, ["b", "c", "d", "e"])] == ["d", "e"]
        assert store.look(SPACE, statements=["tea"]).tombstoned == frozenset()
        keep(store, put("f", "Tea", derived=True))

    def test_without_tombstones_nothing_is_stopped(self, store: Store) -> None:
        keep(store, put("a", "Tea"))

        store.erase(SPACE, ["a"], now=NOW, tombstones=False)

        assert store.look(SPACE, statements=["tea"]).tombstoned == frozenset()
        assert [one.id for one in keep(store, put("b", "Tea", derived=True)).items] == ["b"]

    def test_an_erased_space_holds_nothing_and_its_seq_goes_on(self, store: Store) -> None:
        seen = keep(store, put("a", "Tea"), put("b")).head.seq
        store.edit_value(SPACE, "v", lambda _: 1, now=NOW, ttl=None)
        store.add_job(job("j"))
        store.erase(SPACE, ["b"], now=NOW)

        erased = store.erase_space(SPACE)

        assert (list(erased.ids), erased.remaining) == (["a"], 0)
        assert store.changes(SPACE, after=0).rows == []
        assert store.value(SPACE, "v", now=NOW) is None
        assert store.waiting_jobs() == 0
        assert store.look(SPACE, statements=["tea"]).tombstoned == frozenset()
        assert store.spaces("local") == []
        head = store.head(SPACE)
        assert head.seq > seen
        assert head.floor == head.seq

    def test_a_decision_from_before_the_space_was_erased_is_refused(self, store: Store) -> None:
        seen = keep(store, put("a")).head.seq
        store.erase_space(SPACE)

        with pytest.raises(Moved):
            store.apply(SPACE, Change(puts=[put("a", "again")]), based_on=seen)

    def test_old_markers_are_purged_and_the_floor_rises(self, store: Store) -> None:
        keep(store, put("a"), put("b"), put("c"))
        store.erase(SPACE, ["a"], now=NOW)
        store.erase(SPACE, ["b"], now=NOW + timedelta(days=6))

        store.tidy(now=NOW + timedelta(days=8))

        assert store.head(SPACE) == Head(5, 4)
        assert [row.id for row in store.changes(SPACE, after=0).rows] == ["c", "b"]

    def test_a_snapshot_comes_back_as_it_was_saved(self, store: Store) -> None:
        keep(store, put("a"))
        parts = {"words": b"w" * 9_000_000, "empty": b"", "vectors": bytes(range(256))}

        store.save_snapshot(SPACE, "index", Snapshot(1, {"words": b"earlier"}))
        store.save_snapshot(SPACE, "index", Snapshot(1, parts))

        assert store.load_snapshot(SPACE, "index") == Snapshot(1, parts)
        assert store.load_snapshot(SPACE, "other") is None
        assert store.check() == []

    def test_erasing_drops_snapshots_and_those_made_of_an_older_state(self, store: Store) -> None:
        seq = keep(store, put("a"), put("b")).head.seq
        store.save_snapshot(SPACE, "index", Snapshot(seq, {"words": b"w"}))

        store.erase(SPACE, ["a"], now=NOW)
        store.save_snapshot(SPACE, "late", Snapshot(seq, {"words": b"w"}))

        assert store.load_snapshot(SPACE, "index") is None
        assert store.load_snapshot(SPACE, "late") is None
