"""The audit: entries by tenant and time, and a second way to them by item."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from truekeep.errors import InvalidInput
from truekeep.model import HIDDEN, AuditEntry, AuditFilters, AuditPage, SpaceId
from truekeep.stores.tables import microseconds, moment, to_json

from .cells import Cells
from .driver import Chapter
from .rows import Rows

_CURSOR = re.compile(r"(-?\d{1,18})\.(\d{1,18})", re.ASCII)


class Audits(Chapter):
    """The port `Audits`. A space goes by its number, as in all tables: its name is nowhere else."""

    def note_audit(self, entries: Mapping[str, Sequence[AuditEntry]]) -> None:
        told = [(tenant, entry) for tenant, some in entries.items() for entry in some]
        spaces = {SpaceId(tenant, entry.space) for tenant, entry in told if entry.space is not None}
        # Looked up before the write: there, each would be kept from whoever wants to write into it.
        numbers = self._driver.read(None, lambda rows: _numbers(rows, spaces), together=True) if spaces else {}
        cells = [_cells(tenant, entry, numbers) for tenant, entry in told]
        if cells:
            self._driver.change(None, lambda rows: rows.add_audit(cells))

    def audit(self, tenant: str, filters: AuditFilters, *, cursor: str | None = None, limit: int = 100) -> AuditPage:
        before = None if cursor is None else _place(cursor)
        sought: dict[str, str | int | None] = {
            **{name: getattr(filters, name) for name in ("item", "key", "request", "verb")},
            "since": None if filters.since is None else microseconds(filters.since),
            "until": None if filters.until is None else microseconds(filters.until),
        }

        def work(rows: Rows) -> Sequence[Cells]:
            if filters.space is not None:
                row = rows.find(SpaceId(tenant, filters.space))
                if not row.is_there:
                    return ()
                sought["space"] = row.id
            given = {name: value for name, value in sought.items() if value is not None}
            return rows.audit(tenant, given, before=before, limit=limit + 1)

        found = self._driver.read(tenant, work, together=True)
        shown = found[:limit]
        more = len(found) > limit and shown
        return AuditPage(entries=tuple(map(_entry, shown)), cursor=f"{shown[-1][2]}.{shown[-1][0]}" if more else None)

    def drop_audit(self, *, before: datetime) -> None:
        at = microseconds(before)
        while self._driver.read(None, lambda rows: rows.has_audit_before(at)):
            self._driver.change(None, lambda rows: rows.drop_audit(before=at))


def _numbers(rows: Rows, spaces: set[SpaceId]) -> dict[SpaceId, int]:
    found = {space: rows.find(space) for space in spaces}
    return {space: row.id for space, row in found.items() if row.is_there}


def _cells(tenant: str, entry: AuditEntry, numbers: Mapping[SpaceId, int]) -> Cells:
    space = None if entry.space is None else numbers.get(SpaceId(tenant, entry.space))
    told = (entry.key, entry.request, entry.verb, space, entry.outcome, to_json(entry.ids))
    return (tenant, microseconds(entry.at), *told)


def _entry(cells: Cells) -> AuditEntry:
    _, _, at, key, request, verb, _, outcome, ids, space = cells
    return AuditEntry(
        at=moment(at),
        key=key,
        verb=verb,
        space=None if space is None or space.startswith(HIDDEN) else space,
        ids=tuple(json.loads(ids)),
        request=request,
        outcome=outcome,
    )


def _place(cursor: str) -> tuple[int, int]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise InvalidInput("cursor", "is none of the audit; leave it out to begin with the latest")
    return int(found[1]), int(found[2])
