"""What every store must do with items."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from truekeep.model import MemoryItem, Source, SpaceId
from truekeep.ports import Answer, Change, Head, Moved, NewVectors, Restored, Saying, Store
from truekeep.testing.samples import EMBEDDER, NOW, SPACE, keep, put

OTHER = SpaceId(SPACE.tenant, "other")
FOREIGN = SpaceId("acme", SPACE.name)
FULL = MemoryItem(
    id="full",
    content="Ana trägt 日本語 🎈\nand\ttabs",
    kind="preference",
    tags=("z", "a", "ü"),
    metadata={"z": 1, "a": [1.5, -0.0, 1e300, 2**70, None, True, {"k": "é\u2028"}], "": ""},
    source=Source(name="import:notes", speaker="Ana", role="user", session="s1", message="m9", trust="tool"),
    key="ana/language",
    pinned=True,
    created=datetime(2025, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    updated=datetime(2025, 2, 2, 3, 4, 5, 1, tzinfo=UTC),
    when=datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    until=datetime(2026, 1, 1, tzinfo=UTC),
    retired=datetime(2026, 1, 2, tzinfo=UTC),
    expires=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    superseded_by="other",
    reason="because",
    version=7,
    reinforced=3,
    redacted=("card", "key"),
)


class ItemsContract:
    """Reading and writing; supply a fixture `store` that is empty."""

    def test_an_empty_space_has_nothing(self, store: Store) -> None:
        page = store.changes(SPACE, after=0)

        assert store.head(SPACE) == Head(0, 0)
        assert (page.rows, page.more) == ([], False)
        assert store.get(SPACE, ["x"]) == []
        assert store.history(SPACE, "x") == []
        assert store.look(SPACE, claims=[("k", NOW)], sayings=[Saying("s")], answers=["a"]).by_key == {}
        assert store.replaced_by(SPACE, "x") == []

    def test_every_field_of_an_item_comes_back_as_it_was(self, store: Store) -> None:
        applied = store.apply(SPACE, Change(puts=[put("x"), replace(put("y"), item=FULL)]), based_on=0)

        assert store.get(SPACE, ["full"]) == [replace(FULL, seq=2)]
        assert list(store.get(SPACE, ["full"])[0].metadata) == ["z", "a", ""]
        assert list(applied.items) == store.get(SPACE, ["x", "full"])

    def test_times_of_other_zones_are_the_same_moment(self, store: Store) -> None:
        noon = datetime(2026, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))

        keep(store, put("x", created=noon))

        assert store.get(SPACE, ["x"])[0].created == NOW

    def test_items_come_in_the_order_of_the_ids_without_the_missing_ones(self, store: Store) -> None:
        keep(store, put("a"), put("b"), put("c"))

        found = store.get(SPACE, ["c", "nobody", "a"])

        assert [one.id for one in found] == ["c", "a"]

    def test_spaces_and_tenants_do_not_see_each_other(self, store: Store) -> None:
        others = [SpaceId("local", "other"), SpaceId("acme", "bot")]

        keep(store, put("x", "mine"))
        keep(store, put("x", "theirs"), space=others[0])

        assert store.get(SPACE, ["x"])[0].content == "mine"
        assert store.get(others[0], ["x"])[0].content == "theirs"
        assert store.get(others[1], ["x"]) == []
        assert store.look(others[0], sayings=[Saying("mine")]).by_saying == {}
        assert store.spaces("local") == ["bot", "other"]
        assert store.spaces("acme") == []

    def test_changes_are_the_latest_states_in_order_of_seq(self, store: Store) -> None:
        keep(store, put("a"), put("b", vectors=b"bb"), put("c"))
        keep(store, put("a", "changed", version=2))

        page = store.changes(SPACE, after=0, embedder=EMBEDDER)
        later = store.changes(SPACE, after=3)

        assert [(row.seq, row.id, row.vectors) for row in page.rows] == [
            (2, "b", b"bb"),
            (3, "c", None),
            (4, "a", None),
        ]
        assert [row.item and row.item.content for row in later.rows] == ["changed"]
        assert page.head == store.head(SPACE) == Head(4, 0)

    def test_changes_come_in_pages(self, store: Store) -> None:
        keep(store, *(put(f"i{number}") for number in range(5)))

        first = store.changes(SPACE, after=0, limit=3)
        rest = store.changes(SPACE, after=first.rows[-1].seq, limit=3)

        assert ([row.seq for row in first.rows], first.more) == ([1, 2, 3], True)
        assert ([row.seq for row in rest.rows], rest.more) == ([4, 5], False)

    def test_vectors_of_another_embedder_are_not_given(self, store: Store) -> None:
        keep(store, put("a", vectors=b"aa"))

        assert store.changes(SPACE, after=0, embedder="another").rows[0].vectors is None
        assert store.changes(SPACE, after=0).rows[0].vectors is None

    def test_look_finds_by_key_statement_and_idempotency_key(self, store: Store) -> None:
        answer = Answer("hash", "new", "superseded", ("old",))
        keep(store, put("new", "Tea", key="ana/drink", when=NOW + timedelta(days=1)), answers={"once": answer})
        keep(store, put("old", "Coffee", key="ana/drink", retired=NOW, superseded_by="new"))
        claims = [("ana/drink", NOW), ("no", NOW)]
        sayings = [Saying("tea"), Saying("milk"), Saying("coffee")]

        sight = store.look(SPACE, claims=claims, sayings=sayings, answers=["once", "twice"])

        assert [one.id for one in sight.by_key["ana/drink"]] == ["old", "new"]
        assert {said: [one.id for one in found] for said, found in sight.by_saying.items()} == {sayings[0]: ["new"]}
        assert sight.answers == {"once": answer}
        assert sight.head == store.head(SPACE)

    def test_of_a_long_line_of_claims_only_those_around_a_time_are_told(self, store: Store) -> None:
        times = [NOW + timedelta(days=day) for day in range(10)]
        keep(store, *(put(f"d{day}", key="k", when=times[day], until=times[day + 1]) for day in range(9) if day != 4))
        keep(store, put("end", key="k", when=times[9]), put("long", key="k", when=times[0], until=times[6]))
        expected = {
            times[0] - timedelta(days=1): {"end", "d0"},  # the latest, and the first afterwards: the shorter one
            times[2]: {"end", "d2", "d3", "long"},
            times[4] + timedelta(hours=1): {"end", "d3", "d5", "long"},  # a gap
            times[7]: {"end", "d7", "d8"},
            times[9] + timedelta(days=9): {"end"},
        }

        told = {time: store.look(SPACE, claims=[("k", time)]).by_key["k"] for time in expected}

        assert {time: {one.id for one in found} for time, found in told.items()} == expected
        for found in told.values():
            assert list(found) == sorted(found, key=lambda one: one.when)

    def test_whatever_holds_when_the_latest_claim_begins_is_told_too(self, store: Store) -> None:
        late, later = NOW + timedelta(days=1), NOW + timedelta(days=2)
        keep(store, put("latest", key="k", when=late, until=late), put("holds", key="k", when=NOW, until=later))

        sight = store.look(SPACE, claims=[("k", NOW - timedelta(days=1))])

        assert {one.id for one in sight.by_key["k"]} == {"latest", "holds"}

    def test_of_many_equal_statements_the_last_changed_are_told(self, store: Store) -> None:
        keep(store, *(put(f"i{number}", "Thanks", key=f"k{number}") for number in range(20)))
        keep(store, put("i0", "Thanks", key="k0", pinned=True), put("record", "Thanks", repeatable=True))

        found = store.look(SPACE, sayings=[Saying("thanks")]).by_saying[Saying("thanks")]

        assert [one.id for one in found] == ["i0", *(f"i{number}" for number in range(19, 4, -1))]

    def test_what_many_say_is_found_for_each_of_them(self, store: Store) -> None:
        sources = [Source(name=name, speaker=speaker) for name in (None, "wiki") for speaker in (None, *"abcdefghij")]
        puts = [put(f"i{number}", "Thanks", source=source) for number, source in enumerate(sources * 2)]
        keep(store, *puts)

        found = store.look(
            SPACE, sayings=[Saying("thanks", one.name, one.speaker) for one in reversed(sources)]
        ).by_saying

        for source in sources:
            told = found[Saying("thanks", source.name, source.speaker)]
            own = [one.item.id for one in reversed(puts) if one.item.source == source]
            if source.speaker is not None:
                assert [one.id for one in told] == own
            else:  # of any speakers, those without one among them
                assert (len(told), {one.source.name for one in told}) == (16, {source.name})
                assert {one.id for one in told} > set(own)

    def test_equal_records_do_not_stand_in_each_others_way(self, store: Store) -> None:
        keep(store, put("fact", "Thanks"), put("one", "Thanks", repeatable=True))

        applied = store.apply(SPACE, Change(puts=[put("two", "Thanks", repeatable=True)]), based_on=0)
        with pytest.raises(Moved):
            store.apply(SPACE, Change(puts=[put("other", "Thanks")]), based_on=0)

        assert [one.id for one in applied.items] == ["two"]

    def test_a_statement_that_only_records_have_is_new(self, store: Store) -> None:
        keep(store, put("one", "Thanks", repeatable=True), put("retired", "Thanks", retired=NOW))

        applied = store.apply(SPACE, Change(puts=[put("fact", "Thanks")]), based_on=0)

        assert [one.id for one in applied.items] == ["fact"]

    def test_what_an_item_superseded_is_told_latest_first(self, store: Store) -> None:
        early = NOW - timedelta(days=1)
        keep(store, put("new"), put("b", superseded_by="new"), put("a", superseded_by="new", when=early), put("other"))

        found = store.replaced_by(SPACE, "new", limit=5)

        assert [one.id for one in found] == ["b", "a"]
        assert store.replaced_by(SPACE, "new") == found[:1]
        assert store.replaced_by(SPACE, "a") == []

    def test_a_change_is_refused_when_its_claim_key_was_written_meanwhile(self, store: Store) -> None:
        seen = keep(store, put("x")).head.seq
        keep(store, put("a", key="ana/drink"))

        with pytest.raises(Moved):
            store.apply(SPACE, Change(puts=[put("b", key="ana/drink")]), based_on=seen)

        assert store.get(SPACE, ["b"]) == []

    def test_a_change_is_refused_when_its_statement_was_written_meanwhile(self, store: Store) -> None:
        keep(store, put("a", "Tea"))

        with pytest.raises(Moved):
            store.apply(SPACE, Change(puts=[put("b", "TEA")]), based_on=0)

    @pytest.mark.parametrize("how", ["changed", "erased"])
    def test_a_change_is_refused_when_what_it_replaces_moved(self, store: Store, how: str) -> None:
        seen = keep(store, put("a", "one")).head.seq
        if how == "changed":
            keep(store, put("a", "two"))
        else:
            store.erase(SPACE, ["a"], now=NOW)

        with pytest.raises(Moved):
            store.apply(SPACE, Change(puts=[put("a", "three")]), based_on=seen)

    def test_unrelated_changes_do_not_matter(self, store: Store) -> None:
        seen = keep(store, put("a", key="k")).head.seq
        keep(store, put("b", key="other"))

        applied = store.apply(SPACE, Change(puts=[put("a", "again", key="k")]), based_on=seen)

        assert applied.head.seq == 3

    def test_a_refused_change_leaves_nothing_at_all(self, store: Store) -> None:
        keep(store, put("a", "Tea"))
        change = Change(puts=[put("new"), put("b", "tea")], answers={"once": Answer("h", "new", "added", ())})

        with pytest.raises(Moved):
            store.apply(SPACE, change, based_on=0)

        assert store.head(SPACE) == Head(1, 0)
        assert store.get(SPACE, ["new"]) == []
        assert store.look(SPACE, answers=["once"]).answers == {}

    def test_an_idempotency_key_is_taken_once(self, store: Store) -> None:
        answer = Answer("h", "a", "added", ())
        keep(store, put("a"), answers={"once": answer})

        with pytest.raises(Moved):
            keep(store, put("b"), answers={"once": answer})

        assert store.get(SPACE, ["b"]) == []

    def test_vectors_made_later_reach_whoever_asks_for_changes(self, store: Store) -> None:
        seen = keep(store, put("a", "one"), put("b")).head.seq
        vectors = [
            NewVectors(id="a", content="one", vectors=b"aa"),
            NewVectors(id="gone", content="two", vectors=b"xx"),
        ]

        store.apply(SPACE, Change(vectors=vectors, embedder=EMBEDDER), based_on=0)

        rows = store.changes(SPACE, after=seen, embedder=EMBEDDER).rows
        assert [(row.id, row.vectors) for row in rows] == [("a", b"aa")]

    @pytest.mark.parametrize("version", [1, 2])
    def test_vectors_of_a_former_text_are_not_kept(self, store: Store, version: int) -> None:
        keep(store, put("a", "one", vectors=b"one"))
        keep(store, put("a", "another text", version=version))  # 1: as an import may bring it
        vectors = [NewVectors(id="a", content="one", vectors=b"one")]

        store.apply(SPACE, Change(vectors=vectors, embedder=EMBEDDER), based_on=0)

        assert store.changes(SPACE, after=0, embedder=EMBEDDER).rows[0].vectors is None

    def test_vectors_that_two_have_made_are_kept_once(self, store: Store) -> None:
        keep(store, put("a", "one"))
        change = Change(vectors=[NewVectors(id="a", content="one", vectors=b"one")], embedder=EMBEDDER)
        first = store.apply(SPACE, change, based_on=0)

        second = store.apply(SPACE, change, based_on=0)
        other = store.apply(SPACE, replace(change, embedder="another"), based_on=0)

        assert (second.head, other.head.seq) == (first.head, first.head.seq + 1)
        assert [applied.vectors for applied in (first, second, other)] == [1, 0, 1]

    def test_vectors_stay_when_only_the_state_changes(self, store: Store) -> None:
        keep(store, put("a", vectors=b"one"))
        keep(store, put("a", retired=NOW))

        assert store.changes(SPACE, after=0, embedder=EMBEDDER).rows[0].vectors == b"one"

    def test_history_is_the_chain_of_supersession_with_all_versions(self, store: Store) -> None:
        late = NOW + timedelta(days=1)
        keep(store, put("a", "one"), put("unrelated"))
        keep(store, put("a", "two", version=2, keep_previous=True))
        keep(store, put("b", "three", created=NOW - timedelta(days=9)), put("a", "two", version=2, superseded_by="b"))
        keep(store, put("c", "four", created=late), put("b", "three", superseded_by="c", keep_previous=True))

        for id in ("a", "b", "c"):
            contents = [one.content for one in store.history(SPACE, id)]
            assert contents == ["one", "two", "three", "three", "four"]
        assert [one.content for one in store.versions(SPACE)] == ["one", "three"]

    def test_what_is_restored_is_as_it_was(self, store: Store) -> None:
        former = put("a", "former", seq=5)

        restored = [store.restore(SPACE, [put("a", "present", version=2)], [former, put("orphan")]) for _ in "12"]

        assert restored == [Restored([], 1, 0, []), Restored([], 0, 0, ["a"])]
        assert [one.content for one in store.history(SPACE, "a")] == ["former", "present"]
        assert list(store.versions(SPACE)) == [former.item]

    def test_what_is_here_and_at_least_as_new_is_not_restored(self, store: Store) -> None:
        late = NOW + timedelta(days=1)
        keep(store, put("newer", "kept", updated=late), put("older", "old"), put("retired", "gone", retired=NOW))
        seq = store.head(SPACE).seq

        restored = store.restore(
            SPACE, [put("newer", "lost"), put("older", "new", updated=late), put("retired", "gone")], []
        )

        assert restored.unchanged == ["newer", "retired"]
        assert [one.content for one in store.get(SPACE, ["newer", "older"])] == ["kept", "new"]
        assert [row.id for row in store.changes(SPACE, after=seq).rows] == ["older"]

    def test_accesses_are_added_up_without_changing_seq(self, store: Store) -> None:
        keep(store, put("a"), put("b"))

        for _ in range(2):
            store.count_accesses({SPACE: {"a": 2, "gone": 1}}, now=NOW)

        assert store.accesses(SPACE, ["a", "b", "gone"]) == {"a": 4}
        assert store.head(SPACE).seq == 2

    def test_accesses_of_many_spaces_and_tenants_are_counted_at_once(self, store: Store) -> None:
        for space in (SPACE, OTHER, FOREIGN):
            keep(store, put("a"), space=space)
        unknown = SpaceId("nobody", "nowhere")
        counts = {SPACE: {"a": 1}, OTHER: {"a": 2}, FOREIGN: {"a": 3, "gone": 1}, unknown: {"a": 1}}

        store.count_accesses(counts, now=NOW)
        store.count_accesses({SPACE: {}, OTHER: {"a": 1}}, now=NOW)
        store.count_accesses({}, now=NOW)

        assert [store.accesses(space, ["a"]) for space in (SPACE, OTHER, FOREIGN)] == [{"a": 1}, {"a": 3}, {"a": 3}]
        assert store.accesses(unknown, ["a"]) == {}

    def test_accesses_are_told_by_day_for_a_month(self, store: Store) -> None:
        keep(store, put("a"))
        for days in (0, 0, 1, 29, 40):
            store.count_accesses({SPACE: {"a": 2, "gone": 1}}, now=NOW + timedelta(days=days))
        store.count_accesses({SPACE: {"a": 5}}, now=NOW + timedelta(days=40), is_past=True)

        told = {(NOW + timedelta(days=days)).date().isoformat(): 2 for days in (29, 40)}
        assert store.accesses_by_day(SPACE, "a") == told
        assert store.accesses(SPACE, ["a"]) == {"a": 15}
        assert store.accesses_by_day(SPACE, "gone") == {}
