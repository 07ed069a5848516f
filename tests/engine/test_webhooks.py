"""Webhooks and their deliveries: what waits, who sends it, what becomes of it."""

from __future__ import annotations

import base64
import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.stores.dictionaries import DictStore
from truekeep import Limits
from truekeep.engine import deliveries
from truekeep.engine.deliveries import Outcome, Task, claim, release, settle
from truekeep.engine.webhooks import Webhooks
from truekeep.errors import InvalidInput, NotFound
from truekeep.model import Feed, FeedEvent, SpaceId
from truekeep.testing.samples import NOW, SPACE, keep, put

FAILED = Outcome(status=500, error="answered 500")
TAKEN = Outcome(status=200)


@pytest.fixture
def webhooks() -> Webhooks:
    return Webhooks(DictStore(), "local")


def added(webhooks: Webhooks, *, from_start: bool = True) -> str:
    made, _ = webhooks.add("https://example.org", from_start=from_start, now=NOW, limits=Limits())
    return made.id


def claimed(webhooks: Webhooks, id: str, holder: str = "one", after: float = 0) -> Task:
    task = claim(webhooks, id, holder, now=NOW + timedelta(seconds=after))
    assert task is not None
    return task


def test_one_at_a_time_sends_and_who_takes_over_sends_the_same_under_the_same_id(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"), put("b"))

    first = claimed(webhooks, id)
    meanwhile = claim(webhooks, id, "other", now=NOW)
    keep(webhooks.store, put("c"))
    second = claimed(webhooks, id, "other", after=31)
    settle(webhooks, first, FAILED, now=NOW, chance=0)  # late: it is no longer theirs
    settle(webhooks, second, TAKEN, now=NOW, chance=0)
    third = claimed(webhooks, id)

    assert meanwhile is None
    assert (first.delivery, first.body) == (second.delivery, second.body)
    assert (b'"id":"c"' in first.body, b'"id":"c"' in third.body) == (False, True)
    [now] = webhooks.listed(NOW)
    assert (now.delivered, now.failed, now.behind) == (1, 0, 1)


def test_who_lets_go_need_not_be_waited_for(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"))
    first = claimed(webhooks, id)

    release(webhooks, id, "other", now=NOW)
    assert claim(webhooks, id, "other", now=NOW) is None
    release(webhooks, id, "one", now=NOW)

    assert claimed(webhooks, id, "other").delivery == first.delivery


def test_an_item_that_changed_since_is_told_by_what_follows(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"), put("b"))
    first = claimed(webhooks, id)
    settle(webhooks, first, FAILED, now=NOW, chance=0)

    keep(webhooks.store, put("a", "another content of a"))
    again = claimed(webhooks, id, after=5)
    settle(webhooks, again, TAKEN, now=NOW, chance=0)
    after = claimed(webhooks, id)

    assert again.delivery.id == first.delivery.id
    assert (b'"id":"a"' in again.body, b'"id":"b"' in again.body) == (False, True)
    assert b"another content of a" in after.body


def test_what_has_changed_as_a_whole_is_not_sent_again(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"))
    first = claimed(webhooks, id)
    settle(webhooks, first, FAILED, now=NOW, chance=0)
    keep(webhooks.store, put("a", "another content of a"))

    assert claim(webhooks, id, "one", now=NOW + timedelta(seconds=5)) is None

    assert claimed(webhooks, id).delivery.id != first.delivery.id


def test_a_space_that_is_erased_while_a_delivery_waits_is_told_as_a_reset(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"))
    settle(webhooks, claimed(webhooks, id), FAILED, now=NOW, chance=0)
    webhooks.store.erase_space(SPACE)

    assert claim(webhooks, id, "one", now=NOW + timedelta(seconds=5)) is None
    reset = claimed(webhooks, id, after=5)
    settle(webhooks, reset, FAILED, now=NOW, chance=0)
    keep(webhooks.store, put("b"))
    again = claimed(webhooks, id, after=10)

    assert b'"type":"reset"' in reset.body
    assert again.body == reset.body
    settle(webhooks, again, TAKEN, now=NOW, chance=0)
    assert b'"id":"b"' in claimed(webhooks, id, after=10).body


def test_pauses_grow_until_it_is_given_up(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"))
    now, pauses = NOW, []
    while not webhooks.dead(id, now=now):
        task = claim(webhooks, id, "one", now=now)
        assert task is not None
        given_up = settle(webhooks, task, FAILED, now=now, chance=1)
        [seen] = webhooks.listed(now)
        pauses.append(None if seen.due is None else (seen.due - now).total_seconds())
        now = seen.due or now

    assert pauses == [5, 20, 80, 320, 1280, 5120, 20480, None]
    assert given_up
    [dead] = webhooks.dead(id, now=now)
    assert (dead.attempts, dead.after, dead.upto) == (8, {"bot": 0}, {"bot": 1})


def test_a_webhook_that_is_gone_is_not_made_again_by_who_was_sending(webhooks: Webhooks) -> None:
    id = added(webhooks)
    keep(webhooks.store, put("a"))
    task = claimed(webhooks, id)
    webhooks.drop(id, now=NOW)

    settle(webhooks, task, TAKEN, now=NOW, chance=0)
    release(webhooks, id, "one", now=NOW)

    assert webhooks.listed(NOW) == []
    with pytest.raises(NotFound):
        claim(webhooks, id, "one", now=NOW)


def test_a_tenant_has_its_own(webhooks: Webhooks) -> None:
    id = added(webhooks)

    other = replace(webhooks, tenant="acme")
    keep(webhooks.store, put("theirs"), space=SpaceId("acme", "bot"))

    assert other.listed(NOW) == []
    assert claim(webhooks, id, "one", now=NOW) is None
    with pytest.raises(NotFound):
        other.retry(id, now=NOW)


def test_the_first_events_of_a_feed_reach_as_far_as_they_do() -> None:
    events = [FeedEvent(space=space, seq=seq, id=f"{space}{seq}") for space in "ab" for seq in (1, 2, 3)]
    feed = Feed(events=(*events, FeedEvent(space="gone")), positions={"a": 3, "b": 3, "gone": 0, "still": 7})

    cut = {most: deliveries.first_of(feed, most).positions for most in (2, 3, 4, 6)}

    assert cut == {
        2: {"a": 2, "still": 7},
        3: {"a": 3, "still": 7},
        4: {"a": 3, "b": 1, "still": 7},
        6: {"a": 3, "b": 3, "still": 7},
    }


def test_cut_feeds_lose_nothing(webhooks: Webhooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "BODY_BYTES", 3000)
    id, seen = added(webhooks), Counter[str]()
    for space in ("bot", "team"):
        keep(webhooks.store, *(put(f"{space}-{number}") for number in range(20)), space=SpaceId("local", space))

    while (task := claim(webhooks, id, "one", now=NOW)) is not None:
        assert len(task.body) <= 3000
        seen.update(event["id"] for event in json.loads(task.body)["events"])
        settle(webhooks, task, TAKEN, now=NOW, chance=0)

    assert seen == Counter(f"{space}-{number}" for space in ("bot", "team") for number in range(20))


def test_a_given_secret_signs(webhooks: Webhooks) -> None:
    secret = "whsec_" + base64.b64encode(bytes(range(24))).decode()

    _, kept = webhooks.add("https://example.org", secret=secret, now=NOW, limits=Limits())
    headers = deliveries.headers(kept, "msg", b"{}", now=NOW)

    assert kept == secret
    # openssl dgst -sha256 -mac HMAC -macopt hexkey:000102...17, over "msg.1767268800.{}"
    assert headers == {
        "webhook-id": "msg",
        "webhook-timestamp": "1767268800",
        "webhook-signature": "v1,bhtlA8rfMvexvY4UXT9F0fQo9IqUcpf1dYVH3uSOBG0=",
    }


@pytest.mark.parametrize("secret", ["secret", "whsec_", "whsec_c2hvcnQ=", "whsec_" + "!" * 44, "whsec_ü"])
def test_a_secret_that_cannot_sign_is_refused(webhooks: Webhooks, secret: str) -> None:
    with pytest.raises(InvalidInput, match="secret"):
        webhooks.add("https://example.org", secret=secret, now=NOW, limits=Limits())


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.org", "ftp://example.org", "https://", "https://user@example.org", "https://example.org/#a"),
        *("https://example.org\\@evil.test", "https://exa mple.org", "https://example.org/\n", "https://exämple.org"),
    ],
)
def test_what_is_no_address_is_refused(webhooks: Webhooks, url: str) -> None:
    with pytest.raises(InvalidInput, match="url"):
        webhooks.add(url, now=NOW, limits=Limits())
