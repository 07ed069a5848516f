"""keys, spaces: what the one who runs a store does with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.remote.served import served
from truekeep.assembly import open_parts, open_store
from truekeep.engine.access import digest
from truekeep.testing.fakes import FakeEmbedder

from .shell import Shell


def test_a_new_key_is_printed_alone_and_kept_only_as_a_hash(shell: Shell) -> None:
    said = shell.ok("keys", "create", "--tenant", "acme", "--name", "bot")

    secret = said.out.removesuffix("\n")
    assert secret.startswith("tk_")
    with open_store(shell.file) as store:
        key = store.access_key(digest(secret))
    assert key is not None
    assert (key.tenant, key.name, key.scopes, key.spaces, key.operator) == (
        *("acme", "bot", ("read", "write", "admin")),
        *((), False),
    )
    assert secret.encode() not in shell.file.read_bytes()


def test_every_option_of_a_key_arrives(shell: Shell) -> None:
    options = ["--scope", "read", "--scope", "write", "--spaces", "team-*", "--expires", "30d", "--operator"]

    made = shell.ok("keys", "create", "--tenant", "acme", *options, "--json").json

    assert (made["scopes"], made["spaces"], made["operator"]) == (["read", "write"], ["team-*"], True)
    assert made["expires"] is not None
    assert made["key"].startswith("tk_")


def test_keys_without_a_tenant_open_tenants_of_their_own(shell: Shell) -> None:
    one, other = (shell.ok("keys", "create", "--json").json["tenant"] for _ in range(2))

    assert one != other


def test_keys_are_listed_without_their_secrets(shell: Shell) -> None:
    made = [shell.ok("keys", "create", "--tenant", tenant, "--json").json for tenant in ("acme", "zoo")]

    listed = shell.ok("keys", "list", "--json")
    shown = shell.ok("keys", "list", "--tenant", "zoo").out

    assert [key["id"] for key in listed.lines] == [key["id"] for key in made]
    assert not any(key["key"] in listed.out + shown for key in made)
    assert made[1]["id"] in shown
    assert made[0]["id"] not in shown


def test_a_rotated_key_has_another_secret_and_a_revoked_one_has_none(shell: Shell) -> None:
    made = shell.ok("keys", "create", "--tenant", "acme", "--json").json

    rotated = shell.ok("keys", "rotate", made["id"]).out.strip()
    with open_store(shell.file) as store:
        assert store.access_key(digest(made["key"])) is None
        assert store.access_key(digest(rotated)) is not None
    revoked = shell("keys", "revoke", made["id"])

    assert revoked.out == f"revoked {made['id']}\n"
    assert shell.ok("keys", "list", "--json").out == ""


def test_a_store_that_had_keys_is_opened_again_on_purpose_only(shell: Shell) -> None:
    made = shell.ok("keys", "create", "--json").json
    refused = shell("keys", "open")
    note = shell("keys", "revoke", made["id"]).err
    with open_store(shell.file) as store:
        assert store.is_closed()

    opened = shell.ok("keys", "open")

    assert refused.code == 4
    assert "revoke them first" in refused.err
    assert "truekeep keys open" in note
    assert opened.out == "opened: no key is needed\n"
    with open_store(shell.file) as store:
        assert not store.is_closed()


@pytest.mark.parametrize("verb", ["rotate", "revoke"])
def test_an_unknown_key_or_one_of_another_tenant_is_code_3(shell: Shell, verb: str) -> None:
    made = shell.ok("keys", "create", "--tenant", "acme", "--json").json

    assert shell("keys", verb, "nobody").code == 3
    assert shell("keys", verb, made["id"], "--tenant", "zoo").code == 3


@pytest.mark.parametrize(
    "options",
    [
        ["--scope", "everything"],
        ["--expires", "0s"],
        ["--expires", "999999999w"],
        ["--expires", "500000w"],
        ["--tenant", ""],
        ["--quota", "recalls=5"],
        ["--quota", "memories=many"],
        ["--operator", "--at", "http://127.0.0.1:1"],
    ],
)
def test_a_key_that_cannot_be_is_code_2(shell: Shell, options: list[str]) -> None:
    said = shell("keys", "create", *options)

    assert (said.code, said.out) == (2, "")


def test_spaces_are_listed_with_their_sizes_and_deleted(shell: Shell) -> None:
    shell.ok("remember", "Ana drinks tea", "--space", "one")
    shell.ok("values", "set", "tone", "1", "--space", "two")

    listed = shell.ok("spaces", "list", "--json").lines
    deleted = shell.ok("spaces", "delete", "one", "--yes")

    assert [(space["name"], space["items"], space["values"]) for space in listed] == [("one", 1, 0), ("two", 0, 1)]
    assert deleted.out == "deleted one, with 1 item\n"
    assert shell.ok("spaces", "list").out.split()[-1] == "two"


def test_an_unknown_space_or_one_of_another_tenant_is_code_3(shell: Shell) -> None:
    shell.ok("remember", "Ana drinks tea", "--space", "one")

    assert shell("spaces", "delete", "two", "--yes").code == 3
    assert shell("spaces", "delete", "one", "--tenant", "acme", "--yes").code == 3
    assert shell.ok("spaces", "list", "--tenant", "acme", "--json").out == ""


def test_the_spaces_of_a_server_are_listed_and_deleted(shell: Shell, tmp_path: Path) -> None:
    opened = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    with served() as server:
        shell.environment |= {"TRUEKEEP_AT": server.add(opened)}
        shell.ok("remember", "Ana drinks tea", "--space", "one")
        shell.ok("remember", "Bob lives in Porto", "--space", "two")

        listed = shell.ok("spaces", "list", "--json").lines
        deleted = shell.ok("spaces", "delete", "one", "--yes")
        missing, of_whom = shell("spaces", "delete", "one", "--yes"), shell("spaces", "list", "--tenant", "acme")
        left = shell.ok("spaces", "list").out.split()[-1]
        server.remove(shell.environment["TRUEKEEP_AT"])
    opened.close()

    assert [(space["name"], space["items"], space["values"]) for space in listed] == [("one", 1, 0), ("two", 1, 0)]
    assert deleted.out == "deleted one, with 1 item\n"
    assert left == "two"
    assert (missing.code, of_whom.code) == (3, 2)
    assert "the key says whose" in of_whom.err
