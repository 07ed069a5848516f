"""Several servers on one database: whoever is asked, the answer is the same."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import httpx
import pytest

from tests.postgres_server import new_database

from .processes import Running, running
from .receiver import receiving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ends processes by their group")

KEY = "tk_scale-out-canary-of-the-operators-key"
TEAM = "/v1/spaces/team"
ROUNDS = 1000 if os.environ.get("TEST_TRUEKEEP_CHAOS") == "1" else 60


def serving(url: str, folder: Path) -> AbstractContextManager[Running]:
    return running(folder, "--at", url, TRUEKEEP_ADMIN_KEY=KEY)


@pytest.fixture(scope="module")
def database(postgres_server: str) -> Iterator[str]:
    with new_database(postgres_server) as url:
        yield url


@pytest.fixture(scope="module")
def servers(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Running]]:
    folders = [tmp_path_factory.mktemp("server") for _ in range(2)]
    with serving(database, folders[0]) as one, serving(database, folders[1]) as other:
        yield [one, other]


def caller(server: Running, key: str = KEY) -> httpx.Client:
    return httpx.Client(base_url=server.url, timeout=60, trust_env=False, headers={"Authorization": f"Bearer {key}"})


def content_of(client: httpx.Client, id: str) -> str | None:
    answer = client.get(f"{TEAM}/memories/{id}")
    return answer.json()["content"] if answer.status_code == 200 else None


@pytest.mark.chaos
def test_what_one_server_was_told_the_other_one_knows(servers: list[Running]) -> None:
    """Under mixed load: each of two callers writes through one server and reads through the other."""

    def rounds(name: str, there: Running, here: Running) -> int:
        missed = 0
        with caller(there) as writer, caller(here) as reader:
            for number in range(ROUNDS // 2):
                text = f"Robot {name}{number} weighs {number} kilograms"
                id = writer.post(f"{TEAM}/memories", json={"content": text}).json()["id"]
                missed += content_of(reader, id) != text
                if number % 10 == 0:
                    found = reader.post(f"{TEAM}/recall", json={"query": text, "limit": 3}).json()["matches"]
                    missed += id not in [match["id"] for match in found]
        return missed

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(rounds, "a", servers[0], servers[1])
        other = pool.submit(rounds, "b", servers[1], servers[0])
        missed = one.result(), other.result()

    assert missed == (0, 0)


def test_keys_quotas_and_idempotency_keys_hold_on_all_servers(servers: list[Running]) -> None:
    with caller(servers[0]) as operator:
        made = operator.post("/v1/keys", json={"name": "limited", "quotas": {"writes_per_day": 3}}).json()
    with caller(servers[0], made["key"]) as one, caller(servers[1], made["key"]) as other:
        once = {"Idempotency-Key": "once"}
        first = one.post(f"{TEAM}/memories", json={"content": "Ana likes tea"}, headers=once)
        again = other.post(f"{TEAM}/memories", json={"content": "Ana likes tea"}, headers=once)
        codes = [
            client.post(f"{TEAM}/memories", json={"content": f"Robot {number} is blue"}).status_code
            for number, client in enumerate((other, one, other, one))
        ]

    assert first.status_code == 201
    assert again.json()["id"] == first.json()["id"]
    assert codes == [201, 201, 429, 429]
    with caller(servers[1]) as operator:
        assert operator.delete(f"/v1/keys/{made['id']}").status_code in (200, 204)
    with caller(servers[0], made["key"]) as revoked:
        assert revoked.get(f"{TEAM}/memories").status_code == 401


def test_who_waits_at_one_server_hears_of_a_write_through_the_other(servers: list[Running]) -> None:
    feed = "/v1/spaces/feed"
    with caller(servers[0]) as one, caller(servers[1]) as other, ThreadPoolExecutor(1) as pool:
        cursor, seen = 0, []
        for number in range(15):
            waiting = pool.submit(one.get, f"{feed}/events", params={"after": cursor, "wait": 30})
            time.sleep(0.2)  # begin to wait; before or after, the answer is the same
            kept = other.post(f"{feed}/memories", json={"content": f"Robot {number} is green"}).json()
            seen.append([event["id"] for event in waiting.result().json()["events"]] == [kept["id"]])
            assert other.post(f"{feed}/flush", json={}).json() == {"done": True}
            cursor = one.get(f"{feed}/events", params={"after": cursor}).json()["cursor"]

    assert seen == [True] * 15


def test_a_server_that_is_killed_takes_nothing_along(database: str, servers: list[Running], tmp_path: Path) -> None:
    with serving(database, tmp_path) as doomed, caller(doomed) as client:
        answers = [client.post(f"{TEAM}/memories", json={"content": f"Robot {number} is red"}) for number in range(20)]
        kept = [answer.json()["id"] for answer in answers]
        os.killpg(doomed.process.pid, signal.SIGKILL)
        doomed.process.wait()

    with caller(servers[0]) as other:
        contents = [content_of(other, id) for id in kept]

    assert contents == [f"Robot {number} is red" for number in range(20)]


@pytest.mark.chaos
def test_of_two_servers_one_sends_to_a_webhook_and_the_other_goes_on(database: str, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    with receiving() as receiver, ExitStack() as stack:
        hosts = json.dumps([receiver.url])
        for folder in folders:
            folder.mkdir()
        named = {"TRUEKEEP_ADMIN_KEY": KEY, "TRUEKEEP_WEBHOOKS": hosts}
        both = [stack.enter_context(running(folder, "--at", database, **named)) for folder in folders]
        made = both[0].ask("POST", "/v1/keys", key=KEY, json={"name": "hooked"}).json()["key"]
        both[0].ask("POST", "/v1/webhooks", key=made, json={"url": receiver.url})

        def say(texts: list[str], *through: Running) -> None:
            for number, text in enumerate(texts):
                server = through[number % len(through)]
                answer = server.ask("POST", f"{TEAM}/memories", key=made, json={"content": text})
                assert answer.status_code == 201, answer.text
            receiver.wait_for_told(*texts)

        say([f"Robot {number} is yellow" for number in range(20)], *both)
        os.killpg(both[0].process.pid, signal.SIGKILL)
        both[0].process.wait()
        before = len(receiver.came)
        say([f"Robot {number} is purple" for number in range(5)], both[1])

    sent = Counter(came.id for came in receiver.came[:before])
    assert set(sent.values()) == {1}
