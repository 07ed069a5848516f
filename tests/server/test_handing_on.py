"""Handing keys on: inside of one's own tenant, and never more than one has."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from truekeep.engine import access

from .served import OPERATOR, Served, at, detail, serving


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

    assert made["scopes"] == ["read"]
    for one in (made, endless):
        assert one["spaces"] == ["team-*"]
        assert one["expires"] == limited["expires"]
        assert one["quotas"]["recalls_per_month"] == 10


def test_a_key_is_made_for_reading_and_writing_unless_more_is_asked_for(served: Served) -> None:
    first = served.new_key()
    with served.caller(first["key"]) as admin:
        plain = key_of(admin.post("/v1/keys", json={"name": "plain"}))
        another = key_of(admin.post("/v1/keys", json={"name": "another", "scopes": ["admin"]}))
    with served.caller(another["key"]) as admin:
        nothing = admin.post("/v1/keys", json={"name": "nothing"})

    assert set(first["scopes"]) == {"read", "write", "admin"}  # the operator made it
    assert plain["scopes"] == ["read", "write"]
    assert detail(nothing, 422)["argument"] == "scopes"


def test_what_the_settings_allow_a_maker_binds_the_keys_that_it_makes(tmp_path: Path) -> None:
    with (
        serving(tmp_path, admin_key=OPERATOR, quotas={"memories": 3, "writes_per_day": 9}) as running,
        running.tenant(quotas={"writes_per_day": 5}) as maker,
    ):
        greedy = key_of(maker.post("/v1/keys", json={"name": "x", "quotas": {"memories": 10**12, "writes_per_day": 7}}))
        modest = key_of(maker.post("/v1/keys", json={"name": "x", "quotas": {"memories": 2}}))
        with running.caller(greedy["key"]) as child:
            holds = child.get("/v1/usage").json()["quotas"]
            kept = [child.post(at("bot", "memories"), json={"content": f"thing {n}"}).status_code for n in range(5)]

    assert (holds["memories"], holds["writes_per_day"]) == (3, 5)
    assert kept == [201, 201, 201, 429, 429]
    assert modest["quotas"]["memories"] == 2


def test_a_key_takes_over_none_that_may_use_more_or_lives_longer(served: Served) -> None:
    tenant = served.new_key()["tenant"]
    soon, later = ((served.clock() + timedelta(days=days)).isoformat() for days in (1, 2))
    small: dict[str, Any] = {"quotas": {"operations_per_month": 10}, "expires": soon}
    larger: list[dict[str, Any]] = [
        {"quotas": {"operations_per_month": 11}, "expires": soon},
        {"expires": soon},
        {"quotas": {"operations_per_month": 10}, "expires": later},
        {"quotas": {"operations_per_month": 10}},
    ]
    others = [served.new_key(tenant=tenant, **more)["id"] for more in larger]
    equal = served.new_key(tenant=tenant, **small)["id"]
    with served.caller(served.new_key(tenant=tenant, **small)["key"]) as admin:
        for id in others:
            detail(admin.post(f"/v1/keys/{id}/rotate"), 403)
            detail(admin.delete(f"/v1/keys/{id}"), 403)
            detail(admin.patch(f"/v1/keys/{id}", json={"name": "mine"}), 403)

        assert admin.post(f"/v1/keys/{equal}/rotate").status_code == 200


def test_a_key_for_some_spaces_lists_only_keys_for_them(served: Served) -> None:
    tenant = served.new_key(name="everything")["tenant"]
    served.new_key(tenant=tenant, name="elsewhere", spaces=["private-*"])
    served.new_key(tenant=tenant, name="more", spaces=["team-*", "private-*"])
    limited = served.new_key(tenant=tenant, name="team", spaces=["team-*"])
    with served.caller(limited["key"]) as admin:
        listed = admin.get("/v1/keys").json()["keys"]

    assert [key["name"] for key in listed] == ["team"]


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


def test_nobody_widens_a_key_beyond_their_own(served: Served) -> None:
    soon = (served.clock() + timedelta(days=1)).isoformat()
    own = served.new_key(
        scopes=["read", "admin"], spaces=["team-*"], quotas={"memories": 3}, expires=soon, tenant="widening"
    )
    foreign = served.new_key()["id"]
    with served.caller(own["key"]) as admin:
        for id in (admin.post("/v1/keys", json={"name": "child"}).json()["id"], own["id"]):
            path = f"/v1/keys/{id}"
            detail(admin.patch(path, json={"scopes": ["write"]}), 403)
            detail(admin.patch(path, json={"spaces": ["*"]}), 403)
            wide = {"spaces": [], "quotas": {"memories": None, "writes_per_day": 5}, "expires": "2999-01-01T00:00:00Z"}
            changed = admin.patch(path, json=wide).json()

            assert changed["spaces"] == ["team-*"]
            assert (changed["quotas"]["memories"], changed["quotas"]["writes_per_day"]) == (3, 5)
            assert changed["expires"] == own["expires"]
        detail(admin.patch(f"/v1/keys/{foreign}", json={"name": "mine"}), 404)
