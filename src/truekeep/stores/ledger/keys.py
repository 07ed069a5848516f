"""Access keys: who may do what, when each was used and for what; and tenants, to whom all belongs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from truekeep.errors import Conflict, InvalidInput
from truekeep.model import HIDDEN, AccessKey, AuditEntry, AuditFilters, AuditPage, SpaceId, TenantReceipt
from truekeep.stores.tables import microseconds, moment, to_json

from .cells import Cells, key_cells, key_of
from .driver import Chapter
from .erasure import Erasing
from .rows import Rows

REVOKED = ("keys", "revoked", "ever")  # counted in the usage of a tenant: whether there was a key, for good
_CURSOR = re.compile(r"(-?\d{1,18})\.(\d{1,18})", re.ASCII)


class Keys(Erasing):
    """The port `Keys`. Whose key it is, is known only once it is found: without a tenant, keys of all are sought."""

    def add_access_key(self, key: AccessKey, digest: bytes) -> None:
        cells = key_cells(key, digest)
        if not self._driver.change(key.tenant, lambda rows: rows.keep_key(cells)):
            raise Conflict(f"there is a key {key.id!r} already, or one with the same secret")

    def access_key(self, digest: bytes) -> AccessKey | None:
        found = self._driver.read(None, lambda rows: rows.entries("access_keys", digest=digest))
        return key_of(found[0]) if found else None

    def access_keys(self, tenant: str | None) -> list[AccessKey]:
        return [
            key_of(cells)
            for cells in self._driver.read(tenant, lambda rows: rows.entries("access_keys", tenant=tenant))
        ]

    def rotate_access_key(
        self, tenant: str | None, id: str, digest: bytes, *, former: Callable[[AccessKey], AccessKey] | None = None
    ) -> AccessKey | None:
        def work(rows: Rows) -> AccessKey | None:
            for cells in rows.entries("access_keys", tenant=tenant, id=id):
                if not rows.keep_key((cells[0], digest, *cells[2:]), cells):
                    raise Conflict("there is a key with the same secret already")
                key = key_of(cells)
                if former is not None:
                    rows.keep_key(key_cells(former(key), cells[1]))
                return key
            return None

        return self._driver.change(tenant, work)

    def update_access_key(
        self, tenant: str | None, id: str, change: Callable[[AccessKey], AccessKey]
    ) -> AccessKey | None:
        def work(rows: Rows) -> AccessKey | None:
            for cells in rows.entries("access_keys", tenant=tenant, id=id):
                changed = (*key_cells(change(key_of(cells)), cells[1])[:-1], cells[-1])
                rows.keep_key(changed, cells)
                return key_of(changed)
            return None

        return self._driver.change(tenant, work)

    def remove_access_key(self, tenant: str | None, id: str) -> bool:
        def work(rows: Rows) -> bool:
            for cells in rows.entries("access_keys", tenant=tenant, id=id):
                if rows.drop_key(cells):
                    rows.add_usage((cells[2], *REVOKED), 1)
                    return True
            return False

        return self._driver.change(tenant, work)

    def has_access_keys(self) -> bool:
        return self._driver.read(None, lambda rows: rows.has_keys())

    def is_closed(self) -> bool:
        return self._driver.read(None, lambda rows: rows.has_keys() or _was_revoked(rows))

    def open_again(self) -> None:
        def work(rows: Rows) -> None:
            if rows.has_keys():
                raise Conflict("there are access keys; revoke them first")
            rows.strike("usage", subject=REVOKED[0])

        self._driver.change(None, work)

    def note_key_use(self, used: Mapping[str, datetime]) -> None:
        times = {id: microseconds(used[id]) for id in sorted(used)}
        if times:
            self._driver.change(None, lambda rows: rows.note_key_use(times))

    def tenants(self) -> list[str]:
        found = self._driver.read(None, lambda rows: rows.tenants())
        return sorted(tenant for tenant in found if not tenant.startswith(HIDDEN))

    def erase_tenant(self, tenant: str) -> TenantReceipt:
        keys = self._driver.change(None, lambda rows: _drop_keys(rows, tenant))
        erased = [self.erase_space(SpaceId(tenant, name)) for name in self.traces(tenant)]
        own = self.erase_space(SpaceId.own(tenant))  # last: until then it tells what is still to be done
        self._driver.change(None, lambda rows: rows.strike("usage", tenant=tenant))
        self._driver.change(None, lambda rows: rows.strike("audit", tenant=tenant))
        left = len(self.access_keys(tenant)) + len(self.traces(tenant))
        return TenantReceipt(
            tenant=tenant,
            keys=keys,
            spaces=len(erased),
            items=sum(len(one.ids) for one in erased),
            remaining=left + sum(one.remaining for one in (*erased, own)),
            pending=any(one.pending for one in (*erased, own)),
        )

    def traces(self, tenant: str) -> list[str]:
        found = self._driver.read(None, lambda rows: rows.spaces(tenant), together=True)
        return [space.name for space in found if not space.is_hidden]


def _was_revoked(rows: Rows) -> bool:
    subject, counter, period = REVOKED
    return bool(rows.entries("usage", subject=subject, counter=counter, period=period))


def _drop_keys(rows: Rows, tenant: str) -> int:
    keys = rows.entries("access_keys", tenant=tenant)
    if any(key_of(cells).operator for cells in keys):
        raise Conflict(f"an operator's key belongs to the tenant {tenant!r}; revoke it first")
    for cells in keys:
        rows.drop_key(cells)
    if keys:
        rows.add_usage((HIDDEN, *REVOKED), 1)  # under no name: that there was a key must outlive the tenant
    return len(keys)


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
        while self._driver.read(None, lambda rows: rows.has_before("audit", at)):
            self._driver.change(None, lambda rows: rows.strike_before("audit", at))


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
