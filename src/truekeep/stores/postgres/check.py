"""Checking: read everything and tell what does not fit together.

That a page is not what was written is for the server to notice, which has checksums for it; reading every row makes
it look at every page.
"""

from __future__ import annotations

from collections.abc import Iterator

from psycopg.errors import DataCorrupted, IndexCorrupted

from truekeep.errors import DamagedStore
from truekeep.stores.ledger.cells import item_of
from truekeep.stores.tables import OF_SPACE, sizes_of

from .questions import ITEM
from .session import Session
from .tables import COUNTED

PAGE = 5000
SIZES = sizes_of("space_id")
WRONG_SIZES = f"""SELECT count(*) FROM spaces AS s LEFT JOIN ({SIZES}) AS held ON held.space_id = s.id
    WHERE s.bytes <> coalesce(held.bytes, 0)"""
WRONG_COUNT = """SELECT count(*) FROM spaces AS s
    LEFT JOIN (SELECT space_id, count(*) AS rows FROM {0} GROUP BY space_id) AS held ON held.space_id = s.id
    WHERE s.{0} <> coalesce(held.rows, 0)"""
AHEAD = (
    "SELECT count(*) FROM spaces AS s WHERE EXISTS (SELECT 1 FROM {} AS r WHERE r.space_id = s.id AND r.seq > s.head)"
)
NOTED = (*sorted(COUNTED), "bytes")  # what the row of a space knows of its rows
HELD = f"""SELECT s.id, s.name, {", ".join(f"s.{name}" for name in NOTED)},
        {", ".join(f"(SELECT count(*) FROM {table} AS r WHERE r.space_id = s.id)" for table in NOTED[:-1])},
        coalesce(held.bytes, 0)
    FROM spaces AS s LEFT JOIN ({SIZES}) AS held ON held.space_id = s.id ORDER BY s.id"""
RIGHT = f"UPDATE spaces SET ({', '.join(NOTED)}) = ({', '.join(['%s'] * len(NOTED))}) WHERE id = %s"


def problems(session: Session) -> Iterator[str]:
    """Each in a sentence without anybody's text. What the server finds damaged ends the look."""
    try:
        for table in OF_SPACE:
            strays = f"""SELECT count(*) FROM {table} AS r
                WHERE NOT EXISTS (SELECT 1 FROM spaces AS s WHERE s.id = r.space_id AND s.tenant = r.tenant)"""
            if count := session.query(strays)[0][0]:
                yield f"{count} rows of {table} belong to no space"
        for table in sorted(COUNTED):
            if count := session.query(WRONG_COUNT.format(table))[0][0]:
                yield f"rows of {table} are missing in {count} spaces, or too many"
        if count := session.query(WRONG_SIZES)[0][0]:
            yield f"the sizes of {count} spaces are not those of what they hold"
        for table in ("items", "markers"):
            if count := session.query(AHEAD.format(table))[0][0]:
                yield f"{count} spaces have {table} that are newer than their last change"
        yield from _unreadable(session)
    except (DataCorrupted, IndexCorrupted) as error:
        yield f"the pages cannot be read: {error.diag.message_primary}"


def recounted(session: Session, *, dry_run: bool) -> list[str]:
    """Put the counters of spaces right and tell of each; a dry run only tells. Raises DamagedStore."""
    if not dry_run:
        session.query("SELECT 1 FROM spaces FOR UPDATE")  # nobody writes meanwhile
    damaged = list(_unreadable(session))
    if damaged:
        raise DamagedStore(f"{len(damaged)} rows are damaged themselves; nothing was changed, restore a backup")
    told = []
    for id, name, *counters in session.query(HELD):
        noted, found = counters[: len(NOTED)], counters[len(NOTED) :]
        wrong = [
            f"{now:,} {what} where {was:,} were noted"
            for what, was, now in zip(NOTED, noted, found, strict=True)
            if was != now
        ]
        if wrong:
            told.append(f"the space {name!r}: {', '.join(wrong)}")
            if not dry_run:
                session.change(RIGHT, (*found, id))
    return told


def _unreadable(session: Session) -> Iterator[str]:
    """Rows that make no item."""
    for table, order, first in (("items", "id", ""), ("versions", "filed", 0)):
        statement = f"""SELECT {ITEM}, space_id, {order} FROM {table} WHERE (space_id, {order}) > (%s, %s)
            ORDER BY space_id, {order} LIMIT {PAGE}"""
        last: tuple[object, ...] = (-1, first)
        while rows := session.query(statement, last):
            for row in rows:
                try:
                    item_of(row[:-2])
                except (ValueError, TypeError, KeyError):
                    yield f"a row of {table} is damaged: {row[0]!r}"
            last = rows[-1][-2:]
