"""Recounting: where every row is as it was written and only the tallies are not, they are counted again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from truekeep.errors import DamagedStore
from truekeep.stores.ledger.cells import Space

from .checking import CHECKED, SIZES
from .rows import checksum, query
from .spaces import LOW, TALLIED, Spaces, count_spaces, meta
from .usage import is_key_tally_right, recount_keys

if TYPE_CHECKING:
    import apsw


def recounted(connection: apsw.Connection, spaces: Spaces, *, dry_run: bool) -> list[str]:
    """Put the tallies right, inside a write, and tell of each; a dry run only tells.

    Raises DamagedStore where a row itself is damaged.
    """
    _refuse_damage(connection)
    meta(connection)
    count_spaces(connection)
    told: list[str] = []
    for (id,) in query(connection, "SELECT id FROM spaces ORDER BY id"):
        row = spaces.by_id(connection, id)
        fixes = [fix for table in TALLIED if (fix := _recount(connection, row, table)) is not None]
        if fixes and not dry_run:
            spaces.save(connection, row)
        if fixes:
            told.append(f"the space {row.name!r}: {', '.join(fixes)}")
    if not is_key_tally_right(connection):
        told.append("the access keys counted again")
        if not dry_run:
            recount_keys(connection)
    sizes = query(connection, SIZES)
    if sorted(sizes) != query(connection, "SELECT space, bytes FROM sizes WHERE bytes != 0 ORDER BY space"):
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
        in_space = columns.startswith("space,")
        for row in connection.execute(f"SELECT {columns} FROM {table}"):
            if checksum(table, row[:-1]) != row[-1]:
                where = f" in the space {names.get(row[0], row[0])!r}" if in_space else ""
                damaged[f"rows of {table}{where}"] += 1
    if damaged:
        told = ", ".join(f"{count} {what}" for what, count in damaged.items())
        raise DamagedStore(f"damaged themselves: {told}; nothing was changed, restore a backup")


def _recount(connection: apsw.Connection, row: Space, table: str) -> str | None:
    """What was wrong, and is put right in the row of the space; None if nothing was."""
    statement = f"SELECT count(*), coalesce(sum(checksum & {LOW}), 0) FROM {table} WHERE space = ?"
    found = query(connection, statement, (row.id,))[0]
    total = f"{table}_sum"
    noted = row.counts[table]
    if found == (noted, row.counts[total]):
        return None
    row.counts[table], row.counts[total] = found
    lost = f", where {noted:,} were noted" if noted != found[0] else ""
    return f"{found[0]:,} rows of {table} counted again{lost}"
