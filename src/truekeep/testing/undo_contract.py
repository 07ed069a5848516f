"""The part of a store's contract that is about checkpoints; supply a fixture `store` that is empty."""

from __future__ import annotations

from datetime import timedelta

import pytest

from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.model import JSON, SpaceId
from truekeep.ports import Change, Difference, Moved, NewVectors, Saying, Store
from truekeep.testing.samples import EMBEDDER, NOW, SPACE, keep, put


def texts(found: Difference) -> list[tuple[str | None, ...]]:
    """What items say at the one moment and at the other."""
    return [tuple(one.content if one else None for one in pair) for pair in found.items]


def edit(store: Store, key: str, value: JSON, space: SpaceId = SPACE) -> None:
    store.edit_value(space, key, lambda _: value, now=NOW, ttl=None)


class UndoContract:
    """Moments with a name, and what was kept of them."""

    def test_checkpoints_are_listed_from_the_oldest_on(self, store: Store) -> None:
        assert store.checkpoints(SPACE) == []

        first = store.add_checkpoint(SPACE, "z first", now=NOW)
        keep(store, put("a"))
        second = store.add_checkpoint(SPACE, "a second", now=NOW + timedelta(days=1))

        assert store.checkpoints(SPACE) == [first, second]
        assert (first.name, first.seq, second.seq, second.at) == ("z first", 0, 1, NOW + timedelta(days=1))
        assert store.checkpoints(SpaceId("other", SPACE.name)) == []

    def test_a_name_is_taken_once(self, store: Store) -> None:
        store.add_checkpoint(SPACE, "one", now=NOW)

        with pytest.raises(Conflict, match="'one'"):
            store.add_checkpoint(SPACE, "one", now=NOW)

    def test_without_a_checkpoint_no_row_is_filed(self, store: Store) -> None:
        keep(store, put("a", "one"))
        keep(store, put("a", "two"))

        assert list(store.versions(SPACE)) == []

    def test_a_row_is_filed_once_for_a_checkpoint(self, store: Store) -> None:
        keep(store, put("a", "one"))
        store.add_checkpoint(SPACE, "c", now=NOW)

        for text in ("two", "three", "four"):
            keep(store, put("a", text))

        assert [one.content for one in store.versions(SPACE)] == ["one"]
        assert texts(store.difference(SPACE, "c")) == [("one", "four")]

    def test_a_difference_tells_items_as_they_were_at_both_moments(self, store: Store) -> None:
        keep(store, put("a", "one"), put("b", "stays"), put("c", "gone"))
        store.add_checkpoint(SPACE, "first", now=NOW)
        keep(store, put("a", "two", version=2, keep_previous=True), put("d", "new"))
        store.add_checkpoint(SPACE, "second", now=NOW)
        keep(store, put("a", "three"), put("e", "newest"))
        store.erase(SPACE, ["c"], now=NOW)

        between = store.difference(SPACE, "first", "second")
        whole = store.difference(SPACE, "first")

        assert (texts(between), between.erased) == ([(None, "new"), ("one", "two")], 0)
        assert (sorted(texts(whole), key=str), whole.erased) == (
            [("one", "three"), (None, "new"), (None, "newest")],
            1,
        )
        assert whole.head == store.head(SPACE)
        assert texts(store.difference(SPACE, "second", "second")) == []

    def test_the_earlier_moment_comes_first(self, store: Store) -> None:
        store.add_checkpoint(SPACE, "first", now=NOW)
        keep(store, put("a"))
        store.add_checkpoint(SPACE, "second", now=NOW)

        with pytest.raises(InvalidInput, match="until"):
            store.difference(SPACE, "second", "first")
        with pytest.raises(NotFound, match="'third'"):
            store.difference(SPACE, "first", "third")

    def test_vectors_that_are_made_later_change_nothing_that_is_told(self, store: Store) -> None:
        keep(store, put("a", "one"))
        store.add_checkpoint(SPACE, "c", now=NOW)

        made = NewVectors(id="a", content="one", vectors=b"1")
        store.apply(SPACE, Change(vectors=[made], embedder=EMBEDDER), based_on=store.head(SPACE).seq)

        [(before, after)] = store.difference(SPACE, "c").items
        assert before is not None
        assert after is not None
        assert before.content == after.content == "one"

    def test_versions_that_were_imported_are_of_no_moment(self, store: Store) -> None:
        keep(store, put("other"))
        store.add_checkpoint(SPACE, "c", now=NOW)

        store.restore(SPACE, [put("a", "present", version=2)], [put("a", "former")])

        assert texts(store.difference(SPACE, "c")) == [(None, "present")]

    def test_what_is_erased_is_in_no_difference(self, store: Store) -> None:
        keep(store, put("a", "one"), put("b", "two"))
        store.add_checkpoint(SPACE, "c", now=NOW)
        keep(store, put("a", "changed", version=2, keep_previous=True), put("b", "two", superseded_by="a"))

        store.erase(SPACE, ["a"], now=NOW)

        found = store.difference(SPACE, "c")
        assert (texts(found), found.erased) == ([("two", "two")], 1)
        assert "a" not in {one.superseded_by for one in store.versions(SPACE)}

    def test_erased_items_are_counted_when_their_markers_are_gone(self, store: Store) -> None:
        keep(store, put("a"), put("b"))
        store.erase(SPACE, ["a"], now=NOW)
        store.add_checkpoint(SPACE, "c", now=NOW)
        store.erase(SPACE, ["b"], now=NOW)

        store.tidy(now=NOW + timedelta(days=30))

        assert store.difference(SPACE, "c").erased == 1

    def test_values_are_told_as_they_were(self, store: Store) -> None:
        for key in ("changed", "deleted", "stays"):
            edit(store, key, "old")
        store.add_checkpoint(SPACE, "first", now=NOW)
        edit(store, "changed", "new")
        edit(store, "deleted", None)
        edit(store, "added", 1)
        store.add_checkpoint(SPACE, "second", now=NOW)
        edit(store, "changed", "newest")
        edit(store, "deleted", "again")

        def told(until: str | None) -> dict[str, tuple[JSON, ...]]:
            found = store.difference(SPACE, "first", until).values
            return {key: tuple(one.value if one else None for one in pair) for key, *pair in found}

        assert told("second") == {"changed": ("old", "new"), "deleted": ("old", None), "added": (None, 1)}
        assert told(None) == {"changed": ("old", "newest"), "deleted": ("old", "again"), "added": (None, 1)}

    def test_former_values_go_with_the_last_checkpoint_that_knew_them(self, store: Store) -> None:
        edit(store, "k", "one")
        store.add_checkpoint(SPACE, "first", now=NOW)
        edit(store, "k", "two")
        store.add_checkpoint(SPACE, "second", now=NOW)
        edit(store, "k", "three")
        [size] = store.overview(SPACE.tenant)

        store.drop_checkpoint(SPACE, "first")

        assert store.overview(SPACE.tenant)[0].bytes < size.bytes
        assert [before and before.value for _, before, _ in store.difference(SPACE, "second").values] == ["two"]
        assert [one.name for one in store.checkpoints(SPACE)] == ["second"]
        assert store.check() == []
        with pytest.raises(NotFound):
            store.drop_checkpoint(SPACE, "first")

    def test_a_copy_keeps_what_was_forgotten_where_it_comes_from(self, store: Store) -> None:
        copy, again = SpaceId(SPACE.tenant, "copy"), SpaceId(SPACE.tenant, "copy of the copy")
        keep(store, put("a", "secret"))
        store.erase(SPACE, ["a"], now=NOW)
        for space, origin in ((copy, SPACE), (again, copy)):
            made = store.add_checkpoint(space, "forked", now=NOW, origin=origin.name)
            assert made.origin == origin.name

            with pytest.raises(Moved):
                keep(store, put("b", "secret", derived=True), space=space)
            assert store.restore(space, [put("b", "secret")], []).refused == ["b"]
            assert store.look(space, sayings=[Saying("secret")]).tombstoned == {"secret"}

        keep(store, put("c", "secret"), space=copy)
        keep(store, put("b", "secret", derived=True), space=copy)

    def test_an_erased_space_has_no_checkpoints(self, store: Store) -> None:
        edit(store, "k", "one")
        store.add_checkpoint(SPACE, "c", now=NOW)
        edit(store, "k", "two")

        store.erase_space(SPACE)

        assert store.checkpoints(SPACE) == []
        assert store.check() == []
