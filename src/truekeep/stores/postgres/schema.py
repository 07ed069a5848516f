"""The schema of a database: how it gets to the present version, and the roles that its rows are seen through."""

from __future__ import annotations

import secrets
import time
from hashlib import blake2b
from typing import Any, NamedTuple

from psycopg import errors, sql

from truekeep.errors import ConfigurationError
from truekeep.stores.versions import Version, refuse_newer, scripts

from .session import Connection

OLDEST = 150000  # PostgreSQL 15: views that ask with the rights of whoever reads them
LOCK = 0x5265636F  # ten servers may start at once
LONGEST_NAME = 63  # bytes
PLACEHOLDERS = ("truekeep_tenant", "truekeep_keeper")  # for the roles, in migrations
BESIDE: frozenset[int] = frozenset()  # migrations that programs from before them need not know, as for a file
RACES = 20  # roles belong to the whole cluster, where no lock of a database helps


class Roles(NamedTuple):
    """Through which rows are seen: those of one tenant, or by the keeper those of all. Nobody can log in as them."""

    tenant: str
    keeper: str


def roles_of(database: str) -> Roles:
    """Each database has its own: roles belong to the whole cluster, and its other databases to somebody else."""
    if len(f"truekeep_tenant_{database}".encode()) > LONGEST_NAME:
        database = blake2b(database.encode(), digest_size=16).hexdigest()
    return Roles(f"truekeep_tenant_{database}", f"truekeep_keeper_{database}")


def migrations() -> tuple[str, ...]:
    return scripts(__package__)


def migrate(connection: Connection, schema: str, location: str, *, until: int | None = None) -> bytes:
    """Bring the database to the present schema, as a whole or not at all; the secret that keys its fingerprints.

    Or only `until` an earlier one, for rows that were written then.
    """
    _inspect(connection, location)
    roles = roles_of(connection.info.dbname)
    if Version.read(_version(connection, schema, roles)).schema < (until or len(migrations())):
        _make_roles(connection, roles, location)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            _run_missing(connection, schema, roles, until)
    refuse_newer(_version(connection, schema, roles), len(migrations()), location)
    return bytes(_of_meta(connection, schema, roles, "secret"))


def _inspect(connection: Connection, location: str) -> None:
    if connection.info.server_version < OLDEST:
        version = connection.info.server_version // 10000
        raise ConfigurationError(f"{location} runs PostgreSQL {version}; Truekeep needs 15 or newer")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise ConfigurationError(f"{location} keeps texts as {encoding}; Truekeep needs a database in UTF8")


def _version(connection: Connection, schema: str, roles: Roles) -> int:
    """0 for a database without our tables."""
    there = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'meta'"
    return int(_of_meta(connection, schema, roles, "version")) if _one(connection, there, (schema,)) else 0


def _of_meta(connection: Connection, schema: str, roles: Roles, column: str) -> Any:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(roles.keeper)))
        meta = sql.SQL("SELECT {} FROM {}").format(sql.Identifier(column), sql.Identifier(schema, "meta"))
        return _one(connection, meta)


def _run_missing(connection: Connection, schema: str, roles: Roles, until: int | None) -> None:
    name = sql.Identifier(schema)
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
    named = sql.SQL(", ").join(map(sql.Identifier, roles))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(name, named))
    connection.execute(sql.SQL("SET LOCAL search_path TO {}, pg_temp").format(name))
    version = 0
    if _one(connection, "SELECT to_regclass('meta')") is not None:
        number = int(_one(connection, "SELECT version FROM meta"))  # another process may have been faster
        version = Version.read(number).schema
    for number, script in enumerate(migrations()[version:until], version + 1):
        for placeholder, role in zip(PLACEHOLDERS, roles, strict=True):
            script = script.replace(placeholder, sql.Identifier(role).as_string(connection))
        connection.execute(script)
        if number == 1:
            connection.execute("INSERT INTO meta VALUES (1, 1, %s)", (secrets.token_bytes(32),))
        connection.execute("UPDATE meta SET version = %s", (Version.after(number, BESIDE).number,))


def _make_roles(connection: Connection, roles: Roles, location: str) -> None:
    """Make them, and let whoever opens the store take them on."""
    for attempt in range(RACES):
        try:
            for role in roles:
                _make_role(connection, role)
            return
        except errors.InsufficientPrivilege as error:
            tenant, keeper, user = (f'"{name}"' for name in (*roles, connection.info.user))
            raise ConfigurationError(
                f"{location}: {user} may not make the roles through which rows are seen; an administrator may: "
                f"CREATE ROLE {tenant}; CREATE ROLE {keeper}; GRANT {tenant}, {keeper} TO {user}"
            ) from error
        except (errors.UniqueViolation, errors.DuplicateObject, errors.InternalError_):
            if attempt == RACES - 1:  # another process makes them too: "tuple concurrently updated"
                raise
            time.sleep(0.01 * (attempt + 1))


def _make_role(connection: Connection, role: str) -> None:
    name = sql.Identifier(role)
    if _one(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)) is None:
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOBYPASSRLS").format(name))
    right = "SET" if connection.info.server_version >= 160000 else "MEMBER"  # who makes a role may not yet take it on
    if not _one(connection, "SELECT pg_has_role(current_user, %s, %s)", (role, right)):
        connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(name))


def _one(connection: Connection, statement: str | sql.Composed, values: tuple[str, ...] = ()) -> Any:
    row = connection.execute(statement, values).fetchone()
    return None if row is None else row[0]
