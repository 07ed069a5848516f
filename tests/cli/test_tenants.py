"""keys and tenants: the same commands on a store, by the settings of a server, and through a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.served import OPERATOR, Served, at, serving
from truekeep.assembly import open_store

from .shell import Shell


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "served", admin_key=OPERATOR) as running:
        yield running


@pytest.fixture(params=["store", "server"])
def place(request: pytest.FixtureRequest, shell: Shell) -> list[str]:
    """The options that name it."""
    if request.param == "store":
        return []
    served: Served = request.getfixturevalue("served")
    return ["--at", served.url, "--key", OPERATOR]


def test_quotas_are_given_changed_and_taken_away(shell: Shell, place: list[str]) -> None:
    asked = ["--quota", "memories=5", "--quota", "recalls_per_month=7"]
    made = shell.ok("keys", "create", "--tenant", "acme", *asked, *place, "--json").json
    changed = shell.ok("keys", "update", made["id"], "--quota", "memories=6", "--name", "bot", *place, "--json").json
    freed = shell.ok("keys", "update", made["id"], "--quota", "memories=", *place, "--json").json
    listed = shell.ok("keys", "list", *place, "--json").lines

    assert (made["quotas"]["memories"], made["quotas"]["recalls_per_month"]) == (5, 7)
    assert (changed["quotas"]["memories"], changed["quotas"]["recalls_per_month"], changed["name"]) == (6, 7, "bot")
    assert (freed["quotas"]["memories"], freed["quotas"]["recalls_per_month"]) == (None, 7)
    assert [(key["id"], key["name"]) for key in listed] == [(made["id"], "bot")]
    assert shell("keys", "update", made["id"], *place).code == 2
    assert shell("keys", "update", "nobody", "--name", "x", *place).code == 3


def test_a_key_is_rotated_with_a_grace_and_revoked(shell: Shell, place: list[str]) -> None:
    made = shell.ok("keys", "create", "--tenant", "acme", *place, "--json").json
    shell.ok("keys", "create", "--tenant", "zoo", *place)

    secret = shell.ok("keys", "rotate", made["id"], "--grace", "1h", *place).out.strip()
    listed = shell.ok("keys", "list", "--tenant", "acme", *place, "--json").lines
    revoked = [shell.ok("keys", "revoke", key["id"], *place).out for key in listed]

    assert secret.startswith("tk_")
    assert secret != made["key"]
    assert [key["name"] for key in listed] == ["key", "key (former)"]
    assert revoked == [f"revoked {key['id']}\n" for key in listed]


def test_tenants_are_listed_limited_and_erased(shell: Shell, place: list[str]) -> None:
    for tenant in ("acme", "zoo"):
        shell.ok("keys", "create", "--tenant", tenant, *place)

    limited = shell.ok("tenants", "update", "zoo", "--quota", "memories=1234", *place)
    listed = shell.ok("tenants", "list", *place, "--json").lines
    table = shell.ok("tenants", "list", *place).out
    refused = shell("tenants", "erase", "zoo", *place)
    receipt = shell.ok("tenants", "erase", "zoo", "--yes", *place, "--json").json

    assert limited.out == "changed zoo, with 1 keys\n"
    assert [(one["name"], one["keys"], one["quotas"]["memories"]) for one in listed] == [
        ("acme", 1, None),
        ("zoo", 1, 1234),
    ]
    assert "0 of 1,234" in table
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert (receipt["tenant"], receipt["keys"], receipt["remaining"]) == ("zoo", 1, 0)
    assert [one["name"] for one in shell.ok("tenants", "list", *place, "--json").lines] == ["acme"]
    assert shell("tenants", "erase", "zoo", "--yes", *place).code == 3


def test_a_key_made_by_the_settings_of_a_server_is_in_its_store(shell: Shell, tmp_path: Path) -> None:
    config, file = tmp_path / "server.toml", tmp_path / "elsewhere" / "memory.db"
    config.write_text(f'at = "{file}"\n[quotas]\nmemories = 9\n')

    made = shell.ok("keys", "create", "--tenant", "acme", "--config", str(config), "--json").json
    told = shell.ok("tenants", "list", "--config", str(config), "--json").json

    with open_store(file) as store:
        assert [key.id for key in store.access_keys(None)] == [made["id"]]
    assert told["quotas"]["memories"] == 9
    assert not shell.file.exists()


def test_a_key_made_through_a_server_opens_it(shell: Shell, served: Served) -> None:
    secret = shell.ok("keys", "create", "--tenant", "acme", "--at", served.url, "--key", OPERATOR).out.strip()

    with served.caller(secret) as caller:
        assert caller.post(at("bot", "memories"), json={"content": "Ana likes tea"}).status_code == 201
    assert shell("keys", "create", "--at", served.url, "--key", "tk_nobody").code == 5
    assert shell("tenants", "list", "--at", served.url, "--key", secret).code == 5
