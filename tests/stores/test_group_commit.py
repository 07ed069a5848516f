"""Writers share a commit, and nobody's failure is another's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from truekeep.errors import InvalidInput, StoreError
from truekeep.model import JSON, Value
from truekeep.ports import Change, Moved
from truekeep.stores.sqlite import SqliteStore
from truekeep.stores.sqlite.driver import FileRows
from truekeep.stores.sqlite.rows import query
from truekeep.testing.samples import NOW, SPACE, keep, put

T = TypeVar("T")
KEPT = "SELECT name FROM kept"


class Commits:
    """Writes to a store, and counts its transactions."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore(path)
        self.count = 0
        self.may_commit = True
        self.run(lambda rows: rows.connection.execute("CREATE TABLE kept (name TEXT)"))
        self.store._driver.writer().set_commit_hook(self._committing)

    def _committing(self) -> bool:
        self.count += 1
        return not self.may_commit

    def run(self, work: Callable[[FileRows], T]) -> T:
        return self.store._driver.write(SPACE, work)

    def names(self) -> set[str]:
        return self.store._driver.read(None, lambda rows: {str(*row) for row in query(rows.connection, KEPT)})


@pytest.fixture
def commits(tmp_path: Path) -> Iterator[Commits]:
    commits = Commits(tmp_path / "store.db")
    yield commits
    commits.store.close()


def inserting(name: str, error: BaseException | None = None) -> Callable[[FileRows], str]:
    def work(rows: FileRows) -> str:
        rows.connection.execute("INSERT INTO kept VALUES (?)", (name,))
        if error is not None:
            raise error
        return name

    return work


def run_as_one_group(commits: Commits, works: list[Callable[[FileRows], str]]) -> list[object]:
    """Let the first one hold the lead until all others are queued; what each returned or raised."""
    inside, go_on = threading.Event(), threading.Event()

    def hold(rows: FileRows) -> None:
        inside.set()
        assert go_on.wait(30)

    def outcome(work: Callable[[FileRows], str]) -> object:
        try:
            return commits.run(work)
        except BaseException as error:
            return error

    with ThreadPoolExecutor(len(works) + 1) as pool:
        leader = pool.submit(commits.run, hold)
        assert inside.wait(30)
        others = [pool.submit(outcome, work) for work in works]
        while len(commits.store._driver._commits._queue) < len(works):
            threading.Event().wait(0.001)
        go_on.set()
        leader.result(30)
        return [other.result(30) for other in others]


def test_those_who_wait_share_one_commit(commits: Commits) -> None:
    names = [f"n{number}" for number in range(20)]

    outcomes = run_as_one_group(commits, [inserting(name) for name in names])

    assert sorted(map(str, outcomes)) == sorted(names)
    assert commits.names() == set(names)
    assert commits.count == 2  # the one that held the lead, and all others


def test_one_that_fails_undoes_only_its_own(commits: Commits) -> None:
    works = [inserting("a"), inserting("b", Moved("no")), inserting("c", InvalidInput("x", "no")), inserting("d")]

    outcomes = run_as_one_group(commits, works)

    assert outcomes[0] == "a"
    assert isinstance(outcomes[1], Moved)
    assert isinstance(outcomes[2], InvalidInput)
    assert outcomes[3] == "d"
    assert commits.names() == {"a", "d"}


def test_a_commit_that_fails_fails_them_all(commits: Commits) -> None:
    works = [inserting("a"), inserting("b")]
    commits.may_commit = False

    with pytest.raises(StoreError):
        commits.run(inserting("alone"))
    commits.may_commit = True
    commits.run(inserting("later"))
    commits.may_commit = False
    with ThreadPoolExecutor(2) as pool:
        outcomes = [pool.submit(commits.run, work).exception(30) for work in works]

    assert all(isinstance(error, StoreError) for error in outcomes)
    assert commits.names() == {"later"}


def test_an_interrupted_leader_leaves_the_others_a_leader(commits: Commits) -> None:
    works = [inserting("a"), inserting("interrupted", KeyboardInterrupt()), inserting("b")]

    outcomes = run_as_one_group(commits, works)

    assert all(isinstance(outcome, BaseException) for outcome in outcomes)
    assert commits.names() == set()
    assert commits.run(inserting("later")) == "later"


def test_a_write_within_a_write_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")

    def careless(_: Value | None) -> JSON:
        keep(store, put("inner"))
        return 1

    with pytest.raises(StoreError):
        store.edit_value(SPACE, "k", careless, now=NOW, ttl=None)

    keep(store, put("afterwards"))
    assert [one.id for one in store.get(SPACE, ["inner", "afterwards"])] == ["afterwards"]
    store.close()


@pytest.mark.parametrize("path", ["store.db", None])
def test_many_threads_lose_nothing_and_number_without_gaps(tmp_path: Path, path: str | None) -> None:
    store = SqliteStore(path and tmp_path / path)

    def work(thread: int) -> None:
        for number in range(20):
            change = Change(puts=[put(f"{thread}.{number}", f"thread {thread} says {number}")])
            store.apply(SPACE, change, based_on=store.head(SPACE).seq)
            store.edit_value(SPACE, "n", lambda old: (int(str(old.value)) if old else 0) + 1, now=NOW, ttl=None)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))

    rows = store.changes(SPACE, after=0).rows
    counted = store.value(SPACE, "n", now=NOW)
    assert [row.seq for row in rows] == list(range(1, 321))
    assert counted is not None
    assert counted.value == 320
    assert store.check() == []
    store.close()
