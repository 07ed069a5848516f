"""`check`: what is wrong with a store, and what a repair does about it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from truekeep import Memory
from truekeep.stores.postgres import PostgresStore
from truekeep.stores.sqlite import SqliteStore
from truekeep.stores.sqlite.driver import FileRows
from truekeep.testing.fakes import FakeEmbedder
from truekeep.testing.samples import SPACE, keep, put

from .shell import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    with Memory("default", at=shell.file, embedder=FakeEmbedder(16), background=False) as memory:
        memory.remember_many([f"note {number}" for number in range(5)])
    return shell


def miscount(path: Path) -> None:
    """What a fault of ours once did: the rows are right, and the tally of their checksums is not."""
    store = SqliteStore(path)

    def work(rows: FileRows) -> None:
        for space in rows.spaces():
            rows.find(space).counts["items_sum"] += 7
        rows.connection.execute("UPDATE sizes SET bytes = bytes + 1")

    store._driver.change(None, work)
    store.close()


def contents(path: Path) -> list[str]:
    with Memory("default", at=path, embedder=FakeEmbedder(16), background=False) as memory:
        return sorted(item.content for item in memory.items())


def test_a_sound_store_is_said_to_be_sound(filled: Shell) -> None:
    assert "sound" in filled.ok("check").out


def test_wrong_tallies_are_told_and_repaired_after_a_copy(filled: Shell) -> None:
    miscount(filled.file)

    told, dry = filled("check"), filled("check", "--json").json
    repaired = filled("check", "--repair", "--json").json

    assert told.code == 1
    assert "check --repair` would repair" in told.out
    assert (dry["ok"], len(dry["repairable"]), dry["repaired"], dry["backup"]) == (False, 2, [], None)
    assert (repaired["ok"], repaired["repaired"]) == (True, dry["repairable"])
    assert "'default': 5 rows of items counted again" in repaired["repaired"][0]
    assert contents(filled.file) == [f"note {number}" for number in range(5)]
    assert filled("check", "--at", repaired["backup"]).code == 1  # the copy is as it was
    assert "sound" in filled.ok("check").out


def test_a_row_that_is_damaged_itself_is_not_repaired(filled: Shell) -> None:
    miscount(filled.file)
    connection = apsw.Connection(str(filled.file))
    connection.execute("UPDATE items SET content = 'note X' WHERE content = 'note 3'")
    connection.close()
    before = sorted(path.name for path in filled.file.parent.iterdir())

    said = filled("check", "--repair")

    assert said.code == 1
    assert "1 rows of items in the space 'default'" in said.out
    assert "nothing was changed" in said.out
    assert sorted(path.name for path in filled.file.parent.iterdir()) == before


def test_counters_of_a_database_are_counted_again(postgres_url: str) -> None:
    store = PostgresStore(postgres_url)
    keep(store, put("a"), put("b"))
    store._driver.change(None, lambda rows: rows.session.change("UPDATE spaces SET items = 7, bytes = 1"))

    dry, done = store.recount(dry_run=True), store.recount()

    assert dry == done
    assert "2 items where 7 were noted" in done[0]
    assert (store.recount(), store.check()) == ([], [])
    assert [size.items for size in store.overview(SPACE.tenant)] == [2]
    store.close()
