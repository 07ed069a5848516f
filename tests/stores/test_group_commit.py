"""Writers share a commit, and nobody's failure is another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from truekeep.errors import InvalidInput, StoreError
from truekeep.model import JSON, Value
from truekeep.ports import Change, Moved
from truekeep.stores.sqlite import SqliteStore
from truekeep.stores.sqlite.commit import GroupCommit
from truekeep.testing.samples import NOW, SPACE, keep, put


class OneConnection:
    """Lends one connection and counts the transactions on it."""

    location = "here"

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        self.connection.execute("CREATE TABLE kept (name TEXT)")
        self.commits = 0
        self.may_commit = True
        self.writing = threading.Lock()
        self.connection.set_commit_hook(self._committing)

    def _committing(self) -> bool:
        self.commits += 1
        return not self.may_commit

    def writer(self) -> apsw.Connection:
        assert not self.connection.in_transaction
        return self.connection

    def roll_back(self) -> None:
        assert not self.connection.in_transaction

    def names(self) -> set[str]:
        return {str(name) for (name,) in self.connection.execute("SELECT name FROM kept").fetchall()}


@pytest.fixture
def writer() -> Iterator[OneConnection]:
    writer = OneConnection()
    yield writer
    writer.connection.close()


def inserting(name: str, error: BaseException | None = None) -> object:
    def work(connection: apsw.Connection) -> str:
        connection.execute("INSERT INTO kept VALUES (?)", (name,))
        if error is not None:
            raise error
        return name

    return work


def run_as_one_group(commits: GroupCommit, works: list[object]) -> list[object]:
    """Let the first one hold the lead until all others are queued; what each returned or raised."""
    inside, go_on = threading.Event(), threading.Event()

    def hold(connection: apsw.Connection) -> None:
        inside.set()
        assert go_on.wait(30)

    def outcome(work: object) -> object:
        try:
            return commits.run(work)  # type: ignore[arg-type]
        except BaseException as error:
            return error

    with ThreadPoolExecutor(len(works) + 1) as pool:
        leader = pool.submit(commits.run, hold)
        assert inside.wait(30)
        others = [pool.submit(outcome, work) for work in works]
        while len(commits._line.queue) < len(works):
            threading.Event().wait(0.001)
        go_on.set()
        leader.result(30)
        return [other.result(30) for other in others]


def test_those_who_wait_share_one_commit(writer: OneConnection) -> None:
    names = [f"n{number}" for number in range(20)]

    outcomes = run_as_one_group(GroupCommit(writer), [inserting(name) for name in names])

    assert sorted(map(str, outcomes)) == sorted(names)
    assert writer.names() == set(names)
    assert writer.commits == 2  # the one that held the lead, and all others


def test_one_that_fails_undoes_only_its_own(writer: OneConnection) -> None:
    works = [inserting("a"), inserting("b", Moved("no")), inserting("c", InvalidInput("x", "no")), inserting("d")]

    outcomes = run_as_one_group(GroupCommit(writer), works)

    assert outcomes[0] == "a"
    assert isinstance(outcomes[1], Moved)
    assert isinstance(outcomes[2], InvalidInput)
    assert outcomes[3] == "d"
    assert writer.names() == {"a", "d"}


def test_a_commit_that_fails_fails_them_all(writer: OneConnection) -> None:
    commits = GroupCommit(writer)
    works = [inserting("a"), inserting("b")]
    writer.may_commit = False

    with pytest.raises(StoreError):
        commits.run(inserting("alone"))  # type: ignore[arg-type]
    writer.may_commit = True
    commits.run(inserting("later"))  # type: ignore[arg-type]
    writer.may_commit = False
    with ThreadPoolExecutor(2) as pool:
        outcomes = [pool.submit(commits.run, work).exception(30) for work in works]  # type: ignore[arg-type]

    assert all(isinstance(error, StoreError) for error in outcomes)
    assert writer.names() == {"later"}


def test_an_interrupted_leader_leaves_the_others_a_leader(writer: OneConnection) -> None:
    commits = GroupCommit(writer)
    works = [inserting("a"), inserting("interrupted", KeyboardInterrupt()), inserting("b")]

    outcomes = run_as_one_group(commits, works)

    assert all(isinstance(outcome, BaseException) for outcome in outcomes)
    assert writer.names() == set()
    assert commits.run(inserting("later")) == "later"  # type: ignore[arg-type]


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
