"""How much the server looks at for a question to the audit does not depend on how many days there are."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from tests.stores.audit_contract import entry
from tests.stores.postgres.test_plans import FEW, HELD, explained, looked_at
from truekeep.stores.postgres import PostgresStore
from truekeep.testing.samples import SPACE


@pytest.mark.parametrize("analysed", [False, True])
def test_an_item_and_a_request_are_found_without_reading_all_days(store: PostgresStore, analysed: bool) -> None:
    told = [entry("recall", f"i{number}", request=f"r{number}") for number in range(HELD)]
    store.note_audit(dict.fromkeys((SPACE.tenant, "acme"), told))
    if analysed:
        with store._driver._connected() as connection:
            connection.execute("ANALYZE truekeep.audit, truekeep.audit_items")

    def explain(rows: Any, sought: dict[str, str]) -> float:
        asked: list[Any] = []
        rows.session.query("SELECT 1")  # from here on it is a transaction
        rows.ask = lambda *question: asked.append(question) or []  # type: ignore[func-returns-value]
        rows.audit(SPACE.tenant, sought, before=None, limit=10)
        [(statement, *values)] = asked
        return looked_at(json.loads(explained(rows.session, statement.replace("?", "%s"), values))[0]["Plan"])

    for sought in ({"item": "i7"}, {"item": "i7", "verb": "recall"}, {"request": "r7"}):
        looked = store._driver.read(SPACE.tenant, partial(explain, sought=sought), together=True)
        assert looked <= FEW, sought
