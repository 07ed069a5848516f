"""Handing keys on: inside of one's own tenant, and never more than one has."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx

from truekeep.engine import access

from .served import Served, detail


def key_of(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_an_admin_makes_keys_inside_the_tenant_only(served: Served) -> None:
    mine, theirs = served.new_key(), served.new_key()
    with served.caller(mine["key"]) as admin:
        made = key_of(admin.post("/v1/keys", json={"name": "second"}))
        same = key_of(admin.post("/v1/keys", json={"name": "third", "tenant": mine["tenant"]}))

        assert made["tenant"] == same["tenant"] == mine["tenant"]
        assert not made["operator"]
        detail(admin.post("/v1/keys", json={"name": "x", "tenant": theirs["tenant"]}), 403)
        detail(admin.post("/v1/keys", json={"name": "x", "tenant": "local"}), 403)
        assert {key["id"] for key in admin.get("/v1/keys").json()["keys"]} == {mine["id"], made["id"], same["id"]}
        foreign = [admin.delete(f"/v1/keys/{theirs['id']}"), admin.post(f"/v1/keys/{theirs['id']}/rotate")]
        missing = [admin.delete("/v1/keys/nobody"), admin.post("/v1/keys/nobody/rotate")]

    for one, other in zip(foreign, missing, strict=True):
        assert detail(one, 404)["detail"].replace(theirs["id"], "nobody") == detail(other, 404)["detail"]


def test_nobody_hands_on_what_they_do_not_have(served: Served) -> None:
    tenant = served.new_key()
    expires = (served.clock() + timedelta(days=1)).isoformat()
    limited = served.new_key(
        tenant=tenant["tenant"],
        scopes=["read", "admin"],
        spaces=["team-*"],
        expires=expires,
        quotas={"recalls_per_month": 10},
    )
    with served.caller(limited["key"]) as admin:
        for more in (
            {"scopes": ["write"]},
            {"scopes": ["read", "write", "admin"]},
            {"spaces": ["*"]},
            {"spaces": ["private"]},
            {"spaces": ["team-*", "x"]},
            {"tenant": "local"},
        ):
            detail(admin.post("/v1/keys", json={"name": "x", **more}), 403)
        detail(admin.post("/v1/keys", json={"name": "x", "operator": True}), 422)
        later = (served.clock() + timedelta(days=100)).isoformat()
        made = key_of(
            admin.post("/v1/keys", json={"name": "x", "expires": later, "quotas": {"recalls_per_month": 10**6}})
        )
        endless = key_of(admin.post("/v1/keys", json={"name": "x", "spaces": []}))

        # Nor by taking over a key of the same tenant that may do more.
        detail(admin.post(f"/v1/keys/{tenant['id']}/rotate"), 403)
        detail(admin.delete(f"/v1/keys/{tenant['id']}"), 403)

    assert set(made["scopes"]) == {"read", "admin"}
    for one in (made, endless):
        assert one["spaces"] == ["team-*"]
        assert one["expires"] == limited["expires"]
        assert one["quotas"]["recalls_per_month"] == 10


def test_a_tenants_admin_cannot_take_over_an_operator_of_the_same_tenant(served: Served) -> None:
    store, limits = served.opened.parts.store, served.opened.limits
    operator = access.new_key(tenant="shared", name="op", operator=True, now=served.clock(), limits=limits)
    secret = access.new_secret()
    store.add_access_key(operator, access.digest(secret))
    with served.caller(served.new_key(tenant="shared")["key"]) as admin:
        detail(admin.post(f"/v1/keys/{operator.id}/rotate"), 403)
        detail(admin.delete(f"/v1/keys/{operator.id}"), 403)
    with served.caller(secret) as caller:
        assert caller.get("/v1/check").status_code == 200
