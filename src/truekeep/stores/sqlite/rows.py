"""Rows: how what is kept becomes columns, and how a row that is not what was written, or that is gone, is noticed.

Each row is sealed by a checksum; how many rows there are, and the sum of their checksums, are tallied beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

import apsw

from truekeep.errors import DamagedStore, StoreError
from truekeep.stores.ledger.cells import Cells, Name, Space
from truekeep.stores.tables import AUDIT, COLUMNS, KEY, USAGE, Held

Column: TypeAlias = "int | float | str | bytes | None"
Columns: TypeAlias = "tuple[Any, ...]"  # a row as SQLite gives it, checksum last

UNSEALED = "accesses"
AT_ONCE = 1024  # names in one statement
TALLIED: tuple[Held, ...] = ("items", "versions", "tombstones", "answers", "kept_values", "jobs")
LOW = 0xFFFFFFFF  # sums of the lower half of checksums cannot overflow
COUNTERS = ("head", "floor", "value_head", *(name for table in TALLIED for name in (table, f"{table}_sum")))
SPACE = ", ".join(("id", "tenant", "name", "identity", *COUNTERS, "checksum"))
USAGE_COLUMNS = ", ".join((*USAGE, "checksum"))
KEY_COLUMNS = ", ".join((*KEY[:-1], "checksum"))
AUDIT_COLUMNS = ("number", *AUDIT, "checksum")
COUNT_KEYS = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM access_keys"
UNDER_THEIR_KEY: frozenset[Held] = frozenset({"tombstones", "answers", "kept_values"})


def named(table: Held) -> str:
    """The columns of a table, as they are sealed."""
    return ", ".join(("space", *COLUMNS[table], *([] if table == UNSEALED else ["checksum"])))


ITEM = named("items")


def query(connection: apsw.Connection, statement: str, values: Sequence[Any] = ()) -> list[Columns]:
    """All rows at once: a statement that is left open would hold the log."""
    return connection.execute(statement, values).fetchall()


def checksum(table: str, columns: Sequence[Column]) -> int:
    """Eight bytes over the columns as Python writes them in ASCII: no two rows read alike, in any version of it."""
    written = f"{table}{tuple(columns)!a}".encode()
    return int.from_bytes(blake2b(written, digest_size=8).digest(), "big", signed=True)


def sealed(table: str, *columns: Column) -> Columns:
    """The columns with their checksum behind them."""
    return (*columns, checksum(table, columns))


def verified(table: str, row: Columns, name: object) -> Columns:
    """The row, if it is what was written. `name` is what the message calls it by: an id or a key, never a text."""
    if checksum(table, row[:-1]) != row[-1]:
        raise damaged(table, name)
    return row


def damaged(table: str, name: object) -> DamagedStore:
    return DamagedStore(f"a row of {table} is damaged: {name!r}; restore a backup, or see what `check` tells")


def replaced_one(connection: apsw.Connection, table: str) -> None:
    """See that the last statement replaced a row. One that was read before it changed would be tallied wrongly."""
    if connection.changes() != 1:
        raise StoreError(f"a row of {table} had changed since it was read; nothing was written")


def cells_of(table: str, columns: Columns) -> Cells:
    """What is kept of a row, without the number of the space and the checksum; it is what was written."""
    if table == UNSEALED:
        count_of(columns[2])
        return columns[1:]
    if checksum(table, columns[:-1]) != columns[-1]:
        raise damaged(table, table if table in ("tombstones", "moves") else columns[1])
    return columns[1:-1]


def count_of(kept: object) -> int:
    """An access count; none is kept for what was never recalled."""
    if kept is not None and not isinstance(kept, int):
        raise DamagedStore("the access counts are damaged; restore a backup")
    return kept or 0


def parts(names: Collection[Name]) -> Iterator[Sequence[Name]]:
    """As many as go into one statement; rounded up by the last one, so that there are few statements to prepare."""
    given = list(names)
    if len(given) == 1:
        yield given
        return
    for start in range(0, len(given), AT_ONCE):
        part = given[start : start + AT_ONCE]
        yield [*part, *repeat(part[-1], (1 << (len(part) - 1).bit_length()) - len(part))]


def space_of(row: Columns) -> Space:
    """What a row (SPACE) tells. How many rows of each table there are is counted by its name, their sum beside it."""
    return Space(*row[:3], *row[4:7], counts=dict(zip(COUNTERS[3:], row[7:-1], strict=True)))


def columns_of(space: Space) -> Columns:
    named = (space.id, space.tenant, space.name)
    columns: Columns = (*named, identity(*named), *space.counters())
    return (*columns, checksum("spaces", columns))


@lru_cache(maxsize=10_000)
def identity(*named: int | str) -> int:
    return checksum("identity", named)


def tally(space: Space, table: str, added: int | None = None, removed: int | None = None) -> None:
    """A row with checksum `added` came, one with checksum `removed` went; both: it was replaced."""
    counts, total = space.counts, f"{table}_sum"
    if added is not None:
        counts[table] += 1
        counts[total] += added & LOW
    if removed is not None:
        counts[table] -= 1
        counts[total] -= removed & LOW


class Meta(NamedTuple):
    """What there is to know of the file itself."""

    secret: bytes
    wipe: int
    spaces: int
    total: int  # of the identities of spaces


def meta(connection: apsw.Connection) -> Meta:
    rows = query(connection, "SELECT one, secret, wipe, spaces, spaces_sum, checksum FROM meta")
    if len(rows) != 1:
        raise DamagedStore("the row about the file is missing; restore a backup")
    return Meta(*verified("meta", rows[0], "meta")[1:-1])


def keep_meta(connection: apsw.Connection, about: Meta) -> None:
    row = sealed("meta", 1, *about)
    connection.execute("UPDATE meta SET one = ?, secret = ?, wipe = ?, spaces = ?, spaces_sum = ?, checksum = ?", row)


def counted(connection: apsw.Connection, row: Space, table: Held) -> Columns:
    """How many rows the space has in the table, and the sum of their checksums."""
    statement = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM {table} WHERE space = ?"
    return query(connection, statement, (row.id,))[0]


def count_rows(connection: apsw.Connection, row: Space, table: Held) -> None:
    """See that the space has as many rows in the table as its tally says, and the right ones."""
    if table in UNDER_THEIR_KEY:  # where no second index would contradict a damaged one
        for columns in query(connection, f"SELECT {named(table)} FROM {table} WHERE space = ?", (row.id,)):
            verified(table, columns, "row")
    if counted(connection, row, table) != (row.counts[table], row.counts[f"{table}_sum"]):
        raise DamagedStore(
            f"rows of {table} in the space {row.name!r} are missing or damaged; restore a backup, or see whether "
            "`truekeep check` can repair it"
        )


def count_spaces(connection: apsw.Connection) -> None:
    """See that no space vanished. One statement, so that it sees one state of the file."""
    statement = f"""SELECT m.spaces, m.spaces_sum, count(s.id), coalesce(sum(s.identity & {LOW}), 0)
        FROM meta AS m LEFT JOIN spaces AS s ON true"""
    count, total, found, found_total = query(connection, statement)[0]
    if (count, total) != (found, found_total):
        raise DamagedStore("a space is missing or damaged; restore a backup")


def count_keys(connection: apsw.Connection) -> None:
    """See that no key vanished. Call it in a transaction."""
    if not is_key_tally_right(connection):
        raise DamagedStore("access keys are missing or damaged; restore a backup")


def is_key_tally_right(connection: apsw.Connection) -> bool:
    _, keys, total, _ = tallied_keys(connection)
    return query(connection, COUNT_KEYS) == [(keys, total)]


def recount_keys(connection: apsw.Connection) -> None:
    """Inside a write."""
    _keep_key_tally(connection, *query(connection, COUNT_KEYS)[0])


def tallied_keys(connection: apsw.Connection) -> Columns:
    rows = query(connection, "SELECT one, keys, keys_sum, checksum FROM key_tally")
    if len(rows) != 1:
        raise DamagedStore("the row that counts the access keys is missing; restore a backup")
    return verified("key_tally", rows[0], "key_tally")


def tally_keys(connection: apsw.Connection, added: int | None = None, removed: int | None = None) -> None:
    _, keys, total, _ = tallied_keys(connection)
    keys += (added is not None) - (removed is not None)
    total += (0 if added is None else added & LOW) - (0 if removed is None else removed & LOW)
    _keep_key_tally(connection, keys, total)


def _keep_key_tally(connection: apsw.Connection, keys: int, total: int) -> None:
    connection.execute(
        "UPDATE key_tally SET one = ?, keys = ?, keys_sum = ?, checksum = ?", sealed("key_tally", 1, keys, total)
    )
