"""The contract of a tenant's own space: inherit `OwnSpaceContract` in a test module and supply an empty `store`."""

from __future__ import annotations

from datetime import timedelta

import pytest

from truekeep.errors import QuotaExceeded
from truekeep.model import SpaceId
from truekeep.ports import Movable, Store
from truekeep.stores.ledger import quotas
from truekeep.testing.samples import NOW, SPACE, job, keep, put

OWN = SpaceId.own("local")
LEASE = timedelta(minutes=1)


def furnish(store: Store, tenant: str = "local") -> None:
    """What belongs to the tenant as a whole."""
    store.edit_value(SpaceId.own(tenant), "reader:crm", lambda _: {"bot": 1}, now=NOW, ttl=None)
    store.add_job(job("own", SpaceId.own(tenant)))


class OwnSpaceContract:
    """What belongs to a tenant as a whole is kept, and is no space that anybody sees."""

    def test_it_holds_values_and_jobs(self, store: Store) -> None:
        furnish(store)

        kept, other = (store.value(SpaceId.own(tenant), "reader:crm", now=NOW) for tenant in ("local", "acme"))
        claimed = store.claim_job(now=NOW, lease=LEASE, max_attempts=3)

        assert kept is not None
        assert (kept.value, other) == ({"bot": 1}, None)
        assert claimed is not None
        assert (claimed.space, claimed.state) == (OWN, "running")
        assert store.job(OWN, "own") == claimed
        assert store.check() == []

    def test_it_is_not_among_the_spaces_nor_are_its_jobs(self, store: Store) -> None:
        furnish(store)
        for name in ("a", "Ü"):
            keep(store, put("item"), space=SpaceId("local", name))

        assert store.spaces("local") == ["a", "Ü"]
        assert [size.name for size in store.overview("local", after="a", limit=1)] == ["Ü"]
        assert (store.find_job("local", "own"), store.latest_jobs("local")) == (None, [])
        assert store.tenants() == ["local"]

    def test_keys_that_begin_alike_are_found_in_those_of_all_tenants(self, store: Store) -> None:
        for tenant in ("local", "acme"):
            furnish(store, tenant)
        for space, key in ((SPACE, "reader:none"), (OWN, "reader"), (OWN, "reader;"), (OWN, "reader:a")):
            store.edit_value(space, key, lambda _: 1, now=NOW, ttl=None)

        assert store.own_keys("reader:") == [("acme", "reader:crm"), ("local", "reader:a"), ("local", "reader:crm")]
        assert store.own_keys("none:") == []

    def test_its_jobs_take_nobodys_place(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(quotas, "OPEN_JOBS", 1)
        furnish(store)

        store.add_job(job("another"))

        with pytest.raises(QuotaExceeded, match="jobs"):
            store.add_job(job("one more"))

    def test_it_goes_along_when_a_store_is_moved(self, store: Store) -> None:
        assert isinstance(store, Movable)
        furnish(store)
        keep(store, put("item"))
        keep(store, put("item"), space=SpaceId("local", "gone"))
        store.erase_space(SpaceId("local", "gone"))

        with store.viewed() as view:
            spaces = view.spaces()

        assert spaces == [SPACE, OWN]

    def test_it_goes_with_its_tenant(self, store: Store) -> None:
        for tenant in ("local", "acme"):
            furnish(store, tenant)

        receipt = store.erase_tenant("local")

        assert (receipt.spaces, receipt.items, receipt.remaining) == (0, 0, 0)
        assert store.value(OWN, "reader:crm", now=NOW) is None
        assert store.job(OWN, "own") is None
        assert store.tenants() == ["acme"]
        assert store.value(SpaceId.own("acme"), "reader:crm", now=NOW) is not None
        furnish(store)
        assert store.spaces("local") == []
        assert store.check() == []


class HeadsContract:
    """How far all spaces of a tenant have come."""

    def test_the_heads_of_a_tenants_spaces_are_told_by_name(self, store: Store) -> None:
        for name in ("b", "a", "gone"):
            keep(store, put("item"), space=SpaceId("local", name))
        keep(store, put("item"), space=SpaceId("acme", "bot"))
        store.edit_value(SPACE, "k", lambda _: 1, now=NOW, ttl=None)
        store.erase_space(SpaceId("local", "gone"))
        store.erase(SpaceId("local", "b"), ["item"], now=NOW)
        furnish(store)

        heads = store.heads("local")

        assert list(heads) == ["a", "b"]  # one that holds traces is still to be told of
        assert heads == {name: store.head(SpaceId("local", name)) for name in heads}
        assert store.heads("nobody") == {}
