"""The contract of the audit: inherit `AuditContract` in a test module and supply an empty `store`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from truekeep.errors import InvalidInput
from truekeep.model import AuditEntry, AuditFilters, SpaceId
from truekeep.ports import Store
from truekeep.testing.samples import NOW, SPACE, keep, put

DAY = timedelta(days=1)


def entry(verb: str, *ids: str, **fields: Any) -> AuditEntry:
    return AuditEntry(**{"at": NOW, "key": "k", "verb": verb, "ids": ids, "space": SPACE.name, **fields})


def verbs(store: Store, tenant: str = SPACE.tenant, **filters: Any) -> list[str]:
    return [one.verb for one in store.audit(tenant, AuditFilters(**filters)).entries]


class AuditContract:
    """Entries by tenant and time, found by what they name."""

    def test_entries_come_back_as_they_were_noted_the_latest_first(self, store: Store) -> None:
        keep(store, put("a"))
        first = entry("remember", "a", "b", request="r-1")
        later = [entry("recall", at=NOW + DAY), entry("é", space=None, outcome="not-found", at=NOW - DAY)]

        store.note_audit({SPACE.tenant: [first]})
        store.note_audit({SPACE.tenant: later, "acme": [entry("foreign", "a")]})
        store.note_audit({})
        store.note_audit({"acme": []})

        assert store.audit(SPACE.tenant, AuditFilters()).entries == (later[0], first, later[1])
        assert verbs(store, "acme") == ["foreign"]
        assert verbs(store, "nobody") == []
        assert store.check() == []

    def test_each_filter_finds_its_own(self, store: Store) -> None:
        keep(store, put("a"))
        keep(store, put("a"), space=SpaceId(SPACE.tenant, "other"))
        store.note_audit(
            {
                SPACE.tenant: [
                    entry("remember", "a", "b", at=NOW - DAY),
                    entry("recall", "b", key="other", request="r-1"),
                    entry("forget", "a", space="other", at=NOW + DAY),
                ],
                "acme": [entry("foreign", "a", key="other", request="r-1")],
            }
        )

        found = {name: verbs(store, **{name: value}) for name, value in {"item": "a", "key": "other"}.items()}
        found |= {"request": verbs(store, request="r-1"), "space": verbs(store, space="other")}
        found |= {
            "verb": verbs(store, verb="recall"),
            "since": verbs(store, since=NOW),
            "until": verbs(store, until=NOW),
        }

        assert found == {
            "item": ["forget", "remember"],
            "key": ["recall"],
            "request": ["recall"],
            "space": ["forget"],
            "verb": ["recall"],
            "since": ["forget", "recall"],
            "until": ["remember"],
        }
        assert verbs(store, item="b", space=SPACE.name, until=NOW) == ["remember"]
        assert verbs(store, item="a", key="other") == []
        assert verbs(store, item="missing") == verbs(store, space="missing") == verbs(store, request="r-2") == []

    def test_pages_go_on_where_the_one_before_ended(self, store: Store) -> None:
        keep(store, put("a"))
        same = [entry(f"{number}", "a") for number in range(5)]
        store.note_audit({SPACE.tenant: [*same, entry("first", "a", at=NOW - DAY), entry("last", at=NOW + DAY)]})

        for filters, count in ((AuditFilters(), 7), (AuditFilters(item="a"), 6)):
            seen: list[str] = []
            cursor = None
            while len(seen) < count:
                page = store.audit(SPACE.tenant, filters, cursor=cursor, limit=2)
                seen += [one.verb for one in page.entries]
                cursor = page.cursor
                assert (cursor is None) == (len(seen) == count)

            assert seen == ["last", "4", "3", "2", "1", "0", "first"][-count:]

    @pytest.mark.parametrize("cursor", ["", "x", "1", "1.x", "1.2.3", "9" * 40 + ".1", "1.\x00"])
    def test_a_cursor_that_is_none_is_refused(self, store: Store, cursor: str) -> None:
        with pytest.raises(InvalidInput, match="cursor"):
            store.audit(SPACE.tenant, AuditFilters(), cursor=cursor)

    def test_it_outlives_items_and_spaces_but_not_their_names(self, store: Store) -> None:
        keep(store, put("a"))
        store.note_audit({SPACE.tenant: [entry("remember", "a"), entry("recall", space="never used")]})

        store.erase(SPACE, ["a"], now=NOW)
        store.erase_space(SPACE)
        store.note_audit({SPACE.tenant: [entry("forget", "a", at=NOW + DAY)]})

        found = store.audit(SPACE.tenant, AuditFilters(item="a")).entries
        assert [(one.verb, one.space) for one in found] == [("forget", None), ("remember", None)]
        assert verbs(store, space=SPACE.name) == ["forget", "remember"]
        assert {one.space for one in store.audit(SPACE.tenant, AuditFilters()).entries} == {None}

    def test_it_is_dropped_when_it_is_old(self, store: Store) -> None:
        many = [entry("many", "a", f"{number}", at=NOW - DAY) for number in range(2_500)]
        store.note_audit({SPACE.tenant: [*many, entry("new", "a")], "acme": [entry("old", at=NOW - DAY)]})

        store.drop_audit(before=NOW)

        assert verbs(store) == verbs(store, item="a") == ["new"]
        assert verbs(store, item="7") == verbs(store, "acme") == []
        store.drop_audit(before=NOW + DAY)
        assert verbs(store, item="a") == []
        assert store.check() == []

    def test_it_goes_with_its_tenant(self, store: Store) -> None:
        store.note_audit({tenant: [entry("remember", "a", request="r")] for tenant in ("acme", "other")})

        store.erase_tenant("acme")

        assert verbs(store, "acme") == verbs(store, "acme", item="a") == verbs(store, "acme", request="r") == []
        assert verbs(store, "other", item="a") == ["remember"]
