"""feed: what changed in all memories since the last time."""

from __future__ import annotations

import pytest

from .shell import Shell


def test_what_changed_is_told_once(shell: Shell) -> None:
    shell.ok("remember", "Ana likes tea")
    shell.ok("remember", "Ben likes coffee", "--space", "team")

    first = shell.ok("feed", "crm").out.splitlines()
    again = shell.ok("feed", "crm").out

    assert [line.split()[:2] for line in first] == [["item", "default"], ["item", "team"]]
    assert first[0].endswith("Ana likes tea")
    assert again == ""


def test_events_are_told_as_the_server_tells_them(shell: Shell) -> None:
    shell.ok("remember", "Ana likes tea")
    shell.ok("feed", "crm", "--skip")
    id = shell.ok("items", "--json").json["id"]
    shell.ok("forget", id, "--yes")

    told = shell.ok("feed", "crm", "--json").json

    assert (told["type"], told["space"], told["id"], told["item"]) == ("erased", "default", id, None)


def test_readers_are_listed_and_dropped(shell: Shell) -> None:
    shell.ok("remember", "Ana likes tea")
    shell.ok("feed", "crm", "--skip")

    listed = shell.ok("feed", "--json").json
    dropped = shell.ok("feed", "crm", "--drop").out

    assert (listed["name"], listed["behind"]) == ("crm", 0)
    assert dropped == "dropped crm\n"
    assert shell("feed", "crm", "--drop").code == 3


@pytest.mark.parametrize("option", ["--follow", "--skip", "--drop"])
def test_an_option_for_nobody_is_refused(shell: Shell, option: str) -> None:
    assert shell("feed", option).code == 2
