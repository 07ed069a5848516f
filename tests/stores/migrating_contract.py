"""What a migration keeps, whatever the two stores are. Supply two fixtures: addresses of an empty store each."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from itertools import count
from typing import Any, cast

import pytest

from tests.stores.past import (
    ASKED,
    BOT,
    OTHER,
    CountingEmbedder,
    Stopped,
    derived,
    furnish,
    lived,
    rows_of,
    stopping_after,
    told,
    usage_of,
)
from truekeep import Memory
from truekeep.assembly import open_store
from truekeep.errors import Conflict
from truekeep.migrating import Migration, migrate
from truekeep.model import AccessKey, SpaceId
from truekeep.ports import Movable, Store
from truekeep.testing.fakes import FakeEmbedder, FixedClock
from truekeep.testing.samples import NOW, SPACE, keep, put


class MigratingContract:
    @pytest.fixture
    def source_at(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def target_at(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def stores(self, source_at: str, target_at: str) -> Any:
        with ExitStack() as stack:
            yield stack.enter_context(open_store(source_at)), stack.enter_context(open_store(target_at))

    def test_the_same_is_found_item_by_item_and_nothing_is_embedded_again(
        self, source_at: str, target_at: str, stores: tuple[Store, Store]
    ) -> None:
        lived(source_at)
        done = migrate(*stores)
        embedder = CountingEmbedder()
        clock = FixedClock(NOW + timedelta(days=3))

        with (
            Memory("bot", at=source_at, embedder=FakeEmbedder(16), clock=clock, background=False) as before,
            Memory("bot", at=target_at, embedder=embedder, clock=clock, background=False) as after,
        ):
            assert [told(after, query) for query in ASKED] == [told(before, query) for query in ASKED]
            assert "".join(after.export()) == "".join(before.export())
            assert after.review() == before.review()
            assert after.sessions() == before.sessions()
            items = before.items(include_superseded=True)
            ids = [item.id for item in items]
            assert [after.history(id) for id in ids] == [before.history(id) for id in ids]
        assert done.is_same
        assert len(items) > 10
        assert {item.content for item in items}.isdisjoint(embedder.seen)

    def test_every_row_is_there_and_back_again(self, source_at: str, stores: tuple[Store, Store]) -> None:
        source, target = stores
        lived(source_at)
        furnish(source)
        before = rows_of(source)

        there = migrate(source, target)
        for space in (BOT, OTHER, SpaceId.own("acme")):
            source.erase_space(space)
        back = migrate(target, source)

        assert rows_of(target) == rows_of(source) == before
        assert [copy.source_hash for copy in there.spaces] == [copy.target_hash for copy in back.spaces]
        assert (there.keys, there.usage, back.is_same) == (1, len(usage_of(source)), True)
        assert target.access_key(b"d" * 32) == source.access_key(b"d" * 32) is not None
        assert target.check() == source.check() == []

    def test_what_was_forgotten_and_what_was_answered_stay_so(
        self, source_at: str, target_at: str, stores: tuple[Store, Store]
    ) -> None:
        lived(source_at)
        migrate(*stores)

        with Memory("bot", at=target_at, embedder=FakeEmbedder(16), clock=FixedClock(), background=False) as memory:
            again = memory.remember("Ana drinks tea", key="ana/drink", idempotency_key="once")
            refused = stores[1].restore(BOT, [derived(put("new", "Robot 1 is in Dublin"))], ())

        assert again.replayed
        assert refused.refused == ["new"]

    def test_numbers_go_on_from_where_they_were(self, source_at: str, stores: tuple[Store, Store]) -> None:
        source, target = stores
        lived(source_at)
        migrate(source, target)
        head = source.head(BOT)

        new = [keep(store, put("z", "more"), space=BOT).items[0].seq for store in stores]
        values = [store.edit_value(BOT, "n", lambda _: 1, now=NOW, ttl=None) for store in stores]

        assert new == [head.seq + 1] * 2
        assert values[0] == values[1]

    def test_an_interrupted_copy_goes_on(self, source_at: str, stores: tuple[Store, Store]) -> None:
        source, target = stores
        lived(source_at)
        furnish(source)
        steps: list[int] = []
        for calls in (1, 2, 1):
            with pytest.raises(Stopped):
                migrate(source, target, tell=stopping_after(calls))
        with cast(Movable, target).viewed() as view:
            so_far = sum(view.counts(OTHER).values())

        done = migrate(source, target, tell=lambda space, rows, _: steps.append(rows) if space == OTHER else None)

        assert done.is_same
        assert rows_of(target) == rows_of(source)
        assert steps == sorted(steps)
        assert all(rows > so_far > 0 for rows in steps), "it began anew"
        assert target.check() == []

    def test_a_copy_whose_source_has_changed_since_is_begun_anew(self, stores: tuple[Store, Store]) -> None:
        source, target = stores
        keep(source, put("a", "tea"), put("b", "coffee"))
        with pytest.raises(Stopped):
            migrate(source, target, tell=stopping_after(1))
        source.erase(SPACE, ["a"], now=NOW)
        keep(source, put("c", "milk"))

        done = migrate(source, target)

        assert done.is_same
        assert rows_of(target) == rows_of(source)
        assert target.check() == []

    def test_a_complete_copy_is_left_alone(self, stores: tuple[Store, Store]) -> None:
        keep(stores[0], put("a", "tea"))
        migrate(*stores)
        before = rows_of(stores[1])

        again = migrate(*stores)

        assert [copy.outcome for copy in again.spaces] == ["was there"]
        assert rows_of(stores[1]) == before

    def test_a_space_that_holds_something_else_is_refused_before_anything_is_written(
        self, stores: tuple[Store, Store]
    ) -> None:
        source, target = stores
        furnish(source)
        keep(source, put("a", "tea"))
        keep(target, put("b", "coffee"))
        before = rows_of(target)

        with pytest.raises(Conflict, match="'bot'"):
            migrate(source, target)

        assert rows_of(target) == before
        assert not target.has_access_keys()

    def test_an_unfinished_copy_of_another_store_is_refused(self, stores: tuple[Store, Store]) -> None:
        source, target = stores
        keep(source, put("a", "tea"))
        with open_store(":memory:") as another:
            keep(another, put("a", "tea"))
            with pytest.raises(Stopped):
                migrate(another, target, tell=stopping_after(1))

        with pytest.raises(Conflict, match="'bot'"):
            migrate(source, target)

    def test_a_store_in_use_recognises_what_it_takes_in(self, stores: tuple[Store, Store], target_at: str) -> None:
        source, target = stores
        keep(source, put("a", "Ana drinks tea"), put("b", "coffee"))
        keep(target, put("x", "other"), space=OTHER)

        done = migrate(source, target)

        assert (done.rekeyed, done.is_same) == (True, True)
        with Memory("bot", at=target_at, embedder=FakeEmbedder(16), background=False) as memory:
            assert memory.remember("Ana drinks tea!").outcome == "reinforced"

    def test_tombstones_stay_behind_only_on_purpose(self, stores: tuple[Store, Store]) -> None:
        source, target = stores
        keep(source, put("a", "tea"), put("b", "coffee"))
        source.erase(SPACE, ["a"], now=NOW)
        keep(target, put("x", "other"), space=OTHER)
        with pytest.raises(Conflict, match="leave-tombstones"):
            migrate(source, target)
        assert target.spaces(SPACE.tenant) == []

        done = migrate(source, target, leave_tombstones=True)

        assert (done.left, done.is_same) == (1, True)
        assert target.check() == []

    def test_what_is_written_to_the_source_meanwhile_is_not_in_the_copy(self, stores: tuple[Store, Store]) -> None:
        source, target = stores
        keep(source, put("a", "tea"), put("b", "coffee"))
        before = rows_of(source)
        more = count()

        def writing(space: SpaceId, done: int, total: int) -> None:
            keep(source, put(f"n{next(more)}"))

        done = migrate(source, target, tell=writing)

        assert done.is_same
        assert rows_of(target) == before

    def test_a_target_that_is_written_to_meanwhile_is_noticed(self, stores: tuple[Store, Store]) -> None:
        source, target = stores
        keep(source, put("a", "tea", vectors=b"1234"), put("b", "coffee"))

        done = migrate(source, target, tell=lambda *_: target.count_accesses({SPACE: {"a": 1}}, now=NOW))

        assert not done.is_same
        assert [copy.outcome for copy in done.spaces] == ["differs"]
        assert done.spaces[0].source_hash != done.spaces[0].target_hash

    def test_another_key_with_the_same_id_is_refused_and_counts_are_never_lowered(
        self, stores: tuple[Store, Store]
    ) -> None:
        source, target = stores
        furnish(source)
        target.count_usage("acme", {("key:k", "recalls", "2026-11"): 9})
        target.add_access_key(AccessKey(id="k", tenant="acme", name="x", scopes=(), created=NOW), b"x" * 32)
        with pytest.raises(Conflict, match="'k'"):
            migrate(source, target)
        target.remove_access_key(None, "k")

        done = migrate(source, target)

        assert done.is_same
        assert [one.count for one in target.usage("acme", periods=["2026-11"])] == [9]

    def test_a_dry_run_says_what_would_be_copied_and_copies_nothing(self, stores: tuple[Store, Store]) -> None:
        furnish(stores[0])

        done = migrate(*stores, dry_run=True)

        assert isinstance(done, Migration)
        assert [(copy.space, copy.rows["items"], copy.outcome) for copy in done.spaces] == [
            (OTHER, 2, "to copy"),
            (SpaceId.own("acme"), 0, "to copy"),
        ]
        assert (done.keys, done.usage) == (1, 1)
        assert rows_of(stores[1]) == {}
        assert not stores[1].has_access_keys()
