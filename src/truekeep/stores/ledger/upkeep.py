"""Upkeep: which spaces there are, how much was used, snapshots, and what is removed because it is old."""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import get_args

from truekeep.model import SpaceId, SpaceSize, Usage
from truekeep.ports import Snapshot, Table
from truekeep.stores.tables import microseconds

from .cells import Space
from .checkpoints import note_purged
from .driver import Chapter
from .rows import ALL, Derived, Rows

PIECE = 4_000_000


class Snapshots(Chapter):
    """The port `Snapshots`."""

    def save_snapshot(self, space: SpaceId, name: str, snapshot: Snapshot) -> None:
        saving, manifest = secrets.randbits(62), {}
        number = 0
        for part, data in snapshot.parts.items():
            pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
            manifest[part] = [(number + at, zlib.crc32(piece)) for at, piece in enumerate(pieces)]
            for piece in pieces:
                self._save_piece(space, saving, number, piece)
                number += 1

        def publish(rows: Rows) -> int | None:
            """Make it visible; the saving that nobody needs any more."""
            row = _late(rows, space)
            has_erased = row.floor > snapshot.seq or rows.page("markers", row, after=(snapshot.seq,), limit=1)
            if has_erased or len(rows.pieces(row, saving)) != number:
                return saving
            former = rows.snapshot(row, name)
            rows.keep_snapshot(row, name, snapshot.seq, saving, manifest)
            return None if former is None else former[1]

        gone = self._driver.write(space, publish)
        if gone is not None:
            self._drop_pieces(space, gone)

    def load_snapshot(self, space: SpaceId, name: str) -> Snapshot | None:
        def fetch(rows: Rows) -> Snapshot | None:
            row = rows.find(space)
            found = rows.snapshot(row, name)
            if found is None:
                return None
            seq, saving, manifest = found
            return _whole(seq, manifest, rows.pieces(row, saving))

        return self._driver.read(space.tenant, fetch, together=True)

    def drop_derived(self) -> None:
        """All rows at once: whatever is damaged in them need not be read."""
        for table in get_args(Derived):
            self._driver.change(None, lambda rows, table=table: rows.clear(table))  # type: ignore[misc]  # bound

    def remove_leftovers(self) -> None:
        """Remove pieces that no snapshot names. A saving that is under way elsewhere notices, and is dropped."""
        for space, saving in self._driver.read(None, lambda rows: rows.leftovers(), together=True):
            self._drop_pieces(space, saving)

    def _save_piece(self, space: SpaceId, saving: int, number: int, data: bytes) -> None:
        self._driver.write(space, lambda rows: rows.add_piece(_late(rows, space), saving, number, data), len(data))

    def _drop_pieces(self, space: SpaceId, saving: int) -> None:
        while self._driver.write(space, lambda rows: rows.drop_piece(rows.find(space), saving), PIECE):
            pass


def _late(rows: Rows, space: SpaceId) -> Space:
    """Where to keep what was made of a space. If that was erased meanwhile, it does not bring its name back."""
    row = rows.find(space)
    is_erased = row.is_there and row.name != space.name
    return rows.find(space, make=not is_erased)


def _whole(seq: int, manifest: Mapping[str, Sequence[tuple[int, int]]], pieces: Sequence[bytes]) -> Snapshot | None:
    """None when a piece is damaged or gone: it is only derived."""
    crcs = dict(enumerate(map(zlib.crc32, pieces)))
    if any(crcs.get(number) != crc for part in manifest.values() for number, crc in part):
        return None
    return Snapshot(seq, {part: b"".join(pieces[number] for number, _ in named) for part, named in manifest.items()})


MONTHS_KEPT = 13  # of usage, before the one that is running


class Usages(Chapter):
    """The port `Usages`."""

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        added = sorted((key, count) for key, count in counts.items() if count)  # in order: nobody waits in a circle

        def work(rows: Rows) -> None:
            for key, count in added:
                rows.add_usage((tenant, *key), count)

        if added:
            self._driver.change(tenant, work)

    def lease_usage(self, tenant: str, subject: str, counter: str, period: str, *, want: int, limit: int) -> int:
        key = (tenant, subject, counter, period)

        def room(rows: Rows, *, hold: bool = False) -> int:
            return max(0, min(want, limit - rows.used(key, hold=hold)))

        def work(rows: Rows) -> int:
            granted = room(rows, hold=True)
            if granted:
                rows.add_usage(key, granted)
            return granted

        # Whoever used up all may ask often: only one for whom there is room goes on to write.
        return self._driver.change(tenant, work) if self._driver.read(tenant, room) else 0

    def usage(self, tenant: str, *, periods: Collection[str] | None = None) -> list[Usage]:
        found = self._driver.read(tenant, lambda rows: rows.entries("usage", tenant=tenant, period=periods))
        return [
            Usage(subject=subject, counter=counter, period=period, count=count)
            for period, subject, counter, count in sorted((row[3], *row[1:3], row[4]) for row in found)
        ]

    def drop_old_usage(self, now: datetime) -> None:
        oldest = oldest_month(now)
        while self._driver.read(None, lambda rows: rows.has_before("usage", oldest)):
            self._driver.change(None, lambda rows: rows.strike_before("usage", oldest))


def oldest_month(now: datetime) -> str:
    """The oldest month whose usage is kept. Its days come after it in the order of texts, earlier ones before."""
    today = now.astimezone(UTC)
    months = today.year * 12 + today.month - 1 - MONTHS_KEPT
    return f"{months // 12:04}-{months % 12 + 1:02}"


MARKERS_KEPT = timedelta(days=7)
ANSWERS_KEPT = timedelta(days=30)
FINISHED_JOBS_KEPT = timedelta(days=7)
AT_ONCE = 2000  # rows that one transaction of tidying removes: writers wait no longer than that


class Upkeep(Snapshots, Usages):
    """What the port `Store` adds to its parts, as far as it is about rows."""

    def spaces(self, tenant: str) -> list[str]:
        return [one.name for one in self.overview(tenant, limit=ALL)]

    def overview(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[SpaceSize]:
        def fetch(rows: Rows) -> list[SpaceSize]:
            return [
                SpaceSize(name=row.name, items=row.counts["items"], values=row.counts["kept_values"], bytes=size)
                for row in rows.holding(tenant, after=after, limit=limit)
                for size in [rows.size_of(row)]
            ]

        return self._driver.read(tenant, fetch, together=True)

    def tidy(self, *, now: datetime) -> None:
        self._purge("kept_values", now)
        self._purge("answers", now - ANSWERS_KEPT)
        self._purge("jobs", now - FINISHED_JOBS_KEPT)
        self._purge("markers", now - MARKERS_KEPT)
        self.drop_old_usage(now)
        self.remove_leftovers()
        self._driver.tidy()

    def keep_reserve(self, size: int) -> None:
        """Nothing, where the disk is not the store's own."""

    def try_write(self) -> None:
        self._driver.change(None, lambda rows: rows.keep_secret(rows.secret()))

    def _purge(self, table: Table, before: datetime) -> None:
        """Remove old rows in portions; without any, nothing is written."""
        at = microseconds(before)

        def work(rows: Rows, space: SpaceId) -> None:
            row = rows.find(space)
            gone = rows.old(table, at, limit=AT_ONCE, space=row)
            rows.drop(table, row, [name for _, name, _ in gone])
            note_purged(rows, row, [seq for _, _, seq in gone])
            row.floor = max([row.floor, *(seq for _, _, seq in gone)])  # below it, markers are missing

        while found := self._driver.read(None, lambda rows: rows.old(table, at, limit=AT_ONCE)):
            self._driver.write_each(sorted({space for space, _, _ in found}), work)
