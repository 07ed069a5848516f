"""webhooks: through a server, or on the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.receiver import Receiver, answers, receiving, wait_for
from tests.server.served import OPERATOR, Served, at, serving
from truekeep import Limits
from truekeep.assembly import open_store
from truekeep.engine import deliveries as engine
from truekeep.engine.deliveries import Outcome, claim, settle
from truekeep.engine.webhooks import Webhooks
from truekeep.model import SpaceId
from truekeep.server import deliveries
from truekeep.testing.samples import NOW, keep, put

from .shell import Shell


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(deliveries, "LOOK", 0.05)
    monkeypatch.setattr(engine, "ATTEMPTS", 1)
    with serving(tmp_path / "served", admin_key=OPERATOR, webhooks=[receiver.url]) as running:
        yield running


def test_a_webhook_is_added_tried_listed_and_dropped(shell: Shell, served: Served, receiver: Receiver) -> None:
    place = ["--at", served.url, "--key", served.new_key()["key"]]

    secret = shell.ok("webhooks", "add", f"{receiver.url}/a", "--spaces", "team-*", *place).out
    made = shell.ok("webhooks", "add", f"{receiver.url}/b", *place, "--json").json
    table = shell.ok("webhooks", "list", *place).out
    listed = shell.ok("webhooks", "list", *place, "--json").lines
    tried = shell.ok("webhooks", "test", made["id"], *place).out
    receiver.usual = answers(500)
    failed = shell("webhooks", "test", made["id"], *place)
    dropped = shell.ok("webhooks", "drop", made["id"], *place).out

    assert secret.startswith("whsec_")
    assert len(secret.split()) == 1
    assert made["id"] in table
    assert [(one["url"], one["spaces"]) for one in listed] == [
        (f"{receiver.url}/a", ["team-*"]),
        (f"{receiver.url}/b", []),
    ]
    assert tried == "taken\n"
    assert (failed.code, failed.out) == (1, "not taken: answered 500\n")
    assert dropped == f"dropped {made['id']}\n"
    assert len(shell.ok("webhooks", "list", *place, "--json").lines) == 1
    assert shell("webhooks", "add", "https://example.org", *place).code == 2


def test_what_was_given_up_is_listed_and_sent_again(shell: Shell, served: Served, receiver: Receiver) -> None:
    key = served.new_key()["key"]
    place = ["--at", served.url, "--key", key]
    receiver.script = [answers(500)]
    with served.caller(key) as caller:
        caller.post(at("bot", "memories"), json={"content": "Ana likes tea"})
        caller.post(at("bot", "flush"), json={})
    made = shell.ok("webhooks", "add", receiver.url, "--from-start", *place, "--json").json

    wait_for(lambda: bool(shell.ok("webhooks", "dead", made["id"], *place, "--json").out))
    dead = shell.ok("webhooks", "dead", made["id"], *place, "--json").json
    table = shell.ok("webhooks", "dead", made["id"], *place).out
    unknown = shell("webhooks", "retry", made["id"], "another", *place)
    retried = shell.ok("webhooks", "retry", made["id"], dead["id"], *place).out
    receiver.wait(2)

    assert (dead["id"], dead["error"]) == (receiver.came[0].id, "answered 500")
    assert "answered 500" in table
    assert unknown.code == 3
    assert retried == "1 are sent again\n"
    assert receiver.came[1].told == [("bot", "Ana likes tea")]


def test_on_a_store_they_are_looked_after(shell: Shell) -> None:
    with open_store(shell.file) as store:
        keep(store, put("a"), space=SpaceId("acme", "bot"))
        webhooks = Webhooks(store, "acme")
        id = webhooks.add("https://example.org", from_start=True, now=NOW, limits=Limits())[0].id
        for _ in range(engine.ATTEMPTS):
            task = claim(webhooks, id, "one", now=webhooks.listed(NOW)[0].due or NOW)
            assert task is not None
            settle(webhooks, task, Outcome(status=500, error="answered 500"), now=NOW, chance=0)
    acme = ["--tenant", "acme"]

    [listed] = shell.ok("webhooks", "list", *acme, "--json").lines
    retried = shell.ok("webhooks", "retry", id, *acme, "--json").json

    assert (listed["id"], listed["dead"], listed["failed"]) == (id, 1, 8)
    assert retried == {"retried": 1}
    assert shell.ok("webhooks", "dead", id, *acme, "--json").out == ""
    assert shell.ok("webhooks", "list", "--json").out == ""
    shell.ok("webhooks", "drop", id, *acme)
    assert shell("webhooks", "drop", id, *acme).code == 3
    refused = shell("webhooks", "test", id)
    assert (refused.code, f"truekeep webhooks test {id} --at" in refused.err) == (2, True)


def test_on_a_store_they_are_added_where_the_settings_allow_it(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text(f'at = "{shell.file}"\nwebhooks = ["example.org"]\n')
    with open_store(shell.file) as store:
        keep(store, put("a"), space=SpaceId("acme", "bot"))
    acme = ["--tenant", "acme", "--config", str(config)]

    secret = shell.ok("webhooks", "add", "https://example.org/hook", "--spaces", "b*", *acme).out
    refused = shell("webhooks", "add", "https://example.com/hook", *acme)

    [listed] = shell.ok("webhooks", "list", *acme, "--json").lines
    assert secret.startswith("whsec_")
    assert (listed["url"], listed["spaces"]) == ("https://example.org/hook", ["b*"])
    assert "setting 'webhooks'" in refused.err
