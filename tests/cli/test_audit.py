"""audit: the same command on a store, by the settings of a server, and through a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.served import OPERATOR, Served, at, place_of, serving

from .shell import Shell


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "served", admin_key=OPERATOR) as running:
        yield running


@pytest.fixture
def key(served: Served) -> dict[str, Any]:
    """That of somebody who remembered two things, and was told both."""
    key = served.new_key(tenant="acme", name="bot of acme")
    with served.caller(key["key"]) as caller:
        texts = ("Ana drinks tea", "Bo drinks cocoa")
        ids = [caller.post(at("bot", "memories"), json={"content": text}).json()["id"] for text in texts]
        caller.post(at("bot", "recall"), json={"query": "who drinks?"}, headers={"X-Request-Id": "turn-7"})
        caller.get(at("bot", "export"))
    return {**key, "ids": ids}


@pytest.fixture(params=["store", "settings", "operator", "tenant"])
def place(request: pytest.FixtureRequest, served: Served, key: dict[str, Any], tmp_path: Path) -> list[str]:
    """The options that name it, and whose it is."""
    store = str(place_of(tmp_path / "served"))
    settings = tmp_path / "serve.toml"
    settings.write_text(f"at = '{store}'")
    return {
        "store": ["--at", store, "--tenant", "acme"],
        "settings": ["--config", str(settings), "--tenant", "acme"],
        "operator": ["--at", served.url, "--key", OPERATOR, "--tenant", "acme"],
        "tenant": ["--at", served.url, "--key", key["key"]],
    }[request.param]


def test_who_wrote_this_and_what_was_told(shell: Shell, key: dict[str, Any], place: list[str]) -> None:
    def told(*asked: str) -> list[str]:
        return [line["verb"] for line in shell.ok("audit", *asked, *place, "--json").lines]

    [turn] = shell.ok("audit", "--request", "turn-7", *place, "--json").lines

    assert told(key["ids"][0]) == ["export", "recall", "remember"]
    assert told("--by", key["id"], "--verb", "remember") == ["remember", "remember"]
    assert told("--space", "bot", "--limit", "1") == ["export"]
    assert told("--until", "2020-01-01") == told("--by", "nobody") == []
    assert (turn["key"], sorted(turn["ids"])) == (key["id"], sorted(key["ids"]))


def test_a_verb_that_there_is_none_of_is_told_which_there_are(shell: Shell, place: list[str]) -> None:
    said = shell("audit", "--verb", "recalled", *place)

    assert said.code == 2
    assert "verb: must be one of remember, extract" in said.err
    assert "recall, explain" in said.err


def test_people_read_a_table(shell: Shell, key: dict[str, Any], place: list[str]) -> None:
    first, *rows = shell.ok("audit", key["ids"][0], *place).out.splitlines()

    assert first.split() == ["when", "verb", "outcome", "space", "key", "its", "name", "request", "ids"]
    assert len(rows) >= 3
    assert key["id"] in rows[-1]
    assert "bot of acme" in rows[-1]


def test_more_than_a_page_is_gone_through(shell: Shell, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.cli.tenants._PAGE", 2)
    with served.caller() as operator:
        for _ in range(5):
            operator.get(at("bot", "memories"))

    lines = shell.ok("audit", "--limit", "4", "--at", served.url, "--key", OPERATOR, "--json").lines

    assert [line["verb"] for line in lines] == ["items"] * 4


def test_another_tenant_is_the_operators_to_name(shell: Shell, served: Served, key: dict[str, Any]) -> None:
    asked = shell("audit", "--tenant", "other", "--at", served.url, "--key", key["key"])

    assert asked.code == 5
    assert "operator" in asked.err


def test_a_store_that_is_not_there_is_not_made(shell: Shell, tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"

    assert shell("audit", "--at", str(missing)).code == 3
    assert not missing.exists()
