"""Cutting erased texts out of jobs, without taking the rest of a transcript along."""

from __future__ import annotations

import json
from collections.abc import Collection

import apsw

from truekeep.stores.cutting import shortened, without
from truekeep.stores.ledger.space import Space

from .jobs import JOB, rewrite_job
from .rows import Columns, query, to_json, verified

PAYLOAD, STATE, RESULT, ERROR = 3, 4, 6, 7  # places among the columns of a job


def cut_out(connection: apsw.Connection, row: Space, texts: Collection[str]) -> None:
    """Jobs that are still to be done lose the texts; those that are done or failed lose their whole payload."""
    for old in _telling(connection, row.id, texts):
        new = list(old[:-1])
        is_open = new[STATE] in ("waiting", "running")
        new[PAYLOAD] = to_json(without(json.loads(new[PAYLOAD]), texts)) if is_open else "{}"
        new[RESULT] = to_json(without(json.loads(new[RESULT]), texts))
        new[ERROR] = None if new[ERROR] is None else shortened(new[ERROR], texts)
        rewrite_job(connection, row, old, tuple(new))


def jobs_telling(connection: apsw.Connection, space: int, texts: Collection[str]) -> int:
    """How many jobs of the space contain one of the texts."""
    return len(_telling(connection, space, texts))


def _telling(connection: apsw.Connection, space: int, texts: Collection[str]) -> list[Columns]:
    sought = [to_json(text)[1:-1] for text in texts]  # as it looks within JSON
    found = []
    for columns in query(connection, f"{JOB} WHERE space = ?", (space,)):
        whole = f"{columns[PAYLOAD]}\n{columns[RESULT]}\n{to_json(columns[ERROR])}"
        if any(text in whole for text in sought):  # most jobs need not be read
            verified("jobs", columns, columns[1])
            told = [json.loads(columns[PAYLOAD]), json.loads(columns[RESULT]), columns[ERROR]]
            if without(told, texts) != told:
                found.append(columns)
    return found
