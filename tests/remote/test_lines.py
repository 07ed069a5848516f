"""Connections: shared by the handles of a process, let go of with the last, made anew after a fork."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from truekeep import AsyncMemory, Limits, Memory
from truekeep.assembly import open_store
from truekeep.engine import access
from truekeep.engine.runtime.opened import BACKGROUND
from truekeep.errors import InvalidInput, NotFound, StoreError
from truekeep.remote import Patience, line
from truekeep.remote.server import address_of

from .scripted import Asked, answer, scripted
from .served import Served


def lines_to(url: str) -> list[line.Line]:
    return [one for one in line._lines.values() if one.address.url == url]


def test_handles_with_the_same_address_and_key_share_their_connections(url: str) -> None:
    with Memory("one", at=url) as one, Memory("other", at=url) as other, Memory("one", at=url, key="tk_1"):
        one.remember("Ana likes tea")
        other.remember("Ben likes coffee")

        assert len(lines_to(url)) == 2
        assert len(one.items()) == len(other.items()) == 1

    assert lines_to(url) == []


def test_closing_one_handle_leaves_the_connections_of_the_other(url: str) -> None:
    one, other = Memory("bot", at=url), Memory("bot", at=url)
    one.remember("Ana likes tea")
    client = lines_to(url)[0]._client
    assert client is not None

    one.close()
    one.close()
    is_open = not client.is_closed
    other.close()

    assert is_open
    assert client.is_closed


def test_a_handle_that_was_dropped_is_closed_when_the_next_one_opens(url: str) -> None:
    memory = Memory("bot", at=url)
    memory.remember("Ana likes tea")
    [dropped] = lines_to(url)
    client = dropped._client
    assert client is not None

    del memory
    gc.collect()
    BACKGROUND.close_abandoned()

    assert lines_to(url) == []
    assert client.is_closed


def test_closing_while_a_call_waits_lets_it_end_and_begins_no_other() -> None:
    arrived, closed, kept = threading.Event(), threading.Event(), list[str]()

    def slow(connection: socket.socket, asked: Asked) -> None:
        arrived.set()
        closed.wait(30)
        answer(200, {"keys": ["late"]})(connection, asked)

    with scripted(slow) as server:
        memory = Memory("bot", at=server.url)
        thread = threading.Thread(target=lambda: kept.extend(memory.keys()))
        thread.start()
        arrived.wait(30)
        memory.close()
        closed.set()
        thread.join(30)

    assert kept == ["late"]
    with pytest.raises(StoreError, match="closed"):
        memory.keys()


def test_opening_a_memory_asks_for_nothing() -> None:
    with scripted(answer(200, {"keys": []})) as server:
        with Memory("bot", at=server.url):
            pass

        assert server.asked == []


def test_a_child_makes_connections_of_its_own(url: str) -> None:
    code = """
import os, sys
from truekeep import Memory
memory = Memory("bot", at=sys.argv[1])
memory.remember("the parent was here first")
for number in range(3):
    pid = os.fork()
    if pid == 0:
        found = memory.recall("the parent was here first")
        memory.remember(f"child {number} was here")
        if number % 2:
            memory.close()
        os._exit(0 if found[0].content == "the parent was here first" else 1)
    memory.remember(f"the parent went on after child {number}")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
memory.close()
"""

    done = subprocess.run([sys.executable, "-W", "error", "-c", code, url], capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    with Memory("bot", at=url) as memory:
        assert len(memory.items()) == 7


def test_the_client_is_loaded_only_when_it_is_used(tmp_path: Path) -> None:
    code = f"""
import sys
from truekeep import Memory
with Memory("bot", at={str(tmp_path / "m.db")!r}) as memory:
    pass
print([name for name in ("httpx", "truekeep.remote") if name in sys.modules])
"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)

    assert done.stdout.strip() == "[]", done.stderr


def test_the_asynchronous_handle_works_through_a_server(url: str) -> None:
    async def use() -> tuple[str, int]:
        async with AsyncMemory("bot", at=url) as memory:
            await memory.remember("Ana likes tea")
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(memory.increment, "n")
            found = await memory.recall("tea")
            return found[0].content, await memory.get("n")

    assert anyio.run(use) == ("Ana likes tea", 10)


def test_the_address_is_the_path_of_a_served_memory(url: str, tmp_path: Path) -> None:
    key = access.new_key(tenant="local", name="agent", now=datetime.now(UTC), limits=Limits())
    with open_store(tmp_path / "memory.db") as store:
        store.add_access_key(key, access.digest("tk_secret"))

    with Memory("bot", at=url.replace("//", "//agent:tk_secret@")) as memory:
        assert memory.stats().path == url


def test_a_job_of_another_space_is_not_there(url: str) -> None:
    with Memory("one", at=url) as one, Memory("other", at=url) as other:
        job = one.extract("Ana: I prefer tea.", wait=False).job

        assert job is not None
        assert one.job(job.id).space.name == "one"
        with pytest.raises(NotFound, match=job.id):
            other.job(job.id)


def test_a_backup_is_a_complete_copy(url: str, tmp_path: Path) -> None:
    with Memory("bot", at=url) as memory:
        memory.remember("Ana likes tea")

        memory.backup(tmp_path / "deep" / "copy.db")

        assert memory.check() == []
    with Memory("bot", at=tmp_path / "deep" / "copy.db") as copy:
        assert [item.content for item in copy.items()] == ["Ana likes tea"]


def test_changes_pages_and_items_are_told_as_they_are(url: str) -> None:
    with Memory("bot", at=url) as memory:
        kept = [memory.remember(f"note {number}") for number in range(5)]
        first = memory.page(limit=3)
        memory.forget(kept[0].id)

        rest = memory.page(limit=3, cursor=first.cursor)
        changes = memory.changes(limit=5_000)

        assert [item.content for item in (*first.items, *rest.items)] == ["note 4", "note 3", "note 2", "note 1"]
        assert memory.item(kept[1].id) == kept[1].item
        assert [(event.id, event.item is None) for event in changes.events][-1] == (kept[0].id, True)
        assert memory.changes(changes.cursor).events == ()
        with pytest.raises(NotFound):
            memory.item(kept[0].id)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda memory: memory.remember("x" * 70_000), "content"),
        (lambda memory: memory.remember("x", metadata={"k": "x" * 70_000}), "metadata"),
        (lambda memory: memory.remember_many(["x", "y" * 70_000]), "items[1].content"),
        (lambda memory: memory.recall("x" * 70_000), "query"),
        (lambda memory: memory.recall("x", limit=1_001), "limit"),
        (lambda memory: memory.items(limit=1_001), "limit"),
        (lambda memory: memory.context("x", max_tokens=10**9), "max_tokens"),
        (lambda memory: memory.context("x", max_tokens=10**9, count_tokens=len), "max_tokens"),
        (lambda memory: memory.items(tags=[f"{n:02}" + "\U0001f3bb" * 126 for n in range(64)]), "filters"),
        (lambda memory: memory.set("k", "x" * 21_000_000), "request"),
    ],
    ids=range(10),
)
def test_the_server_is_the_judge_of_sizes(url: str, call: object, argument: str) -> None:
    with Memory("bot", at=url) as memory, pytest.raises(InvalidInput) as caught:
        call(memory)  # type: ignore[operator]

    assert caught.value.argument == argument
    assert caught.value.problem


def test_an_address_may_have_a_path_before_ours(server: Served, url: str) -> None:
    assert "/t" in address_of(url, None).url
    with Memory("..", at=url + "/") as memory:
        memory.remember("Ana likes tea")

        assert memory.stats().space == ".."


def test_a_wrong_path_is_not_taken_for_an_empty_memory(url: str) -> None:
    with Memory("bot", at=url + "/somewhere") as memory, pytest.raises(StoreError, match="knows no such path"):
        memory.get("profile")


@pytest.mark.parametrize(
    ("attempt", "elapsed", "asked", "chance", "expected"),
    [
        (1, 0.0, 0.0, 1.0, 0.2),
        (1, 0.0, 0.0, 0.0, 0.1),
        (3, 0.0, 0.0, 1.0, 0.8),
        (1, 0.0, 3.0, 1.0, 3.2),
        (4, 0.0, 0.0, 1.0, None),
        (1, 9.9, 0.0, 1.0, None),
        (1, 0.0, 30.0, 0.0, None),
    ],
)
def test_pauses_grow_and_come_to_an_end(
    attempt: int, elapsed: float, asked: float, chance: float, expected: float | None
) -> None:
    pause = Patience().pause(attempt, elapsed=elapsed, asked=asked, chance=chance)

    assert pause == (None if expected is None else pytest.approx(expected))
