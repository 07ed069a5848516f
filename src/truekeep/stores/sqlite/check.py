"""Checking: read everything and tell what is not as it was written; where only the tallies are not, count again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from truekeep.errors import DamagedStore
from truekeep.stores.ledger.cells import Space
from truekeep.stores.tables import COLUMNS, Held, sizes_of

from .faults import FAULTS
from .rows import (
    AUDIT_COLUMNS,
    KEY_COLUMNS,
    SPACE,
    TALLIED,
    UNSEALED,
    USAGE_COLUMNS,
    Columns,
    checksum,
    count_keys,
    count_rows,
    count_spaces,
    counted,
    is_key_tally_right,
    meta,
    named,
    query,
    recount_keys,
)

if TYPE_CHECKING:
    import apsw

    from .driver import FileRows

TOLD = 20  # problems of one table that are told one by one
CHECKED: dict[str, str] = {
    "meta": "one, secret, wipe, spaces, spaces_sum, checksum",
    "spaces": SPACE,
    **{table: named(table) for table in COLUMNS if table != UNSEALED},
    "snapshots": "space, name, seq, manifest, checksum",
    "access_keys": KEY_COLUMNS,
    "key_tally": "one, keys, keys_sum, checksum",
    "usage": USAGE_COLUMNS,
    "audit": ", ".join(AUDIT_COLUMNS),
}
SIZES = sizes_of("space")
WRONG_SIZES = f"""SELECT count(*) FROM spaces LEFT JOIN sizes ON sizes.space = spaces.id
    LEFT JOIN ({SIZES}) AS held ON held.space = spaces.id WHERE coalesce(sizes.bytes, 0) != coalesce(held.bytes, 0)"""


def problems(rows: FileRows) -> Iterator[str]:
    """Pages, then rows, then what is missing; each in a sentence without anybody's text."""
    connection = rows.connection
    yield from _tried(lambda: _unfit_pages(connection), "the pages cannot be read")
    for table in CHECKED:
        yield from _tried(partial(_damaged_rows, connection, table), f"{table} cannot be read to its end")
    yield from _tried(lambda: _missing(rows))
    yield from _tried(partial(count_keys, connection))
    yield from _tried(lambda: _wrong_sizes(connection), "the sizes of spaces cannot be counted")


def _tried(look: Callable[[], Iterable[str] | None], otherwise: str = "") -> Iterator[str]:
    """What a look tells, and what kept it from telling all."""
    try:
        yield from look() or ()
    except (DamagedStore, *FAULTS) as error:
        yield f"{otherwise}: {type(error).__name__}" if otherwise else str(error)


def _unfit_pages(connection: apsw.Connection) -> Iterator[str]:
    for (line,) in query(connection, "PRAGMA integrity_check"):
        if line != "ok":
            yield f"the pages do not fit together: {line}"


def _unlike_written(connection: apsw.Connection, table: str) -> Iterator[Columns]:
    for row in connection.execute(f"SELECT {CHECKED[table]} FROM {table}"):
        if checksum(table, row[:-1]) != row[-1]:
            yield row


def _damaged_rows(connection: apsw.Connection, table: str) -> Iterator[str]:
    count = 0
    for row in _unlike_written(connection, table):
        count += 1
        if count <= TOLD:
            yield f"a row of {table} is damaged: {row[1]!r}" if table in _NAMED else f"a row of {table} is damaged"
    if count > TOLD:
        yield f"{count - TOLD} more rows of {table} are damaged"


_NAMED = frozenset({"items", "versions", "markers", "vectors", "kept_values", "jobs"})  # second column: an id or a key


def _missing(rows: FileRows) -> Iterator[str]:
    connection = rows.connection
    meta(connection)
    count_spaces(connection)
    for (id,) in query(connection, "SELECT id FROM spaces"):
        yield from _tried(partial(_see_all, rows, id))


def _see_all(rows: FileRows, id: int) -> None:
    row = rows.by_id(id)
    for table in TALLIED:
        count_rows(rows.connection, row, table)


def _wrong_sizes(connection: apsw.Connection) -> Iterator[str]:
    if wrong := query(connection, WRONG_SIZES)[0][0]:
        yield f"the sizes of {wrong} spaces are not those of what they hold"


def recounted(rows: FileRows, *, dry_run: bool) -> list[str]:
    """Put the tallies right, inside a write, and tell of each; a dry run only tells.

    Raises DamagedStore where a row itself is damaged.
    """
    connection = rows.connection
    _refuse_damage(connection)
    meta(connection)
    count_spaces(connection)
    told: list[str] = []
    for (id,) in query(connection, "SELECT id FROM spaces ORDER BY id"):
        row = rows.by_id(id)
        fixes = [fix for table in TALLIED if (fix := _recount(connection, row, table)) is not None]
        if fixes and not dry_run:
            rows.save(row)
        if fixes:
            told.append(f"the space {row.name!r}: {', '.join(fixes)}")
    if not is_key_tally_right(connection):
        told.append("the access keys counted again")
        if not dry_run:
            recount_keys(connection)
    sizes = query(connection, f"{SIZES} ORDER BY space")
    if sizes != query(connection, "SELECT space, bytes FROM sizes WHERE bytes != 0 ORDER BY space"):
        told.append("the sizes of the spaces added up again")
        if not dry_run:
            connection.execute("DELETE FROM sizes")
            connection.executemany("INSERT INTO sizes VALUES (?, ?)", sizes).fetchall()
    return told


def _refuse_damage(connection: apsw.Connection) -> None:
    if query(connection, "PRAGMA integrity_check(1)") != [("ok",)]:
        raise DamagedStore("the pages of the file do not fit together; nothing was changed, restore a backup")
    names: dict[int, str] = dict(query(connection, "SELECT id, name FROM spaces"))
    damaged: Counter[str] = Counter()
    for table, columns in CHECKED.items():
        for row in _unlike_written(connection, table):
            where = f" in the space {names.get(row[0], row[0])!r}" if columns.startswith("space,") else ""
            damaged[f"rows of {table}{where}"] += 1
    if damaged:
        told = ", ".join(f"{count} {what}" for what, count in damaged.items())
        raise DamagedStore(f"damaged themselves: {told}; nothing was changed, restore a backup")


def _recount(connection: apsw.Connection, row: Space, table: Held) -> str | None:
    """What was wrong, and is put right in the row of the space; None if nothing was."""
    found = counted(connection, row, table)
    total = f"{table}_sum"
    noted = row.counts[table]
    if found == (noted, row.counts[total]):
        return None
    row.counts[table], row.counts[total] = found
    lost = f", where {noted:,} were noted" if noted != found[0] else ""
    return f"{found[0]:,} rows of {table} counted again{lost}"
