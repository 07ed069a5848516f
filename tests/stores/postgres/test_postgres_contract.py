"""The PostgreSQL store keeps the contract."""

from __future__ import annotations

from tests.stores.served_contract import ServedStoreContract
from truekeep.model import SpaceId
from truekeep.ports import Head, Store
from truekeep.testing.samples import NOW, SPACE, keep, put


class TestOnPostgres(ServedStoreContract):
    """With the fixture `store` of this folder."""


def test_what_cannot_be_kept_is_not_there(store: Store) -> None:
    """PostgreSQL knows no NUL in a text; whoever asks for one gets an answer all the same."""
    keep(store, put("a"))

    assert [item.id for item in store.get(SPACE, ["a", "\0"])] == ["a"]
    assert store.job(SPACE, "\0") is None
    assert store.find_job(SPACE.tenant, "\0") is None
    assert store.value(SPACE, "\0", now=NOW) is None
    assert store.history(SPACE, "\0") == []
    assert store.erase(SPACE, ["\0"], now=NOW).ids == ()
    assert store.rotate_access_key(None, "\0", b"") is None
    assert not store.remove_access_key(None, "\0")
    assert store.head(SpaceId("local", "\0")) == Head(0, 0)
    assert store.value(SPACE, "k", now=NOW) is None


def test_a_value_with_a_nul_inside_comes_back(store: Store) -> None:
    store.edit_value(SPACE, "k", lambda _: ["\0", {"\0": 1}], now=NOW, ttl=None)

    kept = store.value(SPACE, "k", now=NOW)

    assert kept is not None
    assert kept.value == ["\0", {"\0": 1}]
    assert store.check() == []
