"""What PostgreSQL still holds of what was erased, and the command that ends it: its files are searched."""

from __future__ import annotations

import re

import psycopg

from truekeep.model import Source
from truekeep.ports import Store
from truekeep.testing.samples import NOW, SPACE, keep, put

NEEDLE = "qz0417zq"
# What a database has on the disk, once all is written there.
FILES = """SELECT pg_read_binary_file('base/' || d.oid || '/' || name, true) FROM pg_database AS d,
    LATERAL pg_ls_dir('base/' || d.oid) AS name WHERE d.datname = current_database() AND name ~ '^[0-9]+'"""


def is_on_disk(connection: psycopg.Connection[tuple[bytes | None]]) -> bool:
    connection.execute("CHECKPOINT")
    return any(NEEDLE.encode() in (content or b"") for (content,) in connection.execute(FILES))


def test_the_command_that_a_receipt_names_ends_it(store: Store, postgres_url: str, postgres_server: str) -> None:
    keep(store, *(put(f"id{number}", f"{NEEDLE} {number}", source=Source(speaker=NEEDLE)) for number in range(50)))
    keep(store, *(put(f"other{number}", f"note {number}") for number in range(50)))
    (command,) = re.findall("VACUUM FULL [^;]+", " ".join(store.leftovers()))

    with (
        psycopg.connect(postgres_url, autocommit=True) as owner,
        psycopg.connect(postgres_server, autocommit=True, dbname=owner.info.dbname) as anybody,
    ):
        before = is_on_disk(anybody)
        store.erase(SPACE, [f"id{number}" for number in range(50)], now=NOW)
        owner.execute(command)

        assert (before, is_on_disk(anybody)) == (True, False)
