"""How much the server looks at does not depend on how much a space holds, statistics or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from truekeep.model import Source, SpaceId
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.postgres.questions import CLAIMS, HAS_MOVED, SAID
from truekeep.stores.postgres.tables import Tables, page_of, select, several
from truekeep.stores.sql import ERASED, MADE
from truekeep.stores.tables import fingerprint, microseconds
from truekeep.testing.samples import EMBEDDER, NOW, SPACE, keep, put

HELD = 3000
GONE = 1000
LAST = 2 * GONE + 2 * HELD - 5  # but a few changes
FEW = 200  # rows looked at, for an answer of a handful


@pytest.fixture(params=["without statistics", "with statistics"])
def store(request: pytest.FixtureRequest, postgres_url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(postgres_url)) as store:
        puts = [
            put(
                f"i{number}",
                f"text {number}",
                vectors=b"v" * 64,
                key="k",
                when=NOW + timedelta(hours=number),
                until=NOW,
            )
            for number in range(HELD)
        ]
        gone = [f"g{number}" for number in range(GONE)]
        keep(store, *map(put, gone))
        store.erase(SPACE, gone, now=NOW)
        keep(store, *puts)
        keep(store, *(put(f"s{number}", "Thanks", source=Source(speaker=f"u{number}")) for number in range(HELD)))
        store.count_accesses({SPACE: {f"i{number}": 1 for number in range(HELD)}}, now=NOW)
        if request.param == "with statistics":
            with store._driver._connected() as connection:
                connection.execute("ANALYZE truekeep.items, truekeep.markers, truekeep.vectors, truekeep.accesses")
        yield store


def looked_at(node: dict[str, Any]) -> float:
    """Rows that the scans of a plan came by, those that they dropped included."""
    below = sum(looked_at(child) for child in node.get("Plans", ()))
    if "Scan" not in node["Node Type"]:
        return below
    dropped = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float(below + (node["Actual Rows"] + dropped) * node["Actual Loops"])


def explained(session: Any, statement: str, values: Any) -> Any:
    """The plan that was run. Values are written into it, since EXPLAIN EXECUTE takes no others."""
    cursor = psycopg.ClientCursor(session.connection)
    return cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values).fetchall()[0][0]


def test_of_spaces_no_more_is_read_than_is_told(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(PostgresStore(postgres_url)) as store:
        for number in range(5):
            keep(store, put("a"), space=SpaceId("local", f"s{number}"))
        read: list[Any] = []
        ask = Tables.ask

        def noted(rows: Tables, statement: str, *values: Any) -> list[Any]:
            found = ask(rows, statement, *values)
            read.extend(cell for row in found for cell in row)
            return found

        monkeypatch.setattr(Tables, "ask", noted)
        store.heads("local")
        heads, read[:] = len(read), []
        store.traces("local")

    assert (heads, len(read)) == (5 * 3, 5 * 2)


def test_a_few_rows_are_found_by_looking_at_a_few(store: PostgresStore) -> None:
    ids = ["i7", "i2990", "nobody"]
    vectors = f"{select('vectors')} {MADE.format(Tables.column, Tables.among)}".replace("?", "%s")
    erased = f"{select('markers')} {ERASED.format(Tables.column)}".replace("?", "%s")
    mark, thanks = (fingerprint(store._driver.secret, SPACE, text) for text in ("text 7", "thanks"))

    def explain(session: Any) -> dict[str, float]:
        [(space,)] = session.query("SELECT id FROM spaces")
        changes = (space, LAST, 10)
        time = microseconds(NOW + timedelta(hours=HELD - 3, minutes=1))
        asked: dict[str, tuple[str, Any]] = {
            "several": (several("items"), (ids, space)),
            "found": ("EXECUTE reading(%s, %s)", (space, ids)),
            "accesses": (several("accesses"), (ids, space)),
            "changes": (page_of("items", True), changes),
            "vectors": (vectors, (space, EMBEDDER, ids)),
            "erased": (erased, (space, GONE + 7, space, 10)),
            "moved": (
                HAS_MOVED,
                {"space": space, "seq": LAST, "ids": ids, "prints": [mark], "keys": ["other"]},
            ),
            "said": (SAID, {"space": space, "marks": [thanks], "sources": [""], "speakers": ["u7"]}),
            "said by anybody": (SAID, {"space": space, "marks": [thanks], "sources": [""], "speakers": [None]}),
            "claims": (CLAIMS, {"space": space, "keys": ["k"], "times": [time]}),
        }
        [(body,)] = session.query("SELECT prosrc FROM pg_proc WHERE oid = 'found'::regproc")
        inside = body.partition("RETURN QUERY")[2].partition(";")[0].replace("of_space", "$1").replace("(ids)", "($2)")
        session.connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")  # as the function has it
        session.connection.execute(f"PREPARE reading (bigint, text[]) AS {inside}")
        plans = {name: explained(session, statement, values) for name, (statement, values) in asked.items()}
        return {name: looked_at(json.loads(plan)[0]["Plan"]) for name, plan in plans.items()}

    counts = store._driver.transact(SPACE.tenant, "together", explain)

    assert {name: count for name, count in counts.items() if count > FEW} == {}
