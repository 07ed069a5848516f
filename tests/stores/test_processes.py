"""Many processes on one file, and children of a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from truekeep.ports import Store
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import NOW, SPACE, keep, put

WRITER = """
import sys
from truekeep.ports import Change, Moved
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import NOW, SPACE, put

path, name = sys.argv[1:]
store = SqliteStore(path)
for number in range(40):
    store.edit_value(SPACE, "n", lambda old: (old.value if old else 0) + 1, now=NOW, ttl=None)
    while True:
        sight = store.look(SPACE, claims=[("ana/drink", NOW)])
        current = [item for item in sight.by_key.get("ana/drink", ()) if item.superseded_by is None]
        id = f"{name}.{number}"
        puts = [put(id, f"drink {id}", key="ana/drink")]
        puts += [put(old.id, old.content, key="ana/drink", superseded_by=id) for old in current]
        try:
            store.apply(SPACE, Change(puts=puts), based_on=sight.head.seq)
            break
        except Moved:
            pass
store.close()
"""


def in_a_child(work: Callable[[], None]) -> int:
    """Run the work in a forked child; the process id to wait for."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException as error:
        os.write(2, f"child: {error!r}\n".encode())
        os._exit(1)


def test_processes_that_write_the_same_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    names = ["a", "b", "c", "d"]

    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in names]

    assert [process.wait(120) for process in processes] == [0, 0, 0, 0]
    store = SqliteStore(path)
    items = [row.item for row in store.changes(SPACE, after=0).rows if row.item]
    counted = store.value(SPACE, "n", now=NOW)
    assert {item.id for item in items} == {f"{name}.{number}" for name in names for number in range(40)}
    assert len([item for item in items if item.superseded_by is None]) == 1
    assert len(store.history(SPACE, items[0].id)) == 160
    assert counted is not None
    assert counted.value == 160
    assert store.check() == []
    store.close()


def test_another_process_sees_every_commit_at_its_next_call(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    one, another = SqliteStore(path), SqliteStore(path)

    for number in range(50):
        keep(one, put(f"i{number}"))
        assert [item.id for item in another.get(SPACE, [f"i{number}"])] == [f"i{number}"]
        assert another.head(SPACE) == one.head(SPACE)
        another.erase(SPACE, [f"i{number}"], now=NOW)
        assert one.get(SPACE, [f"i{number}"]) == []

    one.close()
    another.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("name", ["store.db", ":memory:"])
def test_children_forked_while_threads_write_work_on(tmp_path: Path, name: str) -> None:
    store: Store = SqliteStore(name if name == ":memory:" else tmp_path / name)
    keep(store, put("before"))
    stop = threading.Event()
    written = [0] * 3

    def write(thread: int) -> None:
        while not stop.is_set():
            keep(store, put(f"t{thread}.{written[thread]}"))
            written[thread] += 1
            store.changes(SPACE, after=0, limit=50)

    def work() -> None:
        for step in range(10):
            keep(store, put(f"child{os.getpid()}.{step}"))
        assert len(store.get(SPACE, ["before", f"child{os.getpid()}.9"])) == 2

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(5):
        time.sleep(0.02)
        children.append(in_a_child(work))
    codes = [os.waitpid(child, 0)[1] for child in children]
    stop.set()
    for thread in threads:
        thread.join()

    assert codes == [0] * 5
    expected = [f"t{thread}.{number}" for thread in range(3) for number in range(written[thread])]
    if name != ":memory:":
        expected += [f"child{child}.{step}" for child in children for step in range(10)]
    assert len(store.get(SPACE, expected)) == len(expected)
    assert store.check() == []
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_parent_that_closes_does_not_take_the_log_from_its_child(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    keep(store, put("before"))
    ready, proceed = os.pipe(), os.pipe()

    def work() -> None:
        keep(store, put("early"))
        os.write(ready[1], b"x")
        os.read(proceed[0], 1)
        keep(store, put("late"))
        store.close()

    child = in_a_child(work)
    os.read(ready[0], 1)
    keep(store, put("parent"))
    store.close()
    os.write(proceed[1], b"x")
    code = os.waitpid(child, 0)[1]

    assert code == 0
    again = SqliteStore(path)
    assert len(again.get(SPACE, ["before", "early", "parent", "late"])) == 4
    assert again.check() == []
    again.close()
    for end in (*ready, *proceed):
        os.close(end)
