"""Checking: read everything and tell what is not as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from truekeep.errors import DamagedStore

from .faults import FAULTS
from .rows import ITEM, checksum, query
from .spaces import COLUMNS_OF, SPACE, TALLIED, Spaces, count_rows, count_spaces, meta
from .usage import COLUMNS as USAGE
from .usage import KEY_COLUMNS as KEY
from .usage import count_keys

if TYPE_CHECKING:
    import apsw

TOLD = 20  # problems of one table that are told one by one
CHECKED = {
    "meta": "one, secret, wipe, spaces, spaces_sum, checksum",
    "spaces": SPACE,
    "items": ITEM,
    "versions": ITEM,
    "markers": "space, id, seq, at, checksum",
    "vectors": "space, id, embedder, data, checksum",
    **COLUMNS_OF,
    "jobs": "space, id, task, payload, state, attempts, result, error, created, updated, lease, not_before, checksum",
    "snapshots": "space, name, seq, manifest, checksum",
    "access_keys": KEY,
    "key_tally": "one, keys, keys_sum, checksum",
    "usage": USAGE,
    "moves": "space, note, checksum",
}
SIZES = """SELECT space, sum(bytes) FROM (
        SELECT space, octet_length(content) + octet_length(body) AS bytes FROM items
        UNION ALL SELECT space, octet_length(content) + octet_length(body) FROM versions
        UNION ALL SELECT space, octet_length(value) FROM kept_values
    ) GROUP BY space ORDER BY space"""
WRONG_SIZES = """SELECT count(*) FROM spaces LEFT JOIN sizes ON sizes.space = spaces.id
    WHERE coalesce(bytes, 0) != (
        (SELECT coalesce(sum(octet_length(content) + octet_length(body)), 0) FROM items WHERE space = spaces.id)
        + (SELECT coalesce(sum(octet_length(content) + octet_length(body)), 0) FROM versions WHERE space = spaces.id)
        + (SELECT coalesce(sum(octet_length(value)), 0) FROM kept_values WHERE space = spaces.id)
    )"""


def problems(connection: apsw.Connection, spaces: Spaces) -> Iterator[str]:
    """Pages, then rows, then what is missing; each in a sentence without anybody's text."""
    try:
        for (line,) in query(connection, "PRAGMA integrity_check"):
            if line != "ok":
                yield f"the pages do not fit together: {line}"
    except FAULTS as error:
        yield f"the pages cannot be read: {type(error).__name__}"
    for table in CHECKED:
        try:
            yield from _damaged_rows(connection, table)
        except FAULTS as error:
            yield f"{table} cannot be read to its end: {type(error).__name__}"
    yield from _missing(connection, spaces)
    yield from _miscounted(connection)


def _damaged_rows(connection: apsw.Connection, table: str) -> Iterator[str]:
    count = 0
    for row in connection.execute(f"SELECT {CHECKED[table]} FROM {table}"):
        if checksum(table, row[:-1]) != row[-1]:
            count += 1
            if count <= TOLD:
                yield f"a row of {table} is damaged: {row[1]!r}" if table in _NAMED else f"a row of {table} is damaged"
    if count > TOLD:
        yield f"{count - TOLD} more rows of {table} are damaged"


_NAMED = frozenset({"items", "versions", "markers", "vectors", "kept_values", "jobs"})  # second column: an id or a key


def _missing(connection: apsw.Connection, spaces: Spaces) -> Iterator[str]:
    try:
        meta(connection)
        count_spaces(connection)
        ids = query(connection, "SELECT id FROM spaces")
    except (DamagedStore, *FAULTS) as error:
        yield str(error)
        return
    for (id,) in ids:
        try:
            row = spaces.by_id(connection, id)
            for table in TALLIED:
                count_rows(connection, row, table)
        except (DamagedStore, *FAULTS) as error:
            yield str(error)


def _miscounted(connection: apsw.Connection) -> Iterator[str]:
    try:
        count_keys(connection)
    except (DamagedStore, *FAULTS) as error:
        yield str(error)
    try:
        wrong = query(connection, WRONG_SIZES)[0][0]
    except FAULTS as error:
        yield f"the sizes of spaces cannot be counted: {type(error).__name__}"
        return
    if wrong:
        yield f"the sizes of {wrong} spaces are not those of what they hold"
