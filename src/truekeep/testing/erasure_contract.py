"""What every store must do when something is forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from truekeep.model import JSON, Quotas, SpaceId
from truekeep.ports import Answer, Change, Charge, Head, Moved, NewVectors, Restored, Saying, Snapshot, Store, Withdrawn
from truekeep.testing.samples import EMBEDDER, LEASE, NOW, SPACE, claimed, job, keep, kept_job, put, set_value

OTHER = SpaceId("acme", "bot")


class ErasureContract:
    """Erasing, tombstones and markers; supply a fixture `store` that is empty."""

    def test_the_erased_are_gone_everywhere(self, store: Store) -> None:
        keep(store, put("a", "Tea", vectors=b"aa", key="k"), answers={"once": Answer("h", "a", "added", ())})
        keep(store, put("a", "Green tea", key="k", version=2, keep_previous=True))
        store.count_accesses({SPACE: {"a": 1}}, now=NOW)

        erased = store.erase(SPACE, ["a", "nobody"], now=NOW)

        assert (list(erased.ids), erased.remaining, erased.pending) == (["a"], 0, False)
        assert store.get(SPACE, ["a"]) == store.history(SPACE, "a") == list(store.versions(SPACE)) == []
        assert store.accesses(SPACE, ["a"]) == {}
        sight = store.look(SPACE, claims=[("k", NOW)], sayings=[Saying("tea"), Saying("green tea")], answers=["once"])
        assert (sight.by_key, sight.by_saying, sight.answers) == ({}, {}, {})
        assert sight.tombstoned == {"tea", "green tea"}

    def test_erasing_leaves_a_marker_in_the_changes(self, store: Store) -> None:
        seen = keep(store, put("a"), put("b")).head.seq

        store.erase(SPACE, ["a"], now=NOW)

        rows = store.changes(SPACE, after=seen, embedder=EMBEDDER).rows
        assert [(row.seq, row.id, row.item, row.vectors) for row in rows] == [(3, "a", None, None)]

    @pytest.mark.parametrize("limit", [1, 2, 3, 10])
    def test_what_comes_again_is_not_told_as_erased_and_hides_no_marker(self, store: Store, limit: int) -> None:
        seen = keep(store, *map(put, "abcd")).head.seq
        store.erase(SPACE, list("abcd"), now=NOW)
        store.restore(SPACE, [put("b", "another b"), put("a", "another a")], [])

        pages = [store.changes(SPACE, after=seen, limit=limit)]
        while pages[-1].more:
            pages.append(store.changes(SPACE, after=pages[-1].rows[-1].seq, limit=limit))

        told = [(row.id, row.item is not None) for page in pages for row in page.rows]
        assert told == [("c", False), ("d", False), ("b", True), ("a", True)]
        assert [len(page.rows) for page in pages[:-1]] == [limit] * (len(pages) - 1)

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

    @pytest.mark.parametrize("reopen", [False, True])
    def test_an_item_that_names_several_of_the_erased_is_still_sound(self, store: Store, reopen: bool) -> None:
        keep(
            store,
            put("old", superseded_by="middle", retired=NOW, until=NOW, reason="superseded by middle"),
            put("middle", suspected_by=("doubt", "other")),
            put("doubt", superseded_by="middle", retired=NOW, reason="superseded by middle"),
            put("other"),
            put("twice", superseded_by="doubt", suspected_by=("old",), retired=NOW),
        )

        erased = store.erase(SPACE, ["old", "doubt"], now=NOW, reopen=reopen)

        middle, twice = store.get(SPACE, ["middle", "twice"])
        assert (erased.remaining, middle.suspected_by, twice.suspected_by) == (0, ("other",), ())
        assert twice.superseded_by == ("middle" if reopen else None)
        assert store.check() == []
        assert [row.id for row in store.changes(SPACE, after=0).rows if row.item] == ["other", "twice", "middle"]

    def test_items_that_expire_together_may_be_named_by_one_that_stays(self, store: Store) -> None:
        keep(
            store,
            put("old", superseded_by="stays", retired=NOW, expires=NOW),
            put("stays", suspected_by=("doubt",)),
            put("doubt", expires=NOW),
        )

        erased = store.erase_expired(NOW)

        assert (erased, store.check()) == (2, [])
        assert [row.id for row in store.changes(SPACE, after=0).rows if row.item] == ["stays"]

    def test_an_answer_that_only_mentions_the_erased_keeps_its_key_taken(self, store: Store) -> None:
        keep(store, put("old"), put("new"), answers={"once": Answer("h", "new", "superseded", ("old", "x"))})

        store.erase(SPACE, ["old"], now=NOW)

        assert store.look(SPACE, answers=["once"]).answers == {"once": Answer("h", "new", "superseded", ("x",))}

    def test_wordings_go_along_with_what_superseded_them(self, store: Store) -> None:
        keep(
            store,
            put("first", "Tea, please", superseded_by="second", reason="said again"),
            put("second", "Some tea", superseded_by="third", reason="said again"),
            put("other", "Coffee", superseded_by="third", reason="changed"),
            put("third", "Tea"),
        )

        erased = store.erase(SPACE, ["third"], now=NOW, along=lambda item: item.reason == "said again")

        assert (sorted(erased.ids), erased.remaining) == (["first", "second", "third"], 0)
        assert [one.id for one in store.get(SPACE, ["first", "second", "other", "third"])] == ["other"]
        assert store.look(SPACE, sayings=[Saying("tea, please"), Saying("some tea"), Saying("coffee")]).tombstoned == {
            "tea, please",
            "some tea",
        }
        assert store.check() == []

    def test_what_a_job_brings_is_refused_once_the_job_was_erased_or_claimed_again(self, store: Store) -> None:
        for id in ("erased", "slow", "prompt"):
            store.add_job(job(id, payload={"session": id}))
        begun = {one.id: one for one in (claimed(store) for _ in "abc")}
        store.finish_job(replace(begun["prompt"], state="waiting"), now=NOW)
        again = claimed(store)
        store.erase_jobs(SPACE, session="erased")
        late = claimed(store, NOW + 2 * LEASE)

        kept = store.apply(SPACE, Change(puts=[put("a")]), based_on=0, job=again)
        for gone in begun.values():
            with pytest.raises(Withdrawn):
                store.apply(SPACE, Change(puts=[put("b")]), based_on=0, job=gone)
        store.erase_space(SPACE)
        with pytest.raises(Withdrawn):
            store.apply(SPACE, Change(puts=[put("c")]), based_on=0, job=late)

        assert (again.id, late.id) == ("prompt", "slow")
        assert [one.id for one in kept.items] == ["a"]
        assert store.changes(SPACE, after=0).rows == []

    def test_the_name_of_an_erased_space_is_not_told_and_can_be_used_again(self, store: Store) -> None:
        charge = Charge(now=NOW, quotas=Quotas(writes_per_day=10))
        store.apply(SPACE, Change(puts=[put("a")]), based_on=0, charge=charge)
        seen = store.head(SPACE)
        store.erase_space(SPACE)
        emptied = store.head(SPACE)

        assert (store.spaces("local"), store.usage("local"), store.check()) == ([], [], [])
        store.erase_space(SPACE)
        keep(store, put("b"))

        assert emptied.seq > seen.seq
        assert store.head(SPACE).seq > emptied.seq
        assert store.spaces("local") == [SPACE.name]
        assert [row.id for row in store.changes(SPACE, after=0).rows] == ["b"]
        assert store.check() == []

    def test_jobs_of_a_session_are_erased_and_others_stay(self, store: Store) -> None:
        store.add_job(job("gone", payload={"session": "s1", "messages": []}))
        store.add_job(job("stays", payload={"session": "s2", "messages": []}))

        wiped = store.erase_jobs(SPACE, session="s1")

        assert wiped
        assert store.job(SPACE, "gone") is None
        assert store.job(SPACE, "stays") is not None
        assert store.check() == []

    def test_an_erased_text_is_cut_out_of_jobs_and_the_rest_is_still_to_be_done(self, store: Store) -> None:
        text = 'she said "ü"\nonce'
        keep(store, put("a", text))
        messages: list[JSON] = [{"content": f"well, {text}! I know.", "role": "user"}, {"content": "And I like tea."}]
        store.add_job(job("waiting", payload={"session": "s", "messages": messages}))
        store.add_job(job("innocent"))

        erased = store.erase(SPACE, ["a"], now=NOW)

        waiting = kept_job(store, "waiting")
        assert kept_job(store, "innocent") == job("innocent")
        assert (erased.remaining, waiting.state) == (0, "waiting")
        assert waiting.payload == {
            "session": "s",
            "messages": [{"content": "well, …! I know.", "role": "user"}, {"content": "And I like tea."}],
        }
        assert claimed(store).id == "waiting"
        assert store.check() == []

    def test_a_job_that_is_over_loses_its_payload_with_an_erased_text(self, store: Store) -> None:
        keep(store, put("a", "Ana likes tea"))
        told: dict[str, JSON] = {"messages": [{"content": "Yes, Ana likes tea."}]}
        store.add_job(job("failed", state="failed", payload=told, result={"text": "Ana likes tea"}, error="no"))

        erased = store.erase(SPACE, ["a"], now=NOW)

        failed = kept_job(store, "failed")
        assert erased.remaining == 0
        assert (failed.state, failed.payload, failed.result, failed.error) == ("failed", {}, {"text": "…"}, "no")

    @pytest.mark.parametrize(
        ("text", "said", "left"),
        [
            ("on", "The only one: put it on, on and on!", "The only one: put it …, … and …!"),
            ("user", "user", "…"),
            ("(a)", "((a)a) b(a)", "(…a) b…"),
            ("…", "wait … what", "wait  what"),
            ("C++", "I like C++, not C++x", "I like …, not …x"),
            ("我喜欢茶", "昨天我喜欢茶了", "昨天…了"),
            ("nous", "nous, nousé, énous", "…, nousé, énous"),
            ("tea", 'tea\\n "tea"\ntea', '…\\n "…"\n…'),
        ],
    )
    def test_only_whole_texts_are_cut_out_of_jobs(self, store: Store, text: str, said: str, left: str) -> None:
        keep(store, put("a", text))
        store.add_job(job("j", payload={"session": text, "messages": [{"content": said, "role": text}]}))

        erased = store.erase(SPACE, ["a"], now=NOW)

        assert erased.remaining == 0
        assert kept_job(store, "j").payload == {"session": text, "messages": [{"content": left, "role": text}]}

    def test_a_tombstone_stops_derived_writes_until_somebody_says_it_again(self, store: Store) -> None:
        keep(store, put("a", "Tea"))
        store.erase(SPACE, ["a"], now=NOW)

        with pytest.raises(Moved):
            keep(store, put("b", "TEA", derived=True))
        with pytest.raises(Moved):
            keep(store, put("b", "TEA", derived=True, repeatable=True))
        restored = store.restore(SPACE, [put("c", "tea"), put("d", "milk")], [put("c", "earlier tea")])
        keep(store, put("e", "Tea"))

        assert restored == Restored(["c"], 0, 0, [])
        assert [one.id for one in store.get(SPACE, ["b", "c", "d", "e"])] == ["d", "e"]
        assert store.look(SPACE, sayings=[Saying("tea")]).tombstoned == frozenset()
        keep(store, put("f", "Tea", derived=True))

    def test_a_tombstone_stops_former_versions_too(self, store: Store) -> None:
        keep(store, put("a", "Tea"))
        store.erase(SPACE, ["a"], now=NOW)

        restored = store.restore(SPACE, [put("a", "Milk", version=3)], [put("a", "TEA"), put("a", "Cocoa", version=2)])

        assert restored == Restored([], 1, 1, [])
        assert [one.content for one in store.history(SPACE, "a")] == ["Cocoa", "Milk"]

    def test_erasing_restored_versions_leaves_their_tombstones(self, store: Store) -> None:
        store.restore(SPACE, [put("a", "Milk", version=2)], [put("a", "Tea")])

        store.erase(SPACE, ["a"], now=NOW)

        assert store.look(SPACE, sayings=[Saying("tea"), Saying("milk")]).tombstoned == {"tea", "milk"}

    def test_what_has_expired_is_erased_in_all_spaces_and_may_be_said_again(self, store: Store) -> None:
        late = NOW + timedelta(seconds=1)
        keep(store, put("early", "Tea", expires=NOW), put("late", expires=late), put("never"))
        keep(store, put("there", expires=NOW - timedelta(days=1)), put("stays"), space=OTHER)
        store.add_job(job("j", payload={"messages": ["I said: tea. Tea."]}))

        erased = [store.erase_expired(NOW, limit=1), store.erase_expired(NOW), store.erase_expired(NOW)]

        assert erased == [1, 1, 0]
        assert [row.id for row in store.changes(SPACE, after=0).rows if row.item] == ["late", "never"]
        assert [row.id for row in store.changes(OTHER, after=0).rows if row.item] == ["stays"]
        assert store.look(SPACE, sayings=[Saying("tea")]).tombstoned == frozenset()
        assert [one.id for one in keep(store, put("b", "Tea", derived=True)).items] == ["b"]
        assert kept_job(store, "j").payload == {"messages": ["I said: tea. …."]}
        assert store.check() == []

    def test_a_roll_back_makes_current_again_what_the_erased_had_superseded(self, store: Store) -> None:
        keep(
            store,
            put("old", superseded_by="bad", reason="superseded by bad", until=NOW, retired=NOW),
            put("bad", superseded_by="worse", until=NOW, retired=NOW),
            put("worse"),
        )
        seen = store.head(SPACE).seq

        store.erase(SPACE, ["bad", "worse"], now=NOW, reopen=True)

        [old] = store.get(SPACE, ["old"])
        assert old.is_current
        assert (old.until, old.retired, old.superseded_by, old.reason) == (None, None, None, None)
        assert {row.id for row in store.changes(SPACE, after=seen).rows} == {"old", "bad", "worse"}
        assert store.check() == []

    def test_a_roll_back_of_the_middle_joins_the_ends(self, store: Store) -> None:
        day = timedelta(days=1)
        keep(
            store,
            put("a", superseded_by="x", until=NOW + day, retired=NOW + day),
            put("x", superseded_by="b", when=NOW + day, until=NOW + 2 * day, retired=NOW + 3 * day),
            put("b", when=NOW + 2 * day),
        )

        store.erase(SPACE, ["x"], now=NOW, reopen=True)

        [a] = store.get(SPACE, ["a"])
        assert (a.superseded_by, a.until, a.retired) == ("b", NOW + 2 * day, NOW + 3 * day)
        assert a.reason == "superseded by b"
        assert [one.id for one in store.history(SPACE, "b")] == ["a", "b"]

    def test_a_roll_back_leaves_retired_what_had_ended_anyway(self, store: Store) -> None:
        later = NOW + timedelta(days=1)
        keep(store, put("a", superseded_by="x", until=NOW, retired=NOW), put("x", until=later, retired=later))

        store.erase(SPACE, ["x"], now=NOW, reopen=True)  # its own successor was forgotten before

        [a] = store.get(SPACE, ["a"])
        assert (a.superseded_by, a.until, a.retired) == (None, later, later)

    def test_an_erased_space_holds_nothing_and_its_seq_goes_on(self, store: Store) -> None:
        seen = keep(store, put("a", "Tea"), put("b")).head.seq
        set_value(store, "v", 1)
        store.add_job(job("j"))
        store.erase(SPACE, ["b"], now=NOW)

        erased = store.erase_space(SPACE)

        assert (list(erased.ids), erased.remaining) == (["a"], 0)
        assert store.changes(SPACE, after=0).rows == []
        assert store.value(SPACE, "v", now=NOW) is None
        assert store.waiting_jobs() == 0
        assert store.look(SPACE, sayings=[Saying("tea")]).tombstoned == frozenset()
        assert store.spaces("local") == []
        head = store.head(SPACE)
        assert head.seq > seen
        assert head.floor == head.seq

    def test_a_decision_from_before_the_space_was_erased_is_refused(self, store: Store) -> None:
        seen = keep(store, put("a")).head.seq
        store.erase_space(SPACE)

        with pytest.raises(Moved):
            store.apply(SPACE, Change(puts=[put("a", "again")]), based_on=seen)

    def test_what_was_made_of_a_space_and_comes_after_its_end_does_not_bring_its_name_back(self, store: Store) -> None:
        seen = keep(store, put("a")).head.seq
        store.erase_space(SPACE)

        late = [NewVectors(id="a", content="Tea", vectors=b"aa")]
        store.apply(SPACE, Change(vectors=late, embedder=EMBEDDER), based_on=seen)
        store.save_snapshot(SPACE, "index", Snapshot(seen, {"words": b"w"}))

        assert store.heads(SPACE.tenant) == {}
        assert store.load_snapshot(SPACE, "index") is None

    def test_a_decision_that_saw_nothing_adds_to_a_space_that_was_erased(self, store: Store) -> None:
        keep(store, put("a"))
        store.erase_space(SPACE)

        applied = store.apply(SPACE, Change(puts=[put("b")]), based_on=0)

        assert [one.id for one in applied.items] == ["b"]

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
