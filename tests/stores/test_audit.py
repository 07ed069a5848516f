"""The audit in a file: what a question looks at, and damage that is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.stores.audit_contract import entry
from truekeep.errors import DamagedStore
from truekeep.model import AuditFilters
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import SPACE


@pytest.mark.parametrize(
    ("sought", "index"),
    [
        ({}, "audit_by_tenant"),
        ({"item": "a"}, "sqlite_autoindex_audit_items_1"),
        ({"item": "a", "since": 0, "verb": "recall"}, "sqlite_autoindex_audit_items_1"),
        ({"request": "r"}, "audit_by_request"),
    ],
)
def test_an_item_and_a_request_are_found_without_reading_all_days(sought: dict[str, Any], index: str) -> None:
    store = SqliteStore(None)
    asked: list[Any] = []

    def plan(rows: Any) -> list[str]:
        rows.ask = lambda *question: asked.append(question) or []  # type: ignore[func-returns-value]
        rows.audit(SPACE.tenant, sought, before=None, limit=10)
        [(statement, *values)] = asked
        return [detail for *_, detail in rows.connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]

    steps = store._driver.read(SPACE.tenant, plan)

    assert not any(step.startswith("SCAN") for step in steps)
    assert index in steps[0] or "PRIMARY KEY" in steps[0]
    store.close()


def test_an_altered_entry_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    store.note_audit({SPACE.tenant: [entry("forget", "a")]})
    store.close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE audit SET key = 'somebody else'")
    connection.close()

    store = SqliteStore(path)

    assert store.check() == ["a row of audit is damaged"]
    with pytest.raises(DamagedStore, match="audit"):
        store.audit(SPACE.tenant, AuditFilters())
    store.close()
