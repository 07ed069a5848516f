from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from truekeep.index import cache as cache_module
from truekeep.index.cache import BUDGET, IndexCache
from truekeep.index.space_index import SpaceIndex
from truekeep.model import SpaceId
from truekeep.ports import Change, Head, Page, Put, Snapshot
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing import samples

from .rows import DIMENSION, NOW, found, packed, vectors_of

SPACE = SpaceId("local", "bot")
OTHER = SpaceId("local", "other")
EMBEDDER = "fake-16"


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    store = SqliteStore(None)
    yield store
    store.close()


def cache_of(store: SqliteStore, budget: int = BUDGET) -> IndexCache:
    return IndexCache(store, embedder=EMBEDDER, dimension=DIMENSION, budget=budget)


def keep(store: SqliteStore, *contents: str, space: SpaceId = SPACE) -> None:
    puts = [
        Put(item=samples.item(content, content), statement=content, vectors=vectors_of(content)) for content in contents
    ]
    store.apply(space, Change(puts=puts, embedder=EMBEDDER), based_on=store.head(space).seq)


def many(count: int) -> list[str]:
    return [f"green tea {number}" for number in range(count)]


class Counting:
    """The store, with a count of the pages that were read and pages of a chosen size."""

    def __init__(self, store: SqliteStore, limit: int = 10_000) -> None:
        self._store, self._limit = store, limit
        self.reads: list[int] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def changes(self, space: SpaceId, *, after: int, embedder: str = "", limit: int = 0) -> Page:
        self.reads.append(after)
        return self._store.changes(space, after=after, embedder=embedder, limit=self._limit)


def counting(store: SqliteStore, limit: int = 10_000) -> tuple[IndexCache, Counting]:
    counted = Counting(store, limit)
    return IndexCache(counted, embedder=EMBEDDER, dimension=DIMENSION), counted  # type: ignore[arg-type]


def test_every_commit_shows_in_the_next_view(store: SqliteStore) -> None:
    cache = cache_of(store)

    before = cache.refreshed(SPACE)
    keep(store, "green tea")
    after = cache.refreshed(SPACE)
    store.erase(SPACE, ["green tea"], now=NOW)

    assert (before.live, after.live, cache.refreshed(SPACE).live) == (0, 1, 0)
    assert found(after, "tea") == ["green tea"]


def test_rows_are_read_only_when_something_changed_and_only_what_did(store: SqliteStore) -> None:
    cache, counted = counting(store)
    keep(store, *many(5))

    for _ in range(3):
        cache.refreshed(SPACE)
    keep(store, "one more")
    cache.refreshed(SPACE)

    assert counted.reads == [0, 5]


def test_those_who_wait_for_a_look_into_the_store_need_no_look_of_their_own(store: SqliteStore) -> None:
    keep(store, "green tea")
    cache = cache_of(store)
    cache.refreshed(SPACE)
    looking, looks, may_go_on, head = threading.Event(), [], threading.Event(), store.head

    def slow_head(space: SpaceId) -> Head:
        looks.append(space)
        looking.set()
        may_go_on.wait(timeout=30)
        return head(space)

    store.head = slow_head  # type: ignore[method-assign]
    threads = [threading.Thread(target=cache.refreshed, args=(SPACE,)) for _ in range(8)]
    threads[0].start()
    looking.wait(timeout=30)
    for thread in threads[1:]:
        thread.start()
    while sum(thread.is_alive() for thread in threads) < len(threads):
        time.sleep(0.001)
    time.sleep(0.05)  # all of them have called
    may_go_on.set()
    for thread in threads:
        thread.join(timeout=30)

    assert len(looks) == 2  # the first began before the others called


def test_many_changes_are_read_page_by_page(store: SqliteStore) -> None:
    cache, counted = counting(store, limit=4)
    keep(store, *many(10))

    view = cache.refreshed(SPACE)

    assert counted.reads == [0, 4, 8]
    assert (view.live, view.seq) == (10, 10)


def test_spaces_do_not_see_each_other(store: SqliteStore) -> None:
    cache = cache_of(store)
    keep(store, "green tea")
    keep(store, "black coffee", space=OTHER)

    assert found(cache.refreshed(SPACE), "coffee tea") == ["green tea"]
    assert found(cache.refreshed(OTHER), "coffee tea") == ["black coffee"]


def test_an_index_behind_the_floor_is_built_anew(store: SqliteStore) -> None:
    cache, counted = counting(store)
    keep(store, "green tea", "black coffee")
    cache.refreshed(SPACE)

    store.erase(SPACE, ["green tea"], now=NOW)
    store.tidy(now=NOW.replace(year=NOW.year + 1))
    view = cache.refreshed(SPACE)

    assert store.head(SPACE).floor > 2
    assert counted.reads[-1] == 0
    assert (view.live, view.seq) == (1, 3)


def test_an_index_ahead_of_its_store_is_built_anew(store: SqliteStore) -> None:
    cache = cache_of(store)
    keep(store, *many(3))
    cache.refreshed(SPACE)
    behind = SqliteStore(None)
    keep(behind, "black coffee")

    cache._store = behind
    view = cache.refreshed(SPACE)

    assert (view.live, view.seq) == (1, 1)


def test_the_least_recently_used_spaces_go_when_the_budget_is_spent(store: SqliteStore) -> None:
    spaces = [SpaceId("local", f"space {number}") for number in range(4)]
    for space in spaces:
        keep(store, *many(20), space=space)
    one = cache_of(store)
    one.refreshed(spaces[0])
    cache = cache_of(store, budget=one.nbytes * 2 + one.nbytes // 2)

    for space in (*spaces[:2], spaces[0], spaces[2]):
        cache.refreshed(space)

    assert list(cache._entries) == [spaces[0], spaces[2]]
    assert cache.nbytes <= one.nbytes * 2.5
    assert cache.refreshed(spaces[1]).live == 20


def test_a_space_larger_than_the_budget_is_still_served(store: SqliteStore) -> None:
    cache = cache_of(store, budget=1)
    keep(store, *many(5))

    assert cache.refreshed(SPACE).live == 5
    assert cache.refreshed(SPACE).live == 5


def test_a_dropped_index_is_read_again(store: SqliteStore) -> None:
    cache, counted = counting(store)
    keep(store, "green tea")
    cache.refreshed(SPACE)

    cache.drop(SPACE)
    cache.drop(OTHER)

    assert cache.nbytes == 0
    assert cache.refreshed(SPACE).live == 1
    assert counted.reads == [0, 0]


def test_a_saved_snapshot_spares_the_next_process_the_rows(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_WORTH_SAVING", 10)
    keep(store, *many(30))
    first = cache_of(store)
    first.refreshed(SPACE)

    saved = [first.save_snapshots(least_changes=20), first.save_snapshots(least_changes=20)]
    keep(store, "black coffee")
    cache, counted = counting(store)
    view = cache.refreshed(SPACE)

    assert saved == [1, 0]
    assert counted.reads == [30]
    assert view.live == 31
    assert found(view, "coffee") == ["black coffee"]


def test_small_or_unchanged_spaces_are_not_worth_a_snapshot(store: SqliteStore) -> None:
    keep(store, *many(30))
    cache = cache_of(store)
    cache.refreshed(SPACE)

    assert cache.save_snapshots(least_changes=1) == 0
    assert cache.save_snapshots() == 0


def test_a_space_is_saved_again_after_an_erasure_took_its_snapshot(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_WORTH_SAVING", 10)
    keep(store, *many(30))
    cache = cache_of(store)
    cache.refreshed(SPACE)
    cache.save_snapshots(least_changes=20)

    store.erase(SPACE, ["green tea 3"], now=NOW)
    assert store.load_snapshot(SPACE, EMBEDDER) is None
    cache.refreshed(SPACE)

    assert cache.save_snapshots(least_changes=20) == 1
    assert store.load_snapshot(SPACE, EMBEDDER) is not None


def test_an_unusable_snapshot_is_passed_over(store: SqliteStore) -> None:
    keep(store, *many(3))
    store.save_snapshot(SPACE, EMBEDDER, Snapshot(3, packed(SpaceIndex(DIMENSION * 2), dimension=DIMENSION * 2)))

    assert cache_of(store).refreshed(SPACE).live == 3


def test_a_snapshot_from_another_past_is_passed_over(store: SqliteStore) -> None:
    keep(store, *many(3))
    store.save_snapshot(SPACE, EMBEDDER, Snapshot(99, packed(SpaceIndex(DIMENSION))))

    view = cache_of(store).refreshed(SPACE)

    assert (view.live, view.seq) == (3, 3)


def test_an_index_that_failed_half_way_is_not_used_again(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(store)
    keep(store, "green tea")
    cache.refreshed(SPACE)
    keep(store, "black coffee")

    with monkeypatch.context() as broken:
        broken.setattr(SpaceIndex, "_file_words", lambda self, arrived: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            cache.refreshed(SPACE)

    assert sorted(found(cache.refreshed(SPACE), "tea coffee")) == ["black coffee", "green tea"]


def test_after_a_fork_what_another_thread_was_changing_is_forgotten(store: SqliteStore) -> None:
    cache = cache_of(store)
    for space in (SPACE, OTHER):
        keep(store, "green tea", space=space)
        cache.refreshed(space)

    cache._entries[OTHER].lock.acquire()
    cache._lock.acquire()
    cache.reset_after_fork()

    assert list(cache._entries) == [SPACE]
    assert cache.refreshed(OTHER).live == 1


def test_threads_that_ask_at_once_all_see_everything(store: SqliteStore) -> None:
    cache = cache_of(store)
    lives: list[int] = []

    def work(number: int) -> None:
        for turn in range(10):
            with lock:
                keep(store, f"tea {number} {turn}")
            lives.append(cache.refreshed(SPACE).live)

    lock = threading.Lock()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert max(lives) == 40
    assert cache.refreshed(SPACE).live == 40


def test_names_that_nobody_uses_take_no_room(store: SqliteStore) -> None:
    cache = cache_of(store)

    views = [cache.refreshed(SpaceId("local", f"nobody {number}")) for number in range(100)]

    assert (cache.nbytes, len(cache._entries), views[0].live) == (0, 0, 0)
    keep(store, "green tea", space=SpaceId("local", "nobody 1"))
    assert cache.refreshed(SpaceId("local", "nobody 1")).live == 1


def test_many_small_spaces_stay_within_the_budget(store: SqliteStore) -> None:
    cache = cache_of(store, budget=1 << 20)
    for number in range(60):
        space = SpaceId("local", f"small {number}")
        keep(store, "green tea", space=space)
        cache.refreshed(space)

    assert cache.nbytes <= 1 << 20
    assert 10 < len(cache._entries) < 45  # each takes at least 25 KiB
