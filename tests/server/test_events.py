"""The change feed: what changed after a cursor, waited for without holding a thread."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from truekeep.testing.fakes import FixedClock

from .served import OPERATOR, Served, at, detail, place_of, serving

WRITER = """
import sys
from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder
with Memory("bot", at=sys.argv[1], embedder=FakeEmbedder(), background=False) as memory:
    memory.remember("said by another process")
"""


def changes(caller: httpx.Client, space: str = "bot", **params: Any) -> dict[str, Any]:
    answer = caller.get(at(space, "events"), params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def settled(caller: httpx.Client, space: str = "bot") -> int:
    """The cursor when nothing is waiting any more: an item is told again when it has its vector, or its verdict."""
    assert caller.post(at(space, "flush"), json={}).json() == {"done": True}
    cursor: int = changes(caller, space)["cursor"]
    return cursor


class Waiting(threading.Thread):
    """Somebody who waits for a change, in a thread of their own."""

    def __init__(self, caller: httpx.Client, after: int) -> None:
        super().__init__(daemon=True)
        self.answer: dict[str, Any] = {}
        self._caller, self._after = caller, after
        self.start()

    def run(self) -> None:
        self.answer = changes(self._caller, after=self._after, wait=20)

    def came(self) -> dict[str, Any]:
        self.join(25)
        return self.answer


def test_the_feed_tells_the_latest_state_of_each_item(ana: httpx.Client) -> None:
    said = ("The gate opens at 7.", "Olav mends nets.", "Rice lies in the cellar.")  # none casts doubt on another
    kept = [ana.post(at("bot", "memories"), json={"content": content}).json() for content in said]
    settled(ana)
    ana.patch(at("bot", "memories", kept[0]["id"]), json={"content": "The gate is green."})
    settled(ana)

    feed = changes(ana)

    assert [event["id"] for event in feed["events"]] == [kept[1]["id"], kept[2]["id"], kept[0]["id"]]
    assert feed["events"][-1]["item"]["content"] == "The gate is green."
    assert {event["type"] for event in feed["events"]} == {"item"}
    assert not feed["more"]
    assert changes(ana, after=feed["cursor"])["events"] == []


def test_the_feed_comes_in_portions_that_miss_nothing(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=[f"thing {number}" for number in range(10)])
    seen: list[str] = []
    cursor, more = 0, True

    while more:
        feed = changes(ana, after=cursor, limit=3)
        seen += [event["item"]["content"] for event in feed["events"]]
        cursor, more = feed["cursor"], feed["more"]

    assert set(seen) == {f"thing {number}" for number in range(10)}  # one whose vector came meanwhile is told again


def test_an_erasure_leaves_a_marker_without_content(ana: httpx.Client) -> None:
    id = ana.post(at("bot", "memories"), json={"content": "Ana likes tea"}).json()["id"]
    cursor = settled(ana)

    ana.delete(at("bot", "memories", id))

    [event] = changes(ana, after=cursor)["events"]
    assert (event["type"], event["id"], event["item"]) == ("erased", id, None)


def test_a_write_wakes_who_waits(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json={"content": "Ana likes tea"})
    waiting = Waiting(ana, settled(ana))
    time.sleep(0.3)

    ana.post(at("bot", "memories"), json={"content": "Bo likes coffee"})

    assert [event["item"]["content"] for event in waiting.came()["events"]] == ["Bo likes coffee"]


def test_waiting_ends_with_nothing_after_its_time(ana: httpx.Client) -> None:
    feed = changes(ana, wait=0.2)

    assert feed["events"] == []
    assert feed["cursor"] == 0


def test_a_write_into_another_space_wakes_nobody(ana: httpx.Client) -> None:
    waiting = Waiting(ana, 0)
    time.sleep(0.2)

    ana.post(at("other", "memories"), json={"content": "Bo likes coffee"})
    time.sleep(0.5)

    assert waiting.is_alive()
    ana.post(at("bot", "memories"), json={"content": "Ana likes tea"})
    assert waiting.came()["events"][0]["item"]["content"] == "Ana likes tea"


def test_a_write_of_another_process_wakes_who_waits(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as caller:
        waiting = Waiting(caller, 0)
        time.sleep(0.2)

        subprocess.run([sys.executable, "-c", WRITER, str(place_of(tmp_path))], check=True, timeout=60)

        assert [event["item"]["content"] for event in waiting.came()["events"]] == ["said by another process"]


def test_two_hundred_who_wait_do_not_stand_in_the_way(served: Served, ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json={"content": "Ana likes tea"})
    cursor = settled(ana)
    headers = {"Authorization": ana.headers["Authorization"]}

    async def crowd() -> tuple[list[int], int]:
        limits = httpx.Limits(max_connections=250)
        async with httpx.AsyncClient(
            base_url=served.url, headers=headers, timeout=60, trust_env=False, limits=limits
        ) as caller:
            params = {"after": cursor, "wait": 30}
            waiting = [asyncio.create_task(caller.get(at("bot", "events"), params=params)) for _ in range(200)]
            await asyncio.sleep(1)
            recalls = [await caller.post(at("bot", "recall"), json={"query": "tea"}) for _ in range(5)]
            held = sum(not task.done() for task in waiting)
            await caller.post(at("bot", "memories"), json={"content": "Bo likes coffee"})
            answers = await asyncio.gather(*waiting)
            assert all(len(answer.json()["events"]) == 1 for answer in answers)
            return [recall.status_code for recall in recalls], held

    statuses, held = asyncio.run(crowd())

    assert statuses == [200] * 5
    assert held == 200  # all of them still waited while the recalls were answered


def test_who_comes_after_the_markers_were_purged_is_told_so(tmp_path: Path) -> None:
    clock = FixedClock()
    with serving(tmp_path, clock=clock) as running, running.caller(None) as caller:
        ids = [caller.post(at("bot", "memories"), json={"content": f"thing {n}"}).json()["id"] for n in range(3)]
        settled(caller)
        cursor = changes(caller)["events"][0]["seq"]
        caller.delete(at("bot", "memories", ids[1]))
        clock.advance(timedelta(days=400))
        running.opened.parts.store.tidy(now=clock())

        late = changes(caller, after=cursor)

        assert late == {"events": [], "cursor": 0, "more": True, "missed": True}
        anew = changes(caller, after=0)
        assert sorted(event["id"] for event in anew["events"]) == [ids[0], ids[2]]
        assert not anew["missed"]


def test_a_cursor_from_the_future_starts_again(ana: httpx.Client) -> None:
    assert changes(ana, after=10**9)["missed"]


def test_a_key_that_is_revoked_while_it_waits_sees_nothing(served: Served) -> None:
    made = served.new_key()
    other = served.new_key(tenant=made["tenant"])
    with (
        served.caller(made["key"]) as revoked,
        served.caller(other["key"]) as writer,
        served.caller(OPERATOR) as operator,
        ThreadPoolExecutor(1) as threads,
    ):
        asked = threads.submit(revoked.get, at("bot", "events"), params={"wait": 20})
        time.sleep(0.3)  # begin to wait; before or after, the answer is the same
        operator.delete(f"/v1/keys/{made['id']}")
        writer.post(at("bot", "memories"), json={"content": "Ana likes tea"})

        detail(asked.result(), 401)
