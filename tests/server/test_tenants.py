"""The operator's view of tenants: figures and names, never contents, and their end."""

from __future__ import annotations

from typing import Any

import httpx

from .served import Served, at, detail

SECRET_TEXT = "Ana keeps a zebra"


def figures(operator: httpx.Client, name: str) -> dict[str, Any] | None:
    """Found by leafing through all of them, two at a time."""
    cursor: str | None = ""
    while cursor is not None:
        page = operator.get("/v1/tenants", params={"limit": 2, "cursor": cursor}).json()
        for one in page["tenants"]:
            if one["name"] == name:
                return dict(one)
        cursor = page["cursor"]
    return None


def test_every_tenant_is_told_with_what_it_holds_uses_and_may_use(served: Served) -> None:
    made = served.new_key(tenant="zoo", quotas={"memories": 10, "recalls_per_month": 20})
    with served.caller(made["key"]) as caller, served.caller() as operator:
        for space in ("bot", "team"):
            caller.post(at(space, "memories"), json={"content": SECRET_TEXT})
        caller.put(at("bot", "values", "animal"), json={"value": SECRET_TEXT})
        caller.post(at("bot", "recall"), json={"query": "zebra"})
        found = figures(operator, "zoo")
        everything = operator.get("/v1/tenants").text

    assert found is not None
    assert found["bytes"] > 0
    counted = ("keys", "spaces", "items", "values", "operations", "recalls", "writes")
    assert {name: found[name] for name in counted} == {
        "keys": 1,
        "spaces": 2,
        "items": 2,
        "values": 1,
        "operations": 4,
        "recalls": 1,
        "writes": 3,
    }
    assert (found["quotas"]["memories"], found["quotas"]["recalls_per_month"]) == (10, 20)
    assert "zebra" not in everything
    assert "animal" not in everything


def test_quotas_of_a_tenant_hold_for_all_of_its_keys(served: Served) -> None:
    made = served.new_key(tenant="several")
    with served.caller(made["key"]) as caller, served.caller() as operator:
        child = caller.post("/v1/keys", json={"name": "child"}).json()
        limited = operator.patch("/v1/tenants/several", json={"quotas": {"recalls_per_month": 5}}).json()
        answers = []
        for key in (made["key"], child["key"]):
            with served.caller(key) as holder:
                answers += [holder.post(at("bot", "recall"), json={"query": "tea"}).status_code for _ in range(5)]

    assert limited["quotas"]["recalls_per_month"] == 5
    assert sorted(answers) == [*[200] * 5, *[429] * 5]


def test_a_tenant_is_erased_with_a_receipt_and_its_keys_stop_at_once(served: Served) -> None:
    made = served.new_key(tenant="leaving")
    with served.caller(made["key"]) as caller, served.caller() as operator:
        caller.post(at("bot", "memories"), json={"content": SECRET_TEXT})

        receipt = operator.delete("/v1/tenants/leaving").json()

        detail(caller.get("/v1/spaces"), 401)
        assert figures(operator, "leaving") is None
        detail(operator.delete("/v1/tenants/leaving"), 404)
        detail(operator.patch("/v1/tenants/leaving", json={"quotas": {"memories": 1}}), 404)
    assert (receipt["tenant"], receipt["keys"], receipt["spaces"], receipt["items"]) == ("leaving", 1, 1, 1)
    assert receipt["remaining"] == 0


def test_tenants_are_for_the_operator(served: Served) -> None:
    made = served.new_key(tenant="curious")
    with served.caller(made["key"]) as caller:
        for answer in (
            caller.get("/v1/tenants"),
            caller.patch("/v1/tenants/curious", json={"quotas": {"memories": None}}),
            caller.delete("/v1/tenants/curious"),
        ):
            detail(answer, 403)
