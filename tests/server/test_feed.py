"""The feed over all spaces of a tenant: who sees what, and who is woken."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from truekeep.engine.verbs import feed as feeds
from truekeep.testing.fakes import FixedClock

from .served import OPERATOR, Served, at, detail, serving
from .test_events import settled


def say(caller: httpx.Client, space: str, content: str) -> str:
    kept = caller.post(at(space, "memories"), json={"content": content})
    settled(caller, space)
    id: str = kept.json()["id"]
    return id


def feed(caller: httpx.Client, reader: str = "crm", **params: Any) -> dict[str, Any]:
    answer = caller.get(f"/v1/feed/{reader}", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def acknowledge(caller: httpx.Client, reader: str = "crm", **body: Any) -> dict[str, Any]:
    answer = caller.post(f"/v1/feed/{reader}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def told(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["space"], one["item"]["content"] if one["item"] else one["type"]) for one in found["events"]]


@pytest.fixture
def two(served: Served) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Callers of one tenant: one who may enter every space, and one who may enter those of a team."""
    whole = served.new_key(name="whole")
    part = served.new_key(name="part", tenant=whole["tenant"], spaces=["team-*"])
    with served.caller(whole["key"]) as one, served.caller(part["key"]) as other:
        yield one, other


def test_a_key_is_told_of_the_spaces_that_it_covers_and_of_no_other(two: tuple[httpx.Client, httpx.Client]) -> None:
    whole, part = two
    say(whole, "secret", "Ana is ill")
    say(whole, "team-1", "the sprint ends on Friday")

    found = feed(part)

    assert told(found) == [("team-1", "the sprint ends on Friday")]
    assert list(found["positions"]) == ["team-1"]
    assert {space for space, _ in told(feed(whole))} == {"secret", "team-1"}


def test_a_key_moves_and_drops_no_position_in_a_space_that_it_does_not_cover(
    two: tuple[httpx.Client, httpx.Client],
) -> None:
    whole, part = two
    say(whole, "secret", "Ana is ill")
    say(whole, "team-1", "the sprint ends on Friday")
    acknowledge(whole)

    acknowledge(part, positions={"secret": 0, "team-1": 0})
    after_moving = told(feed(whole))
    seen = part.get("/v1/feed").json()["readers"][0]
    part.delete("/v1/feed/crm")

    assert after_moving == [("team-1", "the sprint ends on Friday")]
    assert (seen["name"], seen["spaces"], seen["behind"]) == ("crm", 0, 1)
    assert told(feed(whole)) == after_moving
    assert [one["name"] for one in whole.get("/v1/feed").json()["readers"]] == ["crm"]


def test_a_key_without_read_follows_nothing(served: Served) -> None:
    with served.tenant(scopes=["write"]) as caller:
        for answer in (caller.get("/v1/feed/crm"), caller.get("/v1/feed"), caller.post("/v1/feed/crm", json={})):
            detail(answer, 403)


class Waiting(threading.Thread):
    """Somebody who waits for a change in any space, in a thread of their own."""

    def __init__(self, caller: httpx.Client) -> None:
        super().__init__(daemon=True)
        self.answer: httpx.Response | None = None
        self._caller = caller
        self.start()

    def run(self) -> None:
        self.answer = self._caller.get("/v1/feed/crm", params={"wait": 20})

    def came(self) -> httpx.Response:
        self.join(25)
        assert self.answer is not None
        return self.answer


def test_a_write_into_any_space_wakes_who_waits(ana: httpx.Client) -> None:
    say(ana, "bot", "Ana likes tea")
    acknowledge(ana)
    waiting = Waiting(ana)
    time.sleep(0.3)

    ana.post(at("another", "memories"), json={"content": "Ben likes coffee"})

    assert told(waiting.came().json()) == [("another", "Ben likes coffee")]


def test_a_write_that_a_key_may_not_see_wakes_it_not(two: tuple[httpx.Client, httpx.Client]) -> None:
    whole, part = two
    waiting = Waiting(part)
    time.sleep(0.2)

    say(whole, "secret", "Ana is ill")
    time.sleep(0.5)

    assert waiting.is_alive()
    say(whole, "team-1", "the sprint ends on Friday")
    assert told(waiting.came().json()) == [("team-1", "the sprint ends on Friday")]


def test_a_key_that_is_revoked_while_it_waits_sees_nothing(served: Served) -> None:
    made = served.new_key()
    other = served.new_key(tenant=made["tenant"])
    with (
        served.caller(made["key"]) as revoked,
        served.caller(other["key"]) as writer,
        served.caller(OPERATOR) as operator,
    ):
        waiting = Waiting(revoked)
        time.sleep(0.3)  # begin to wait; before or after, the answer is the same
        operator.delete(f"/v1/keys/{made['id']}")
        writer.post(at("bot", "memories"), json={"content": "Ana likes tea"})

        detail(waiting.came(), 401)


def test_who_comes_after_erasures_were_purged_is_told_to_begin_anew(tmp_path: Path) -> None:
    clock = FixedClock()
    with serving(tmp_path, clock=clock) as running, running.caller(None) as caller:
        ids = [say(caller, "bot", f"thing {number}") for number in range(3)]
        acknowledge(caller, positions={"bot": feed(caller)["events"][0]["seq"]})
        caller.delete(at("bot", "memories", ids[1]))
        clock.advance(timedelta(days=400))
        running.opened.parts.store.tidy(now=clock())

        late = feed(caller)
        acknowledge(caller, positions=late["positions"])

        assert (told(late), late["more"]) == ([("bot", "reset")], True)
        assert sorted(told(feed(caller))) == [("bot", "thing 0"), ("bot", "thing 2")]


def test_there_are_so_many_readers_and_no_more(ana: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST_READERS", 2)
    for reader in ("a", "b"):
        acknowledge(ana, reader)

    problem = detail(ana.post("/v1/feed/c", json={}), 409)

    assert "2 readers" in problem["detail"]
    acknowledge(ana, "a")
    ana.delete("/v1/feed/a")
    acknowledge(ana, "c")


def test_a_readers_positions_are_gone_with_the_tenant(served: Served) -> None:
    made = served.new_key()
    with served.caller(made["key"]) as caller, served.caller(OPERATOR) as operator:
        say(caller, "bot", "Ana likes tea")
        acknowledge(caller)
        operator.delete(f"/v1/tenants/{made['tenant']}")
        again = served.new_key(tenant=made["tenant"])
        with served.caller(again["key"]) as anew:
            assert anew.get("/v1/feed").json() == {"readers": []}
