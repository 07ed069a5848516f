"""Mentions: what other rows tell of an erased item, and how it is taken out of them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import apsw

from truekeep.stores import fates
from truekeep.stores.fates import Fate
from truekeep.stores.ledger.space import Space

from .applying import file_version, rewrite
from .items import ONE
from .rows import ITEM, Column, Columns, query, sealed, to_json, verified
from .spaces import tally

BODY, WHEN, UNTIL, RETIRED, SUCCESSOR = 4, 10, 11, 12, 14  # places in ITEM
IN_DOUBT = """instr(body, '"suspected_by"')"""
ANSWERS = "SELECT space, key, request, id, outcome, superseded, at, checksum FROM answers"

Gone = fates.Gone[int]


def clear_mentions(connection: apsw.Connection, row: Space, gone: Gone, at: int, *, reopen: bool) -> None:
    """What was superseded by an erased item stays retired, unless it is reopened; the name of its successor goes."""
    ids = frozenset(gone.fates)
    for id in dict.fromkeys(_naming(connection, row, gone)):
        for old in query(connection, ONE, (row.id, id)):  # as it is now: a row may name several of the erased
            columns = _without(verified("items", old, id), ids, at)
            if reopen and old[SUCCESSOR] in ids:
                columns = _reopened(connection, columns, gone.left_by(old[SUCCESSOR]))
            if columns != old[:-1]:
                rewrite(connection, row, old, (*columns[:2], row.next_seq(), *columns[3:]))
    _clear_former(connection, row, ids, at)
    _clear_answers(connection, row, ids)


def _naming(connection: apsw.Connection, row: Space, gone: Gone) -> Iterator[str]:
    """The ids of items that may name one of the erased, some of them more than once."""
    superseded = "SELECT id FROM items WHERE space = ? AND superseded_by = ?"
    for erased in gone.fates:
        yield from (id for (id,) in query(connection, superseded, (row.id, erased)))
    yield from gone.successors - gone.fates.keys()
    yield from (id for (id,) in query(connection, f"SELECT id FROM items WHERE space = ? AND {IN_DOUBT}", (row.id,)))


def _reopened(connection: apsw.Connection, columns: tuple[Column, ...], fate: Fate[int]) -> tuple[Column, ...]:
    """The columns of an item whose successor never was: it ends as that one did, or not at all."""
    new = list(columns)
    new[UNTIL], new[RETIRED], new[SUCCESSOR] = fate
    body = json.loads(new[BODY])  # type: ignore[arg-type]  # the text of the column
    body.pop("reason", None)
    for successor in query(connection, ONE, (new[0], fate.successor)):
        new[UNTIL] = successor[WHEN]
        body["reason"] = f"superseded by {fate.successor}"
    new[BODY] = to_json(body)
    return tuple(new)


def _clear_former(connection: apsw.Connection, row: Space, ids: frozenset[str], at: int) -> None:
    statement = f"SELECT row, {ITEM} FROM versions WHERE space = ? AND (superseded_by IS NOT NULL OR {IN_DOUBT})"
    for number, *old in query(connection, statement, (row.id,)):
        columns = _without(verified("versions", tuple(old), old[1]), ids, at)
        if columns == tuple(old[:-1]):
            continue
        connection.execute("DELETE FROM versions WHERE row = ?", (number,))
        tally(row, "versions", removed=old[-1])
        file_version(connection, row, columns)


def _clear_answers(connection: apsw.Connection, row: Space, ids: frozenset[str]) -> None:
    """An answer that only mentions an erased item stays: its idempotency key must not come free."""
    statement = f"{ANSWERS} INDEXED BY answers_naming_others WHERE space = ? AND superseded != '[]'"
    for old in query(connection, statement, (row.id,)):
        superseded = json.loads(verified("answers", old, old[3])[5])
        if not ids.isdisjoint(superseded):
            left = to_json([id for id in superseded if id not in ids])
            new = sealed("answers", *old[:5], left, old[6])
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new)
            tally(row, "answers", added=new[-1], removed=old[-1])


def _without(columns: Columns, ids: frozenset[str], at: int) -> tuple[Column, ...]:
    """The columns (without checksum) of an item, naming none of the ids any more."""
    new = list(columns[:-1])
    if new[SUCCESSOR] in ids:
        new[SUCCESSOR] = None
        if new[RETIRED] is None:
            new[RETIRED] = at
    body = json.loads(new[BODY])
    if any(id in (body.get("reason") or "") for id in ids):
        del body["reason"]
    if not ids.isdisjoint(body.get("suspected_by", ())):
        body["suspected_by"] = [id for id in body["suspected_by"] if id not in ids]
    if not body.get("suspected_by", True):
        del body["suspected_by"]
    new[BODY] = to_json(body)
    return tuple(new)
