"""The contract of access keys: inherit `KeysContract` in a test module and supply an empty `store`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from truekeep.errors import Conflict
from truekeep.model import AccessKey, Quotas, SpaceId
from truekeep.ports import Store
from truekeep.testing.samples import NOW, SPACE, keep, put


def key(id: str, tenant: str = "acme", **fields: Any) -> AccessKey:
    given = {"name": f"the key {id}", "scopes": ("read", "write"), "created": NOW, **fields}
    return AccessKey(id=id, tenant=tenant, **given)


def digest(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


FULL = key(
    "full",
    name="é🎈 — '\"\n",
    scopes=("admin",),
    spaces=("bot-*", "team"),
    operator=True,
    quotas=Quotas(
        operations_per_month=1, recalls_per_month=2, memories=3, writes_per_day=0, bytes_per_space=50_000_000_000
    ),
    created=NOW - timedelta(days=400, microseconds=7),
    expires=NOW + timedelta(microseconds=1),
)


class KeysContract:
    """Who may do what; supply a fixture `store` that is empty."""

    @pytest.mark.parametrize("given", [key("plain"), FULL, key("over", expires=NOW - timedelta(days=9))])
    def test_a_key_is_found_by_the_digest_of_its_secret_as_it_was_added(self, store: Store, given: AccessKey) -> None:
        store.add_access_key(given, digest("secret"))

        assert store.access_key(digest("secret")) == given
        assert store.access_key(digest("another")) is None
        assert store.access_keys(given.tenant) == [given]
        assert store.check() == []

    def test_a_store_knows_whether_it_has_keys(self, store: Store) -> None:
        before = store.has_access_keys()
        store.add_access_key(key("a"), digest("a"))
        between = store.has_access_keys()
        store.remove_access_key("acme", "a")

        assert (before, between, store.has_access_keys()) == (False, True, False)

    @pytest.mark.parametrize("tenant", ["acme", None])
    def test_a_store_that_had_a_key_stays_closed_until_it_is_opened_again(
        self, store: Store, tenant: str | None
    ) -> None:
        before = store.is_closed()
        store.add_access_key(key("a"), digest("a"))
        with pytest.raises(Conflict, match="revoke"):
            store.open_again()
        between = store.is_closed()
        store.remove_access_key(tenant, "a")
        store.tidy(now=NOW + timedelta(days=9_000))
        after = store.is_closed()
        store.open_again()

        assert (before, between, after, store.is_closed()) == (False, True, True, False)
        assert store.check() == []

    @pytest.mark.parametrize(("id", "secret"), [("a", "other"), ("other", "a")])
    def test_an_id_or_a_secret_that_is_taken_is_refused_also_for_another_tenant(
        self, store: Store, id: str, secret: str
    ) -> None:
        store.add_access_key(key("a"), digest("a"))

        with pytest.raises(Conflict):
            store.add_access_key(key(id, tenant="other"), digest(secret))

        assert store.access_keys(None) == [key("a")]

    def test_keys_are_listed_by_age_for_one_tenant_or_for_all(self, store: Store) -> None:
        young, old = key("young", created=NOW + timedelta(days=1)), key("old")
        foreign = key("foreign", tenant="other", created=NOW + timedelta(hours=1))
        for one in (young, foreign, old):
            store.add_access_key(one, digest(one.id))

        assert store.access_keys("acme") == [old, young]
        assert store.access_keys(None) == [old, foreign, young]
        assert store.access_keys("nobody") == []

    @pytest.mark.parametrize("tenant", ["acme", None])
    def test_a_rotated_key_has_only_its_new_secret(self, store: Store, tenant: str | None) -> None:
        store.add_access_key(key("a"), digest("former"))

        rotated = store.rotate_access_key(tenant, "a", digest("new"))

        assert rotated == key("a")
        assert store.access_key(digest("former")) is None
        assert store.access_key(digest("new")) == key("a")
        assert store.check() == []

    def test_a_key_is_not_rotated_to_a_secret_that_is_taken(self, store: Store) -> None:
        store.add_access_key(key("a"), digest("a"))
        store.add_access_key(key("b", tenant="other"), digest("b"))

        with pytest.raises(Conflict):
            store.rotate_access_key("acme", "a", digest("b"))

        assert store.access_key(digest("a")) == key("a")
        assert store.access_key(digest("b")) == key("b", tenant="other")

    def test_the_former_secret_of_a_rotated_key_may_go_on_as_another_key(self, store: Store) -> None:
        given = key("a", quotas=Quotas(memories=3))
        store.add_access_key(given, digest("former"))
        ends = NOW + timedelta(hours=1)

        store.rotate_access_key(
            "acme", "a", digest("new"), former=lambda one: replace(one, id="a before", expires=ends)
        )

        assert store.access_key(digest("new")) == given
        assert store.access_key(digest("former")) == replace(given, id="a before", expires=ends)
        assert store.check() == []

    @pytest.mark.parametrize("tenant", ["acme", None])
    def test_a_key_is_changed_but_for_its_secret_and_its_last_use(self, store: Store, tenant: str | None) -> None:
        store.add_access_key(key("a"), digest("a"))
        store.add_access_key(key("b"), digest("b"))
        store.note_key_use({"a": NOW})
        wanted = replace(FULL, id="a", operator=False, created=NOW)

        changed = store.update_access_key(tenant, "a", lambda one: replace(wanted, last_used=None))

        assert changed == store.access_key(digest("a")) == replace(wanted, last_used=NOW)
        assert store.access_key(digest("b")) == key("b")
        assert store.check() == []

    def test_a_change_that_raises_changes_nothing(self, store: Store) -> None:
        store.add_access_key(key("a"), digest("a"))

        def refuse(_: AccessKey) -> AccessKey:
            raise Conflict("no")

        with pytest.raises(Conflict):
            store.update_access_key("acme", "a", refuse)

        assert store.update_access_key("other", "a", refuse) is None
        assert store.access_key(digest("a")) == key("a")

    def test_a_key_of_another_tenant_is_not_there(self, store: Store) -> None:
        store.add_access_key(key("a"), digest("a"))

        assert store.rotate_access_key("other", "a", digest("new")) is None
        assert store.rotate_access_key("acme", "unknown", digest("new")) is None
        assert store.remove_access_key("other", "a") is False
        assert store.remove_access_key("acme", "unknown") is False

        assert store.access_key(digest("a")) == key("a")
        assert store.access_key(digest("new")) is None

    @pytest.mark.parametrize("tenant", ["acme", None])
    def test_a_removed_key_is_gone_and_its_id_and_secret_are_free(self, store: Store, tenant: str | None) -> None:
        store.add_access_key(key("a"), digest("a"))
        store.note_key_use({"a": NOW})

        removed = [store.remove_access_key(tenant, "a") for _ in range(2)]

        assert removed == [True, False]
        assert store.access_key(digest("a")) is None
        store.add_access_key(key("a"), digest("a"))
        assert store.access_key(digest("a")) == key("a")  # nobody has used it yet
        assert store.check() == []

    def test_the_last_use_only_gets_later_and_survives_a_rotation(self, store: Store) -> None:
        late = NOW + timedelta(hours=1)
        store.add_access_key(key("a"), digest("a"))
        store.add_access_key(key("b"), digest("b"))

        store.note_key_use({"a": late, "unknown": late})
        store.note_key_use({"a": NOW, "b": NOW})
        store.note_key_use({})

        assert store.access_keys(None) == [replace(key("a"), last_used=late), replace(key("b"), last_used=NOW)]
        assert store.rotate_access_key(None, "a", digest("new")) == replace(key("a"), last_used=late)
        assert store.access_key(digest("new")) == replace(key("a"), last_used=late)

    def test_keys_survive_the_erasure_of_a_space(self, store: Store) -> None:
        store.add_access_key(key("a", tenant=SPACE.tenant), digest("a"))
        keep(store, put("item"))

        store.erase_space(SPACE)
        store.tidy(now=NOW + timedelta(days=900))

        assert store.access_key(digest("a")) == key("a", tenant=SPACE.tenant)

    def test_tenants_are_those_with_a_key_or_with_something_in_a_space(self, store: Store) -> None:
        store.add_access_key(key("a", tenant="with a key"), digest("a"))
        store.add_access_key(key("b", tenant="with both"), digest("b"))
        for tenant in ("with both", "with a space", "emptied"):
            keep(store, put("item"), space=SpaceId(tenant, "bot"))
        store.erase_space(SpaceId("emptied", "bot"))

        assert store.tenants() == ["with a key", "with a space", "with both"]

    def test_a_tenant_is_erased_with_its_keys_spaces_and_usage_and_no_other(self, store: Store) -> None:
        for tenant in ("acme", "other"):
            store.add_access_key(key(f"a {tenant}", tenant=tenant), digest(tenant))
            store.count_usage(tenant, {("tenant:" + tenant, "recalls", "2026-11"): 5})
            for space in ("bot", "team"):
                keep(store, put("item"), space=SpaceId(tenant, space))
        store.erase(SpaceId("acme", "team"), ["item"], now=NOW)  # a space of traces

        receipt = store.erase_tenant("acme")

        assert (receipt.tenant, receipt.keys, receipt.spaces, receipt.items, receipt.remaining) == ("acme", 1, 2, 1, 0)
        assert store.tenants() == ["other"]
        assert store.access_key(digest("acme")) is None
        assert store.usage("acme") == []
        assert store.spaces("other") == ["bot", "team"]
        assert store.access_key(digest("other")) is not None
        assert [one.count for one in store.usage("other")] == [5]
        assert store.erase_tenant("acme").spaces == 0
        assert store.check() == []

    def test_a_store_stays_closed_when_its_last_tenant_is_erased(self, store: Store) -> None:
        store.add_access_key(key("a"), digest("a"))

        store.erase_tenant("acme")

        assert store.is_closed()
        assert store.tenants() == []
        store.open_again()
        assert not store.is_closed()

    def test_a_tenant_with_an_operators_key_is_not_erased(self, store: Store) -> None:
        store.add_access_key(key("a", operator=True), digest("a"))
        keep(store, put("item"), space=SpaceId("acme", "bot"))

        with pytest.raises(Conflict, match="operator"):
            store.erase_tenant("acme")

        assert (store.tenants(), store.spaces("acme")) == (["acme"], ["bot"])
