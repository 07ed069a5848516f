"""Webhooks: what is told to whom, what happens when a receiver fails, and where the server may be sent."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docs.run_page import blocks
from truekeep.engine import deliveries as engine
from truekeep.engine import webhooks as webhooks_of_tenants
from truekeep.server import deliveries
from truekeep.testing.fakes import FixedClock

from .receiver import Receiver, answers, never_ends, receiving, wait_for
from .served import OPERATOR, Served, at, detail, serving
from .test_feed import say
from .test_metrics import scrape, value


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "LOOK", 0.05)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path, receiver: Receiver) -> Iterator[Served]:
    with serving(tmp_path, admin_key=OPERATOR, webhooks=[receiver.url]) as running:
        yield running


@pytest.fixture
def ana(served: Served) -> Iterator[httpx.Client]:
    with served.tenant() as caller:
        yield caller


def added(caller: httpx.Client, receiver: Receiver, path: str = "/hook", **body: Any) -> dict[str, Any]:
    answer = caller.post("/v1/webhooks", json={"url": receiver.url + path, **body})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def state(caller: httpx.Client, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = caller.get("/v1/webhooks").json()["webhooks"][number]
    return found


def until(caller: httpx.Client, **wanted: Any) -> dict[str, Any]:
    """The state of the webhook, once it is so."""
    wait_for(lambda: wanted.items() <= state(caller).items(), lambda: f"{state(caller)}")
    return state(caller)


def dead(caller: httpx.Client, id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(f"/v1/webhooks/{id}/dead").json()["deliveries"]
    return found


def test_what_changes_is_told_as_the_feed_tells_it(ana: httpx.Client, receiver: Receiver) -> None:
    say(ana, "bot", "said before")
    made = added(ana, receiver)
    ana.post("/v1/feed/crm", json={})

    say(ana, "bot", "Ana likes tea")
    until(ana, behind=0, failed=0)
    [key] = ana.get("/v1/keys").json()["keys"]

    feed = ana.get("/v1/feed/crm").json()
    told = [json.loads(came.body) for came in receiver.came]
    assert [event for one in told for event in one["events"]][-1] == feed["events"][-1]
    assert told[-1].keys() == feed.keys()
    assert told[-1]["positions"] == feed["positions"]
    assert {text for _, text in receiver.told} == {"Ana likes tea"}
    assert {came.path for came in receiver.came} == {"/hook"}
    assert len({came.id for came in receiver.came}) == len(receiver.came) == state(ana)["delivered"]
    assert made["secret"].startswith("whsec_")
    assert "secret" not in state(ana)
    entries = ana.get("/v1/audit", params={"verb": "webhook"}).json()["entries"]
    assert {(one["key"], one["space"], one["outcome"], *one["ids"]) for one in entries} == {
        (key["id"], "bot", "done", feed["events"][-1]["id"])
    }


def test_the_function_of_the_page_knows_what_is_ours(tmp_path: Path, receiver: Receiver) -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "how-to" / "follow-changes.md"
    [code] = [block.code for block in blocks(page.read_text()) if "def is_ours" in block.code]
    named: dict[str, Any] = {}
    exec(code, named)
    with serving(tmp_path, clock=FixedClock(datetime.now(UTC)), webhooks=[receiver.url]) as running:
        with running.caller(None) as caller:
            secret = added(caller, receiver)["secret"]
            say(caller, "bot", "Ana likes tea")
        [came, *_] = receiver.wait()

    is_ours = named["is_ours"]
    assert is_ours(came.headers, came.body, secret)
    assert not is_ours(came.headers, came.body + b" ", secret)
    assert not is_ours({**came.headers, "webhook-id": "another"}, came.body, secret)
    assert not is_ours({**came.headers, "webhook-timestamp": "1767268800"}, came.body, secret)


def test_from_the_start_all_that_there_is_is_told(ana: httpx.Client, receiver: Receiver) -> None:
    for number in range(3):
        say(ana, f"team-{number}", f"thing {number}")
    say(ana, "secret", "Ana is ill")

    added(ana, receiver, from_start=True, spaces=["team-*"])
    until(ana, behind=0)

    assert sorted(receiver.told) == [(f"team-{number}", f"thing {number}") for number in range(3)]


def test_what_is_erased_is_told_without_its_text(ana: httpx.Client, receiver: Receiver) -> None:
    id = say(ana, "bot", "Ana likes tea")
    say(ana, "gone", "Ben likes coffee")
    added(ana, receiver)

    ana.delete(at("bot", "memories", id))
    receiver.wait_for_told("erased")
    ana.delete(at("gone"))
    receiver.wait_for_told("reset")

    assert receiver.told == [("bot", "erased"), ("gone", "reset")]
    assert not any(b"tea" in came.body for came in receiver.came)


def test_what_fails_is_tried_again_later_and_later_under_the_same_id(
    served: Served, ana: httpx.Client, receiver: Receiver
) -> None:
    receiver.script, began = [answers(500)] * 3, served.clock()
    say(ana, "bot", "Ana likes tea")
    added(ana, receiver, from_start=True)

    seen = until(ana, failed=1)
    for failed in (2, 3):
        served.clock.advance(timedelta(seconds=5 * 4 ** (failed - 2)))
        until(ana, failed=failed)
    came = len(receiver.came)
    time.sleep(0.3)  # it is not due: ten looks
    assert len(receiver.came) == came == 3
    served.clock.advance(timedelta(seconds=80))
    after = until(ana, behind=0, error="")

    assert (seen["error"], seen["behind"], seen["last"]) == ("answered 500", 1, None)
    assert timedelta(seconds=2.5) <= datetime.fromisoformat(seen["due"]) - began <= timedelta(seconds=5)
    assert len({came.id for came in receiver.came}) == 1
    assert [came.told for came in receiver.came] == [[("bot", "Ana likes tea")]] * 4
    assert (after["failed"], after["delivered"], after["due"]) == (3, 1, None)


def test_after_so_many_attempts_it_is_given_up_and_what_follows_is_told(
    served: Served, ana: httpx.Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "ATTEMPTS", 2)
    before = scrape(served)
    receiver.script = [answers(503)] * 2
    kept = say(ana, "bot", "Ana likes tea")
    say(ana, "group", "the sprint ends on Friday")
    made = added(ana, receiver, from_start=True)
    until(ana, failed=1)
    served.clock.advance(timedelta(minutes=1))
    until(ana, dead=1)
    say(ana, "bot", "Ben likes coffee")
    until(ana, behind=0)

    [given_up] = dead(ana, made["id"])
    came = len(receiver.came)
    ana.delete(at("bot", "memories", kept))
    until(ana, behind=0)
    retried = ana.post(f"/v1/webhooks/{made['id']}/retry", json={}).json()
    until(ana, dead=0, behind=0)

    assert (given_up["attempts"], given_up["error"], given_up["due"]) == (2, "answered 503", None)
    assert given_up["id"] == receiver.came[0].id
    assert "tea" not in json.dumps(given_up)
    assert retried == {"retried": 1}
    later = [one for one in receiver.came[came:] if one.id == given_up["id"]]
    assert [one.told for one in later] == [[("group", "the sprint ends on Friday")]]  # the other was erased since
    after = scrape(served)
    for outcome in ("delivered", "failed", "dead"):
        name = "truekeep_webhook_attempts_total"
        assert value(after, name, outcome=outcome) > value(before, name, outcome=outcome)


def test_a_delivery_that_was_given_up_is_sent_again(
    served: Served, ana: httpx.Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "ATTEMPTS", 1)
    say(ana, "bot", "Ana likes tea")
    receiver.script = [answers(503)]
    made = added(ana, receiver, from_start=True)
    until(ana, dead=1)
    [given_up] = dead(ana, made["id"])

    detail(ana.post(f"/v1/webhooks/{made['id']}/retry", json={"deliveries": ["another"]}), 404)
    ana.post(f"/v1/webhooks/{made['id']}/retry", json={"deliveries": [given_up["id"]]})
    until(ana, dead=0, delivered=1)

    assert [came.told for came in receiver.came] == [[("bot", "Ana likes tea")]] * 2
    assert {came.id for came in receiver.came} == {given_up["id"]}


def test_the_list_of_what_was_given_up_is_bounded(
    ana: httpx.Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "ATTEMPTS", 1)
    monkeypatch.setattr(engine, "MOST_DEAD", 2)
    receiver.usual = answers(500)
    made = added(ana, receiver)
    for number in range(3):
        say(ana, "bot", f"thing {number}")
        until(ana, behind=0)

    ids = [one["id"] for one in dead(ana, made["id"])]

    assert ids == [came.id for came in receiver.came[-2:]]


def test_gone_stops_it_until_somebody_retries(ana: httpx.Client, receiver: Receiver) -> None:
    receiver.script = [answers(410)]
    made = added(ana, receiver)
    say(ana, "bot", "Ana likes tea")
    stopped = until(ana, state="stopped")
    say(ana, "bot", "Ben likes coffee")
    assert len(receiver.came) == 1

    ana.post(f"/v1/webhooks/{made['id']}/retry", json={})
    until(ana, behind=0, state="active")

    assert stopped["error"] == "answered 410"
    assert {"Ana likes tea", "Ben likes coffee"} <= {text for _, text in receiver.told}


def test_who_hangs_delays_nobody_else(
    served: Served, receiver: Receiver, ana: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "LIMIT", 60.0)
    with receiving() as hanging, served.tenant() as ben:
        hanging.usual = hanging.hang
        served.app.state.desk.receivers._take(hanging.url)
        added(ben, hanging)
        added(ana, receiver)
        say(ben, "bot", "Ben likes coffee")
        hanging.wait()

        say(ana, "bot", "Ana likes tea")
        until(ana, behind=0)

        assert state(ben)["failed"] == 0  # it is still being waited for
        assert [text for _, text in receiver.told] == ["Ana likes tea"] * len(receiver.told)


def test_who_does_not_answer_in_time_has_failed(
    ana: httpx.Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "LIMIT", 0.2)
    receiver.usual = receiver.hang
    added(ana, receiver)

    say(ana, "bot", "Ana likes tea")

    assert until(ana, failed=1)["error"] == "no answer within 0.2 seconds"


def test_redirects_are_not_followed(ana: httpx.Client, receiver: Receiver) -> None:
    receiver.script = [answers(307, Location=f"{receiver.url}/elsewhere")]
    made = added(ana, receiver)

    tried = ana.post(f"/v1/webhooks/{made['id']}/test").json()

    assert tried == {"taken": False, "status": 307, "error": "answered 307; redirects are not followed"}
    assert [came.path for came in receiver.came] == ["/hook"]


def test_an_answer_without_end_is_not_read(ana: httpx.Client, receiver: Receiver) -> None:
    receiver.script = [never_ends]
    made = added(ana, receiver)

    tried = ana.post(f"/v1/webhooks/{made['id']}/test").json()

    assert tried == {"taken": True, "status": 200, "error": ""}


def test_one_that_was_away_is_told_when_it_is_back(served: Served, ana: httpx.Client, receiver: Receiver) -> None:
    added(ana, receiver)
    receiver.close()
    say(ana, "bot", "Ana likes tea")
    seen = until(ana, failed=1)
    say(ana, "bot", "Ben likes coffee")

    receiver.open()
    served.clock.advance(timedelta(seconds=5))
    until(ana, behind=0)

    assert seen["error"] == "no answer (ConnectError)"
    assert {text for _, text in receiver.told} == {"Ana likes tea", "Ben likes coffee"}


def test_a_large_feed_comes_in_bodies_of_a_mebibyte(ana: httpx.Client, receiver: Receiver) -> None:
    many = [f"{number} {'x' * 60_000}" for number in range(40)]
    ana.post(at("bot", "memories"), json={"items": many})
    ana.post(at("bot", "flush"), json={})

    added(ana, receiver, from_start=True)
    until(ana, behind=0)

    assert sorted(text for _, text in receiver.told) == sorted(many)
    assert len(receiver.came) > 2
    assert max(len(came.body) for came in receiver.came) <= 1024 * 1024


def test_a_test_tells_what_the_receiver_answered(ana: httpx.Client, receiver: Receiver) -> None:
    made = added(ana, receiver)

    taken = ana.post(f"/v1/webhooks/{made['id']}/test").json()
    receiver.close()
    missed = ana.post(f"/v1/webhooks/{made['id']}/test").json()

    assert taken == {"taken": True, "status": 200, "error": ""}
    assert receiver.came[0].told == []
    assert missed == {"taken": False, "status": None, "error": "no answer (ConnectError)"}
    assert state(ana)["failed"] == 0


def test_one_that_is_dropped_is_told_nothing_more(ana: httpx.Client, receiver: Receiver) -> None:
    receiver.script = [answers(500)]
    made = added(ana, receiver)
    say(ana, "bot", "Ana likes tea")
    until(ana, failed=1)

    assert ana.delete(f"/v1/webhooks/{made['id']}").json() == {"dropped": True}

    assert ana.get("/v1/webhooks").json() == {"webhooks": []}
    detail(ana.delete(f"/v1/webhooks/{made['id']}"), 404)
    added(ana, receiver)
    say(ana, "bot", "Ben likes coffee")
    until(ana, behind=0)
    assert "Ana likes tea" not in [text for came in receiver.came[1:] for _, text in came.told]


def test_a_limited_key_hands_on_what_it_covers_and_sees_no_other(served: Served, receiver: Receiver) -> None:
    whole = served.new_key(name="whole")
    part = served.new_key(tenant=whole["tenant"], spaces=["team-*"], scopes=["read", "admin"])
    blind = served.new_key(tenant=whole["tenant"], scopes=["write", "admin"])
    with ExitStack() as stack:
        one, other, third = (stack.enter_context(served.caller(key["key"])) for key in (whole, part, blind))
        made = added(one, receiver, "/all")
        detail(other.post("/v1/webhooks", json={"url": receiver.url, "spaces": ["*"]}), 403)
        mine = added(other, receiver, "/mine")
        say(one, "secret", "Ana is ill")
        say(one, "team-1", "the sprint ends on Friday")
        until(other, behind=0)

        assert mine["spaces"] == ["team-*"]
        assert [
            came.told for came in receiver.came if came.path == "/mine" and ("secret", "Ana is ill") in came.told
        ] == []
        assert [one["id"] for one in other.get("/v1/webhooks").json()["webhooks"]] == [mine["id"]]
        for method, rest in (("GET", "/dead"), ("POST", "/test"), ("DELETE", "")):
            detail(other.request(method, f"/v1/webhooks/{made['id']}{rest}"), 404)
        detail(third.post("/v1/webhooks", json={"url": receiver.url}), 403)
        assert len(one.get("/v1/webhooks").json()["webhooks"]) == 2


def test_there_are_so_many_and_no_more(ana: httpx.Client, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks_of_tenants, "MOST_WEBHOOKS", 1)
    added(ana, receiver)

    problem = detail(ana.post("/v1/webhooks", json={"url": receiver.url}), 409)

    assert "1 webhooks" in problem["detail"]


def test_without_the_setting_there_are_none(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as caller:
        problem = detail(caller.post("/v1/webhooks", json={"url": "https://example.org"}), 422)

    assert "'webhooks'" in problem["detail"]


@pytest.mark.parametrize("allowed", [True, False])
def test_a_name_leads_to_a_private_address_only_where_that_is_listed(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    real, looked_up = socket.getaddrinfo, []

    def look_up(host: str, *given: Any, **named: Any) -> Any:
        if host in ("hooks.example.org", b"hooks.example.org"):
            looked_up.append(host)
            host = "127.0.0.1"
        return real(host, *given, **named)

    listed = [f"http://*.example.org:{receiver.port}", *(["127.0.0.0/8"] if allowed else [])]
    with serving(tmp_path, webhooks=listed) as running, running.caller(None) as caller:
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        url = f"http://hooks.example.org:{receiver.port}/"
        made = caller.post("/v1/webhooks", json={"url": url}).json()
        tried = caller.post(f"/v1/webhooks/{made['id']}/test").json()

    assert tried["taken"] is allowed
    assert len(looked_up) == 1  # what was checked is what was connected to
    if allowed:
        assert receiver.came[0].headers["host"] == f"hooks.example.org:{receiver.port}"
    else:
        assert tried["error"] == "its host has an address that the setting 'webhooks' does not allow"
        assert receiver.came == []


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate")
@pytest.mark.parametrize("name", ["hooks.example.org", "other.example.org"])
def test_the_certificate_has_to_be_that_of_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    certificate, real = tmp_path / "both.pem", socket.getaddrinfo
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hooks.example.org"
    named = ["-addext", "subjectAltName=DNS:hooks.example.org"]
    files = ["-keyout", str(certificate), "-out", str(tmp_path / "cert.pem")]
    subprocess.run([*made.split(), *named, *files], check=True, capture_output=True)
    certificate.write_bytes(certificate.read_bytes() + (tmp_path / "cert.pem").read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *more, **named: real("127.0.0.1", *more, **named))
    with receiving(certificate) as receiver:
        url = f"https://{name}:{receiver.port}/"
        with serving(tmp_path, webhooks=[url.rstrip("/"), "127.0.0.1/32"]) as running, running.caller(None) as caller:
            id = caller.post("/v1/webhooks", json={"url": url}).json()["id"]
            tried = caller.post(f"/v1/webhooks/{id}/test").json()

    assert tried["taken"] is (name == "hooks.example.org"), tried
    assert ("certificate" in tried["error"]) is not tried["taken"]
    assert len(receiver.came) == tried["taken"]
