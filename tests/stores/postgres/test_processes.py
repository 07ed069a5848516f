"""Many processes on one database: what one was told, all see; what one may do, all count."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta

import pytest

from tests.stores.charges_contract import OTHER, charge, write, writes
from truekeep.errors import QuotaExceeded
from truekeep.model import JSON, Value
from truekeep.ports import Store
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import NOW, SPACE, job, keep, put

LIMIT = 40
ROUNDS = 1000 if os.environ.get("TEST_TRUEKEEP_CHAOS") == "1" else 100
WRITER = """
import sys
from truekeep.ports import Change, Moved
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import NOW, SPACE, put

url, name = sys.argv[1:]
store = PostgresStore(url)
for number in range(25):
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
SPENDER = """
import sys
from truekeep.errors import QuotaExceeded
from truekeep.model import JSON, Value
from truekeep.stores.postgres import PostgresStore
from tests.stores.charges_contract import OTHER, charge, write
from truekeep.testing.samples import put

url, name, limit = sys.argv[1:]
store, written = PostgresStore(url), 0
try:
    while True:
        write(store, put(f"{name}.{written}"), charge=charge(memories=int(limit)), space=OTHER)
        written += 1
except QuotaExceeded:
    print(written)
store.close()
"""
ECHO = """
import sys
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import SPACE, keep, put

store = PostgresStore(sys.argv[1])
for line in sys.stdin:
    asked = line.strip()
    found = store.get(SPACE, [asked])
    keep(store, put(f"echo.{asked}"))
    print(len(found), flush=True)
store.close()
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_processes_that_write_the_same_space_lose_nothing(postgres_url: str) -> None:
    names = ["a", "b"]

    processes = [start(WRITER, postgres_url, name) for name in names]

    for process in processes:
        process.communicate(timeout=120)
    assert [process.returncode for process in processes] == [0, 0]
    with closing(PostgresStore(postgres_url)) as store:
        items = [row.item for row in store.changes(SPACE, after=0).rows if row.item]
        counted = store.value(SPACE, "n", now=NOW)
        assert {item.id for item in items} == {f"{name}.{number}" for name in names for number in range(25)}
        assert len([item for item in items if item.superseded_by is None]) == 1
        assert len(store.history(SPACE, items[0].id)) == 50
        assert counted is not None
        assert counted.value == 50
        assert store.check() == []


def test_whoever_makes_a_space_does_not_overlook_one_who_was_faster(postgres_url: str) -> None:
    """As long as there is no space, there is nothing to lock."""
    with closing(PostgresStore(postgres_url)) as one, closing(PostgresStore(postgres_url)) as another:
        seen: list[JSON] = []

        def add(present: Value | None) -> JSON:
            if not seen:
                another.edit_value(SPACE, "n", lambda _: 1, now=NOW, ttl=None)
            seen.append(None if present is None else present.value)
            return 1 if present is None else int(str(present.value)) + 1

        kept = one.edit_value(SPACE, "n", add, now=NOW, ttl=None)

        assert seen == [None, 1]
        assert kept is not None
        assert kept.value == 2
        assert kept == another.value(SPACE, "n", now=NOW)


@pytest.mark.chaos
def test_another_process_reads_every_write_at_its_next_call(postgres_url: str) -> None:
    """Under load, and in both directions."""
    stop = threading.Event()
    with closing(PostgresStore(postgres_url)) as store, start(ECHO, postgres_url) as other:
        assert other.stdin
        assert other.stdout

        def load(thread: int) -> None:
            number = 0
            while not stop.is_set():
                keep(store, put(f"load{thread}.{number}"))
                number += 1
                time.sleep(0.002)

        with ThreadPoolExecutor(2) as pool:
            loads = [pool.submit(load, thread) for thread in range(2)]
            missed = 0
            for number in range(ROUNDS):
                keep(store, put(f"i{number}"))
                print(f"i{number}", file=other.stdin, flush=True)
                missed += int(other.stdout.readline()) != 1
                missed += len(store.get(SPACE, [f"echo.i{number}"])) != 1
            stop.set()
            for one in loads:
                one.result(30)
        other.stdin.close()

        assert missed == 0
        assert other.wait(30) == 0


def test_writers_of_several_spaces_and_processes_hold_exactly_what_the_tenant_may(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as store:

        def write_all(name: str) -> int:
            written = 0
            while True:
                try:
                    write(store, put(f"{name}.{written}"), charge=charge(memories=LIMIT))
                except QuotaExceeded:
                    return written
                written += 1

        process = start(SPENDER, postgres_url, "p", str(LIMIT))
        with ThreadPoolExecutor(4) as pool:
            ours = sum(pool.map(write_all, "abcd"))
        theirs = int(process.communicate(timeout=120)[0])

        assert ours + theirs == LIMIT
        assert len(store.changes(SPACE, after=0).rows) + len(store.changes(OTHER, after=0).rows) == LIMIT
        counted = [*([writes(ours)] if ours else []), *([writes(theirs, OTHER.name)] if theirs else [])]
        assert store.usage(SPACE.tenant) == counted


def test_each_job_is_claimed_by_one(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as one, closing(PostgresStore(postgres_url)) as another:
        for number in range(30):
            one.add_job(job(f"j{number}", created=NOW + timedelta(seconds=number)))

        def claim_all(store: Store) -> list[str]:
            claimed = []
            while found := store.claim_job(now=NOW, lease=timedelta(minutes=5), max_attempts=3):
                claimed.append(found.id)
            return claimed

        with ThreadPoolExecutor(6) as pool:
            claimed = [id for ids in pool.map(claim_all, [one, another] * 3) for id in ids]

        assert sorted(claimed) == sorted(f"j{number}" for number in range(30))


def test_leases_taken_at_the_same_time_grant_exactly_the_limit(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as one, closing(PostgresStore(postgres_url)) as another:

        def lease_all(store: Store) -> int:
            total = 0
            while granted := store.lease_usage("acme", "key:a", "recalls", "2026-01", want=7, limit=200):
                total += granted
            return total

        with ThreadPoolExecutor(6) as pool:
            granted = sum(pool.map(lease_all, [one, another] * 3))

        assert granted == 200
        assert [usage.count for usage in one.usage("acme")] == [200]


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_children_forked_while_threads_write_work_on(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as store:
        keep(store, put("before"))
        stop = threading.Event()
        written = [0] * 3

        def write_on(thread: int) -> None:
            while not stop.is_set():
                keep(store, put(f"t{thread}.{written[thread]}"))
                written[thread] += 1

        def work() -> None:
            for step in range(5):
                keep(store, put(f"child{os.getpid()}.{step}"))
            assert len(store.get(SPACE, ["before", f"child{os.getpid()}.4"])) == 2

        with ThreadPoolExecutor(3) as pool:
            threads = [pool.submit(write_on, number) for number in range(3)]
            children = []
            for _ in range(3):
                time.sleep(0.02)
                children.append(in_a_child(work))
            codes = [os.waitpid(child, 0)[1] for child in children]
            stop.set()
            for thread in threads:
                thread.result(30)

        assert codes == [0] * 3
        expected = [f"t{thread}.{number}" for thread in range(3) for number in range(written[thread])]
        expected += [f"child{child}.{step}" for child in children for step in range(5)]
        assert len(store.get(SPACE, expected)) == len(expected)
        assert store.check() == []
