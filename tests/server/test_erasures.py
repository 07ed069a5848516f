"""Erasing a person over HTTP: whose spaces, who may, and the receipts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .served import Served, at, detail

SPACES = ("bot", "team")


def furnish(caller: httpx.Client) -> None:
    for space in SPACES:
        caller.post(at(space, "memories"), json={"content": "I like tea", "source": {"speaker": "ana"}})
        caller.post(at(space, "memories"), json={"content": "Ana left", "source": {"speaker": "ben"}})
        caller.put(at(space, "values", "user:ana:tone"), json={"value": "short"})


def contents(caller: httpx.Client, space: str) -> list[str]:
    return sorted(item["content"] for item in caller.get(at(space, "memories")).json()["items"])


def erased(caller: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = caller.post("/v1/erasures", json={"speakers": ["ana"], **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def zoo(served: Served) -> Iterator[tuple[str, httpx.Client]]:
    """A tenant of its own with an admin's key, furnished."""
    made = served.new_key()
    with served.caller(made["key"]) as caller:
        furnish(caller)
        yield made["tenant"], caller


def test_a_dry_run_tells_where_and_erases_nothing(zoo: tuple[str, httpx.Client]) -> None:
    tenant, caller = zoo

    found = erased(caller, values=["user:ana:*"], dry_run=True)

    told = {"items": 1, "values": 1, "jobs": 0, "mentions": 1}
    assert found["found"] == [{"space": space, **told} for space in SPACES]
    assert (found["dry_run"], found["tenant"], found["items"]) == (True, tenant, 2)
    assert contents(caller, "bot") == ["Ana left", "I like tea"]
    assert caller.get("/v1/erasures").json() == {"erasures": [], "cursor": None}


def test_a_person_goes_from_all_spaces_with_a_receipt_that_is_shown_again(zoo: tuple[str, httpx.Client]) -> None:
    _, caller = zoo
    exported = caller.get(at("bot", "export")).content

    receipt = erased(caller, values=["user:ana:*"])
    headers = {"Content-Type": "application/x-ndjson"}
    imported = caller.post(at("another", "import"), content=exported, headers=headers).json()
    later = [erased(caller, speakers=["ben"])["id"], erased(caller)["id"]]

    assert (receipt["items"], receipt["values"], receipt["mentions"], receipt["remaining"]) == (2, 2, 2, 0)
    assert imported["refused"] == 2
    assert caller.get(f"/v1/erasures/{receipt['id']}").json() == receipt
    page = caller.get("/v1/erasures", params={"limit": 2}).json()
    rest = caller.get("/v1/erasures", params={"cursor": page["cursor"]}).json()
    assert [one["id"] for one in page["erasures"]] == later[::-1]
    assert rest == {"erasures": [receipt], "cursor": None}
    of_ben = caller.get("/v1/erasures", params={"speaker": "ben"}).json()["erasures"]
    assert [one["id"] for one in of_ben] == later[:1]


def test_mentions_wait_for_review_and_may_be_kept(zoo: tuple[str, httpx.Client]) -> None:
    _, caller = zoo
    erased(caller)

    (waiting,) = caller.get(at("bot", "review")).json()["mentions"]
    kept = caller.post(at("bot", "memories", waiting["id"], "release")).json()

    assert (waiting["content"], kept["content"]) == ("Ana left", "Ana left")
    assert caller.get(at("bot", "review")).json()["mentions"] == []
    assert len(caller.get(at("team", "review")).json()["mentions"]) == 1


def test_a_receipt_that_was_changed_or_is_anothers_is_not_genuine(
    zoo: tuple[str, httpx.Client], ana: httpx.Client
) -> None:
    _, caller = zoo
    receipt = erased(caller)

    def is_genuine(who: httpx.Client, shown: dict[str, Any]) -> bool:
        return bool(who.post("/v1/erasures/verify", json={"receipt": shown}).json()["genuine"])

    assert is_genuine(caller, receipt)
    assert not is_genuine(caller, {**receipt, "items": 99})
    assert not is_genuine(ana, receipt)
    detail(ana.get(f"/v1/erasures/{receipt['id']}"), 404)


def test_the_operator_names_a_tenant_and_nobody_else_does(
    served: Served, zoo: tuple[str, httpx.Client], ana: httpx.Client
) -> None:
    tenant, caller = zoo
    with served.caller() as operator:
        own = erased(operator, dry_run=True)
        receipt = erased(operator, tenant=tenant)
        listed = operator.get("/v1/erasures", params={"tenant": tenant}).json()["erasures"]
        detail(operator.post("/v1/erasures", json={"speakers": ["ana"], "tenant": "nobody"}), 404)

    assert own["tenant"] == "local"
    assert listed == [receipt] == caller.get("/v1/erasures", params={"tenant": tenant}).json()["erasures"]
    for other in (tenant, "nobody"):
        detail(ana.post("/v1/erasures", json={"speakers": ["ana"], "tenant": other}), 403)
        detail(ana.get("/v1/erasures", params={"tenant": other}), 403)
        detail(ana.post("/v1/erasures/admit", json={"speakers": ["ana"], "tenant": other}), 403)


def test_a_key_that_is_no_admins_or_does_not_cover_all_spaces_erases_nobody(
    served: Served, zoo: tuple[str, httpx.Client]
) -> None:
    tenant, caller = zoo
    for limits in ({"scopes": ["read", "write"]}, {"spaces": ["team"], "scopes": ["read", "write", "admin"]}):
        with served.tenant(tenant=tenant, **limits) as other:
            detail(other.post("/v1/erasures", json={"speakers": ["ana"]}), 403)
            detail(other.get("/v1/erasures"), 403)
    assert contents(caller, "team") == ["Ana left", "I like tea"]


def test_somebody_who_is_admitted_is_imported_again(zoo: tuple[str, httpx.Client]) -> None:
    _, caller = zoo
    exported = caller.get(at("bot", "export")).content
    erased(caller)

    admitted = caller.post("/v1/erasures/admit", json={"speakers": ["ana", "nobody"]}).json()
    headers = {"Content-Type": "application/x-ndjson"}
    imported = caller.post(at("another", "import"), content=exported, headers=headers).json()

    assert admitted == {"admitted": ["ana"]}
    assert (imported["refused"], contents(caller, "another")) == (0, ["Ana left", "I like tea"])


def test_a_pattern_that_would_take_everything_is_refused(ana: httpx.Client) -> None:
    detail(ana.post("/v1/erasures", json={"speakers": ["ana"], "values": ["*"]}), 422)


def test_the_audit_tells_which_key_erased_by_the_id_of_the_receipt(
    served: Served, zoo: tuple[str, httpx.Client]
) -> None:
    tenant, caller = zoo
    with served.caller() as operator:
        receipt = erased(operator, tenant=tenant)

    (entry,) = caller.get("/v1/audit", params={"item": receipt["id"]}).json()["entries"]

    assert (entry["verb"], entry["space"], entry["outcome"]) == ("erase", None, "done")
    assert entry["key"] not in [key["id"] for key in caller.get("/v1/keys").json()["keys"]]
