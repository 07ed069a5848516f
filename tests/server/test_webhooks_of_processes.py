"""Webhooks of servers in processes of their own: several send once, and who is killed loses nothing."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truekeep.assembly import open_store
from truekeep.engine.webhooks import Kept, Webhooks

from .processes import Running, running
from .receiver import Receiver, receiving, wait_for

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def serving(folder: Path, receiver: Receiver, *arguments: str) -> AbstractContextManager[Running]:
    return running(folder, *arguments, TRUEKEEP_WEBHOOKS=json.dumps([receiver.url]))


def added(server: Running, receiver: Receiver) -> str:
    made = server.ask("POST", "/v1/webhooks", json={"url": receiver.url})
    assert made.status_code == 201, made.text
    id: str = made.json()["id"]
    return id


def say(server: Running, text: str) -> None:
    answer = server.ask("POST", "/v1/spaces/team/memories", json={"content": text})
    assert answer.status_code == 201, answer.text


def caught_up(server: Running) -> bool:
    [one] = server.ask("GET", "/v1/webhooks").json()["webhooks"]
    return bool(one["behind"] == 0)


def kept(folder: Path, id: str) -> Kept | None:
    with open_store(folder / "truekeep.db") as store:
        return Webhooks(store, "local").kept(id, datetime.now(UTC))


def test_of_two_workers_one_sends(tmp_path: Path, receiver: Receiver) -> None:
    with serving(tmp_path, receiver, "--workers", "2") as server:
        server.wait_for_workers(2)
        added(server, receiver)
        texts = [f"Robot {number} is blue" for number in range(40)]

        for text in texts:
            say(server, text)
        receiver.wait_for_told(*texts)
        server.ask("POST", "/v1/spaces/team/flush", json={})
        wait_for(lambda: caught_up(server))

    assert set(Counter(came.id for came in receiver.came).values()) == {1}
    orders = [[event["seq"] for event in json.loads(came.body)["events"]] for came in receiver.came]
    told = [seq for order in orders for seq in order]
    assert told == sorted(told)


def test_who_is_killed_between_delivery_and_noting_it_is_followed_by_who_sends_the_same(
    tmp_path: Path, receiver: Receiver
) -> None:
    receiver.script = [receiver.hang]
    with serving(tmp_path, receiver) as server:
        added(server, receiver)
        say(server, "Ana likes tea")
        [first] = receiver.wait()
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
    receiver.hangs.set()

    with serving(tmp_path, receiver) as server:
        receiver.wait_for_told("Ana likes tea")
        wait_for(lambda: len(receiver.came) > 1 and caught_up(server))  # once the lease of the other one has ended

    same = [came for came in receiver.came if came.id == first.id]
    others = [text for came in receiver.came[1:] for _, text in came.told]
    assert set(others) == {"Ana likes tea"}
    assert all(came.body == first.body for came in same)  # or all of it has changed since: its vector came


def test_a_server_that_stops_leaves_what_it_sends_to_the_next_one(tmp_path: Path, receiver: Receiver) -> None:
    receiver.script = [receiver.hang]
    with serving(tmp_path, receiver) as server:
        id = added(server, receiver)
        say(server, "Ana likes tea")
        receiver.wait()
        server.end()
    left = kept(tmp_path, id)

    with serving(tmp_path, receiver) as server:
        wait_for(lambda: len(receiver.came) > 1 and caught_up(server))

    assert left is not None
    assert (left.holder, left.until, len(left.waiting), left.failed) == ("", None, 1, 0)
    assert {text for came in receiver.came[1:] for _, text in came.told} == {"Ana likes tea"}
