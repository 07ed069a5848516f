"""The audit: which key wrote, corrected, erased, exported or was told which ids, and when; never what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from .served import Served, at
from .test_native_recall import finished


class Holder(NamedTuple):
    """Somebody with a key."""

    id: str
    caller: httpx.Client


@pytest.fixture
def two(served: Served) -> Iterator[tuple[Holder, Holder]]:
    """Two keys of one tenant that is new."""
    first = served.new_key()
    second = served.new_key(tenant=first["tenant"])
    with served.caller(first["key"]) as one, served.caller(second["key"]) as other:
        yield Holder(first["id"], one), Holder(second["id"], other)


def remember(holder: Holder, content: str, **more: Any) -> dict[str, Any]:
    answer = holder.caller.post(at("bot", "memories"), json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    kept: dict[str, Any] = answer.json()["item"]
    return kept


def test_each_version_of_an_item_names_the_key_that_wrote_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea")
    remember(other, "Ana drinks tea")

    other.caller.patch(at("bot", "memories", item["id"]), json={"content": "Ana drinks cocoa"})

    assert item["written_by"] == one.id
    versions = one.caller.get(at("bot", "memories", item["id"], "history")).json()["versions"]
    assert [version["written_by"] for version in versions][:1] == [one.id]
    assert versions[-1]["written_by"] == other.id


def test_what_a_job_keeps_was_written_by_the_key_that_asked_for_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    said = {"messages": "Ana: I prefer tea over coffee."}

    job = one.caller.post(at("bot", "extract"), json=said).json()["job"]["id"]
    ids = [kept["id"] for kept in finished(other.caller, job)["result"]["remembered"]]

    assert ids
    assert {one.caller.get(at("bot", "memories", id)).json()["written_by"] for id in ids} == {one.id}


def test_nobody_can_say_that_another_key_wrote_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea")
    exported = one.caller.get(at("bot", "export"))
    forged = exported.text.replace('"content"', f'"written_by":"{one.id}","content"', 1)

    said = other.caller.post(at("bot", "memories"), json={"content": "Bo naps", "written_by": one.id})
    claimed = other.caller.post(at("copy", "import"), content=forged)
    other.caller.post(at("copy", "import"), content=exported.text)
    again = one.caller.post(at("copy", "import"), content=exported.text)

    assert (said.status_code, claimed.status_code) == (422, 422)
    assert again.json()["unchanged"] == 1
    assert one.caller.get(at("copy", "memories", item["id"])).json()["written_by"] == other.id


def test_a_retry_with_another_key_of_the_tenant_is_still_a_retry(two: tuple[Holder, Holder]) -> None:
    one, other = two

    first = remember(one, "Ana drinks tea", idempotency_key="once")
    again = remember(other, "Ana drinks tea", idempotency_key="once")

    assert (again["id"], again["written_by"]) == (first["id"], one.id)
