"""Backup: all rows of one moment in one file, which `load_backup` puts into an empty database.

It is a zip archive with a table in each entry, in the text format of COPY, so that nothing but PostgreSQL is needed
to read it in ten years. Large installations back up the server instead; see the page about scaling out.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from truekeep.errors import ConfigurationError, InvalidInput
from truekeep.stores.versions import Version

from .schema import migrate, migrations
from .session import VERSION

if TYPE_CHECKING:
    from .session import Connection, Session

TABLES = (
    *("meta", "spaces", "items", "versions", "markers", "vectors", "tombstones", "answers", "accesses", "kept_values"),
    *("jobs", "checkpoints", "former_values", "access_keys", "usage", "moves"),
    *("audit", "audit_items"),  # snapshots are derived
)
NUMBERED = {"spaces": "id", "audit": "number"}  # what new rows count on from
ABOUT = "about.json"
CHUNK = 1 << 20


def write_backup(session: Session, target: Path) -> None:
    """Fill an empty file."""
    version = Version.read(session.query(VERSION)[0][0])
    if version.schema > len(migrations()):
        raise ConfigurationError(f"the store has schema {version.schema}; back it up with the Truekeep that made that")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        columns = {table: _columns(session, table) for table in TABLES}
        archive.writestr(ABOUT, json.dumps({"schema": len(migrations()), "columns": columns}))
        for table in TABLES:
            named = sql.SQL(", ").join(map(sql.Identifier, columns[table]))
            copy = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(named, sql.Identifier(table))
            with archive.open(table, "w", force_zip64=True) as entry, session.connection.cursor().copy(copy) as rows:
                for data in rows:
                    entry.write(data)


def load_backup(url: str, source: Path, *, schema: str = "truekeep") -> None:
    """Fill the tables of an empty store, as their owner: the walls are taken down for it and stand again afterwards.

    The store has the schema of the backup then; opening it migrates one that an older Truekeep wrote.

    Raises:
        InvalidInput: the file is no backup, or the store holds something or has a newer schema.
        ConfigurationError: the backup was written by a newer version.
    """
    try:
        archive = zipfile.ZipFile(source)
        about = json.loads(archive.read(ABOUT))
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise InvalidInput("source", f"{source} is no backup of a PostgreSQL store") from error
    if about["schema"] > len(migrations()):
        raise ConfigurationError(f"{source} has schema {about['schema']}; load it with the Truekeep that wrote it")
    with archive, psycopg.connect(url, autocommit=True) as connection:
        migrate(connection, schema, connection.info.dbname, until=about["schema"])
        with connection.transaction():
            connection.execute(sql.SQL("SET LOCAL search_path TO {}, pg_temp").format(sql.Identifier(schema)))
            found = connection.execute("DELETE FROM meta RETURNING version").fetchone()
            if found is None or Version.read(found[0]).schema != about["schema"]:
                raise InvalidInput("source", f"has schema {about['schema']}: load it into a database without tables")
            for table in TABLES:
                if table in about["columns"]:  # it was known then
                    _load(connection, archive, table, about["columns"][table])


def _load(connection: Connection, archive: zipfile.ZipFile, table: str, columns: list[str]) -> None:
    name = sql.Identifier(table)
    if table != "meta":
        connection.execute(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(name))
    is_empty = connection.execute(sql.SQL("SELECT NOT EXISTS (SELECT 1 FROM {})").format(name)).fetchone()
    if not (is_empty and is_empty[0]):
        raise InvalidInput("source", "a backup is loaded into an empty store, and this one holds something")
    named = sql.SQL(", ").join(map(sql.Identifier, columns))
    copy = sql.SQL("COPY {} ({}) FROM STDIN").format(name, named)
    with archive.open(table) as entry, connection.cursor().copy(copy) as rows:
        while data := entry.read(CHUNK):
            rows.write(data)
    if table in NUMBERED:  # while its owner can see the rows
        last = sql.SQL("SELECT setval(pg_get_serial_sequence({}, {}), max({})) FROM {}")
        number = NUMBERED[table]
        connection.execute(last.format(sql.Literal(table), sql.Literal(number), sql.Identifier(number), name))
    if table != "meta":
        connection.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(name))


def _columns(session: Session, table: str) -> list[str]:
    """Columns that are kept; the server makes some itself out of others, or numbers them in the order of the rows."""
    statement = """SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0
        AND NOT attisdropped AND attgenerated = '' AND attname <> 'added' ORDER BY attnum"""
    return [name for (name,) in session.query(statement, (table,))]
