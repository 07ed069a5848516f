"""erase: a person, from all memories of a tenant, on a store and through a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.served import OPERATOR, Served, at, serving
from truekeep import Memory

from .shell import Shell

PLACES = ("bot", "team")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "served", admin_key=OPERATOR) as running:
        yield running


@pytest.fixture(params=["store", "server"])
def place(request: pytest.FixtureRequest, shell: Shell) -> list[str]:
    """The options that name it, furnished."""
    if request.param == "store":
        for space in PLACES:
            with Memory(space, at=shell.file, background=False) as memory:
                memory.remember("I like tea", speaker="ana")
                memory.remember("Ana left", speaker="ben")
                memory.set("user:ana:tone", "short")
        return []
    served: Served = request.getfixturevalue("served")
    with served.tenant(tenant="acme") as caller:
        for space in PLACES:
            caller.post(at(space, "memories"), json={"content": "I like tea", "source": {"speaker": "ana"}})
            caller.post(at(space, "memories"), json={"content": "Ana left", "source": {"speaker": "ben"}})
            caller.put(at(space, "values", "user:ana:tone"), json={"value": "short"})
    return ["--tenant", "acme", "--at", served.url, "--key", OPERATOR]


def test_a_person_is_erased_with_a_receipt_that_is_listed_shown_and_verified(
    shell: Shell, place: list[str], tmp_path: Path
) -> None:
    before = shell.ok("erase", "--speaker", "ana", "--values", "user:ana:*", "--dry-run", *place).out.splitlines()
    done = shell.ok("erase", "--speaker", "ana", "--values", "user:ana:*", "--yes", "--json", *place).json
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps(done))

    assert [line.split() for line in before[1:]] == [["1", "1", "0", "1", space] for space in PLACES]
    assert (done["items"], done["values"], done["mentions"], done["remaining"]) == (2, 2, 2, 0)
    assert shell.ok("erase", "--receipt", done["id"], "--json", *place).json == done
    assert [one["id"] for one in shell.ok("erase", "--receipts", "--json", *place).lines] == [done["id"]]
    assert shell.ok("erase", "--receipts", "--speaker", "ben", "--json", *place).out == ""
    assert done["id"] in shell.ok("erase", "--receipts", *place).out
    assert shell.ok("erase", "--verify", str(file), *place).out == "signed here, and unchanged\n"
    file.write_text(json.dumps({**done, "items": 0}))
    assert shell("erase", "--verify", str(file), *place).code == 1
    assert shell.ok("erase", "--speaker", "ana", "--admit", *place).out == "admitted ana\n"
    assert shell.ok("erase", "--speaker", "ana", "--admit", *place).out == "admitted nobody\n"
    assert shell("erase", "--receipt", "nobody", *place).code == 3


def test_what_is_erased_is_shown_before_it_is_asked_for(shell: Shell, place: list[str]) -> None:
    told = shell("erase", "--speaker", "ana", *place, given="n\n")
    again = shell.ok("erase", "--speaker", "Ana", "--dry-run", "--json", *place).json

    assert told.code != 0
    assert "bot" in told.out
    assert (again["items"], again["alike"], again["mentions"]) == (0, ["ana"], 2)
    assert shell.ok("erase", "--receipts", *place).out.splitlines()[1:] == []


def test_what_is_unclear_is_refused(shell: Shell, tmp_path: Path) -> None:
    shell.ok("remember", "tea")
    file = tmp_path / "other.json"
    file.write_text("[]")

    assert shell("erase").code == 2
    assert shell("erase", "--speaker", "ana", "--receipts", "--dry-run").code == 2
    assert shell("erase", "--speaker", "ana", "--values", "*", "--yes").code == 2
    assert shell("erase", "--verify", str(file)).code == 2
    assert shell("erase", "--verify", str(tmp_path / "missing")).code == 2
    assert shell("erase", "--speaker", "ana", "--tenant", "nobody", "--yes").code == 3
