"""A third driver, of plain dictionaries: it shows that the port of a driver is all that a store needs."""

from __future__ import annotations

import copy
import json
import pickle
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

from truekeep.errors import InvalidInput, StoreError
from truekeep.model import OWN, SpaceId
from truekeep.ports import Head
from truekeep.stores.ledger import Ledger, Rows, Space
from truekeep.stores.ledger.cells import Cells, Manifest, Name, Place, UsageKey, unused
from truekeep.stores.ledger.rows import ALL, SAME, Derived, Facts, Grounds, Naming, Seen, Sought, Values
from truekeep.stores.tables import AUDIT, COLUMNS, KEY, NAME, ORDER, USAGE, Book, Held, hidden_name

T = TypeVar("T")
COUNTED = ("items", "tombstones", "kept_values")
OPEN = ("waiting", "running")
AT = {table: {name.strip('"'): at for at, name in enumerate(COLUMNS[table])} for table in COLUMNS}
ITEM, JOB = AT["items"], AT["jobs"]


@dataclass
class Kept:
    """All that is kept. A transaction works on a copy."""

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    spaces: list[Space] = field(default_factory=list)
    rows: dict[tuple[Held, int], list[tuple[int, Cells]]] = field(default_factory=dict)  # numbered as they came
    numbered: int = 0
    snapshots: dict[tuple[int, str], tuple[int, int, Manifest]] = field(default_factory=dict)
    pieces: dict[tuple[int, int], dict[int, bytes]] = field(default_factory=dict)
    usage: dict[UsageKey, int] = field(default_factory=dict)
    keys: list[Cells] = field(default_factory=list)
    audit: list[Cells] = field(default_factory=list)  # numbered as they came


class DictRows:
    """Implements `ledger.Rows`."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def find(self, space: SpaceId, *, make: bool = False) -> Space:
        names = (space.name, hidden_name(self.kept.secret, space))
        present = (one for one in self.kept.spaces if one.tenant == space.tenant and one.name in names)
        found = next(present, unused(space))
        if make and not found.is_there:
            found = Space(len(self.kept.spaces), *space, 0, 0, 0, counts=dict.fromkeys(COUNTED, 0))
            self.kept.spaces.append(found)
        if make:
            found.name = space.name
        return found

    seen = find

    def rename(self, space: Space, name: str) -> None:
        space.name = name

    def _rows(self, table: Held, space: Space) -> list[tuple[int, Cells]]:
        return self.kept.rows.setdefault((table, space.id), [])

    def _anywhere(self, table: Held) -> Iterator[tuple[SpaceId, int, Cells]]:
        for space in self.kept.spaces:
            for number, cells in self._rows(table, space):
                yield SpaceId(space.tenant, space.name), number, cells

    def _where(self, table: Held, space: Space, holds: Callable[[Cells], Any]) -> list[Cells]:
        return [cells for _, cells in self._rows(table, space) if holds(cells)]

    def of(self, table: Held, space: Space, names: Collection[Name]) -> list[Cells]:
        at = AT[table][NAME[table]]
        found = self._where(table, space, lambda cells: cells[at] in names)
        return sorted(found, key=lambda cells: (cells[6], cells[1])) if table == "versions" else found

    def all(self, table: Held, space: Space) -> list[Cells]:
        return self._where(table, space, lambda _: True)

    def page(self, table: Held, space: Space, *, after: Place, limit: int) -> list[tuple[Place, Cells]]:
        order = ORDER[table] or ()
        place = [AT[table][name] for name in order]
        rows = [(tuple(cells[at] for at in place) or (number,), cells) for number, cells in self._rows(table, space)]
        return sorted(row for row in rows if row[0] > after)[:limit]

    def keep(self, table: Held, space: Space, rows: Sequence[Cells], old: Sequence[Cells] = ()) -> None:
        width = {"vectors": 2, "former_values": 2, "moves": 0}.get(table, 1)
        present = self._rows(table, space)
        places = {cells[:width]: at for at, (_, cells) in enumerate(present) if table != "versions"}
        for cells in map(tuple, rows):
            at = places.get(cells[:width])
            self.kept.numbered += 1
            if at is None:
                present.append((self.kept.numbered, cells))
            else:
                present[at] = (present[at][0], cells)
        self._count(table, space)

    def drop(self, table: Held, space: Space, names: Collection[Name]) -> None:
        self._keep_only(table, space, lambda cells: cells[AT[table][NAME[table]]] not in names)

    def _keep_only(self, table: Held, space: Space, holds: Callable[[Cells], bool]) -> None:
        self.kept.rows[table, space.id] = [row for row in self._rows(table, space) if holds(row[1])]
        self._count(table, space)

    def _count(self, table: Held, space: Space) -> None:
        if table in COUNTED:
            space.counts[table] = self.count(table, space)

    def count(self, table: Held, space: Space) -> int:
        return len(self._rows(table, space))

    def old(self, table: Held, at: int, *, limit: int, space: Space | None = None) -> list[tuple[SpaceId, Name, int]]:
        sought = None if space is None else SpaceId(space.tenant, space.name)
        time = {"items": "expires", "kept_values": "expires", "jobs": "updated"}.get(table, "at")
        return [
            (where, cells[AT[table][NAME[table]]], cells[1] if table == "markers" else 0)
            for where, _, cells in self._anywhere(table)
            if sought in (None, where)
            and cells[AT[table][time]] is not None
            and cells[AT[table][time]] <= at
            and (table != "jobs" or cells[JOB["state"]] not in OPEN)
        ][:limit]

    def empty(self, space: Space) -> list[str]:
        ids = [cells[0] for cells in self.all("items", space)]
        for table in (*COLUMNS, *get_args(Derived)):
            self.clear(table, space)
        return ids

    # Items

    def found(self, space: SpaceId, ids: Sequence[str]) -> list[tuple[Cells, int]]:
        row = self.find(space)
        counts = {cells[0]: cells[1] for cells in self.of("accesses", row, ids)}
        return [(cells, counts.get(cells[0], 0)) for cells in self.of("items", row, ids)]

    def erased(self, space: Space, after: int, *, limit: int = ALL) -> list[Cells]:
        there = {cells[0] for cells in self.all("items", space)}
        gone = self._where("markers", space, lambda cells: cells[1] > after and cells[0] not in there)
        return sorted(gone, key=lambda cells: cells[1])[:limit]

    def vectors(self, space: Space, ids: Collection[str], embedder: str) -> list[Cells]:
        return [cells for cells in self.of("vectors", space, ids) if cells[1] == embedder]

    def have_vectors(self, space: Space, ids: Collection[str], embedder: str) -> set[str]:
        return {cells[0] for cells in self.vectors(space, ids, embedder)}

    def sight(self, space: Space, sought: Sought) -> Seen:
        claims, said, answers = sought
        return Seen(
            [cells for key, time in claims for cells in self._around(space, key, time)],
            [self._said(space, *saying) for saying in said],
            self.of("answers", space, answers),
            {cells[0] for cells in self.of("tombstones", space, [mark for mark, _, _ in said])},
        )

    def _around(self, space: Space, key: str, time: int) -> list[Cells]:
        when, until = ITEM["when"], ITEM["until"]
        claims = self._where("items", space, lambda cells: cells[ITEM["key"]] == key)
        claims.sort(key=lambda cells: (cells[when], cells[ITEM["created"]], cells[1]))
        latest = [max(time, claims[-1][when])] if claims else []
        begun = [cells for cells in claims if cells[when] <= time]
        to_come = [cells for cells in claims if cells[when] > time]
        to_come.sort(key=lambda cells: (cells[when], cells[until] is None, cells[until], cells[ITEM["created"]]))
        return [
            *claims[-1:],
            *begun[-1:],
            *to_come[:1],
            *(cells for cells in claims if cells[until] is None),
            *(cells for at in (time, *latest) for cells in claims if cells[until] and cells[when] <= at < cells[until]),
        ]

    def _said(self, space: Space, mark: bytes, source: str, speaker: str | None) -> list[Cells]:
        def says(cells: Cells) -> bool:
            is_theirs = _source(cells).get("name", "") == source and speaker in (None, _speaker(cells))
            return is_theirs and _is_current(cells) and cells[ITEM["fingerprint"]] == mark

        found = self._where("items", space, says)
        found.sort(key=lambda cells: (_speaker(cells), -cells[1]))
        return sorted(found[:SAME], key=lambda cells: -cells[1])

    def facts(self, space: Space, grounds: Grounds) -> Facts:
        since, ids, said, keys, derived, answers = grounds
        later = self._where("items", space, lambda cells: cells[1] > since)
        return Facts(
            self.of("items", space, ids),
            any(cells[ITEM["key"]] in keys for cells in later)
            or any(_is_current(cells) and cells[ITEM["fingerprint"]] in said for cells in later)
            or any(seq > since for _, seq, _ in self.of("markers", space, ids)),
            bool(self.of("tombstones", space, derived)),
            bool(self.of("answers", space, answers)),
        )

    def naming(self, table: Naming, space: Space, ids: Collection[str]) -> list[Cells]:
        first = self.superseded(space, ids) if table == "items" else []
        return first + self.all(table, space)

    def superseded(self, space: Space, ids: Collection[str], *, limit: int = ALL) -> list[Cells]:
        found = self._where("items", space, lambda cells: cells[ITEM["superseded_by"]] in ids)
        found.sort(key=lambda cells: (cells[ITEM["when"]], cells[ITEM["created"]], cells[1]), reverse=True)
        return found[:limit]

    def remaining(self, space: Space, ids: Sequence[str]) -> int:
        tables: tuple[Held, ...] = ("items", "versions", "vectors", "accesses")
        named = {cells[0] for table in tables for cells in self.all(table, space)}
        named |= {cells[ITEM["superseded_by"]] for cells in self.all("items", space)}
        named |= {cells[2] for cells in self.all("answers", space)}
        return len(named & set(ids))

    def count_accesses(self, space: Space, counts: Mapping[str, int], *, at: int, days: tuple[str, str] | None) -> None:
        present = {cells[0]: cells for cells in self.all("accesses", space)}
        for id in [cells[0] for cells in self.of("items", space, counts)]:
            _, count, last, kept = present.get(id, (id, 0, 0, "{}"))
            by_day: dict[str, int] = json.loads(kept)
            if days is not None:
                by_day[days[0]] = by_day.get(days[0], 0) + counts[id]
                by_day = {day: number for day, number in by_day.items() if day > days[1]}
            added = (id, count + counts[id], max(last, at), json.dumps(by_day, separators=(",", ":")))
            self.keep("accesses", space, [added])

    # Values and jobs

    def value_keys(self, space: Space, at: int) -> list[str]:
        expires = AT["kept_values"]["expires"]
        return sorted(cells[0] for cells in self.all("kept_values", space) if (cells[expires] or at + 1) > at)

    def own_keys(self, begin: str) -> list[tuple[str, str]]:
        own = [one for one in self.kept.spaces if one.name == OWN]
        found = ((one.tenant, cells[0]) for one in own for cells in self.all("kept_values", one))
        return sorted((tenant, key) for tenant, key in found if key.startswith(begin))

    def size_of(self, space: Space) -> int:
        items = [*self.all("items", space), *self.all("versions", space)]
        texts = [text for cells in items for text in cells[2:4]] + [one[1] for one in self.all("kept_values", space)]
        texts += [one[2] or "" for one in self.all("former_values", space)]
        return sum(len(text.encode()) for text in texts)

    def payloads(self, space: Space) -> int:
        return sum(len(cells[JOB["payload"]].encode()) for cells in self.all("jobs", space))

    def memories(self, space: Space) -> int:
        return sum(one.counts["items"] for one in self.kept.spaces if one.tenant == space.tenant)

    def jobs_by_state(self) -> dict[str, int]:
        return dict(Counter(cells[JOB["state"]] for _, _, cells in self._anywhere("jobs")))

    def free_job(self, at: int) -> tuple[SpaceId, Cells] | None:
        free = [
            (cells[JOB["created"]], number, space, cells)
            for space, number, cells in self._anywhere("jobs")
            if cells[JOB["state"]] in OPEN
            and cells[JOB["not_before" if cells[JOB["state"]] == "waiting" else "lease"]] <= at
        ]
        return min(free)[2:] if free else None

    def jobs_of(self, tenant: str, *, id: str | None = None, limit: int) -> list[tuple[SpaceId, Cells]]:
        found = [
            (cells[JOB["created"]], number, space, cells)
            for space, number, cells in self._anywhere("jobs")
            if space.tenant == tenant and space != SpaceId.own(tenant) and id in (None, cells[0])
        ]
        return [(space, cells) for _, _, space, cells in sorted(found, reverse=True)[:limit]]

    def open_jobs(self, *, space: Space | None = None, tenant: str | None = None) -> int:
        if tenant is not None:
            jobs = [cells for _, cells in self.jobs_of(tenant, limit=ALL)]
        else:
            jobs = self.all("jobs", space) if space else [cells for _, _, cells in self._anywhere("jobs")]
        return sum(cells[JOB["state"]] in OPEN for cells in jobs)

    # Spaces, and copies into them

    def spaces(self, tenant: str | None = None) -> list[SpaceId]:
        found = (SpaceId(space.tenant, space.name) for space in self.kept.spaces)
        return sorted(space for space in found if tenant in (None, space.tenant))

    def heads(self, tenant: str) -> dict[str, Head]:
        found = {space.name: self.find(space) for space in self.spaces(tenant)}
        return {name: Head(space.head, space.floor) for name, space in found.items() if space.head}

    def holding(self, tenant: str, *, after: str, limit: int) -> list[Space]:
        listed = (self.find(space) for space in self.spaces(tenant) if space.name > after and space.name != OWN)
        return [space for space in listed if self._holds(space)][:limit]

    def _holds(self, space: Space) -> bool:
        held: tuple[Held, ...] = ("items", "kept_values", "jobs")
        return any(self.count(table, space) for table in held)

    def secret(self) -> bytes:
        return self.kept.secret

    def keep_secret(self, secret: bytes) -> None:
        self.kept.secret = secret

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        return self.kept.snapshots.get((space.id, name))

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None:
        self.kept.snapshots[space.id, name] = (seq, saving, manifest)

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        self.kept.pieces.setdefault((space.id, saving), {})[number] = data

    def pieces(self, space: Space, saving: int) -> list[bytes]:
        return list(self.kept.pieces.get((space.id, saving), {}).values())

    def drop_piece(self, space: Space, saving: int) -> bool:
        return self.kept.pieces.pop((space.id, saving), None) is not None

    def leftovers(self) -> list[tuple[SpaceId, int]]:
        named = {(key[0], saving) for key, (_, saving, _) in self.kept.snapshots.items()}
        spaces = {space.id: SpaceId(space.tenant, space.name) for space in self.kept.spaces}
        return [(spaces[number], saving) for number, saving in self.kept.pieces.keys() - named]

    def clear(self, table: Any, space: Space | None = None) -> None:
        for one in self.kept.spaces if space is None else [space]:
            if table in COLUMNS:
                self._keep_only(table, one, lambda _: False)
            else:
                kept = getattr(self.kept, table)
                setattr(self.kept, table, {key: row for key, row in kept.items() if key[0] != one.id})

    # Usage and access keys

    def used(self, key: UsageKey, *, hold: bool = False) -> int:
        return self.kept.usage.get(key, 0)

    def add_usage(self, key: UsageKey, count: int) -> None:
        self.kept.usage[key] = max(0, self.used(key) + count)

    def entries(self, book: Book, **sought: Values) -> list[Cells]:
        if book == "usage":
            return [row for row in self._usage(sought) if row[-1]]
        return sorted((key for key in self.kept.keys if _has(KEY, key, sought)), key=lambda key: int(key[5]))

    def _usage(self, sought: Mapping[str, Values]) -> list[Cells]:
        return [row for key, count in self.kept.usage.items() if _has(USAGE, row := (*key, count), sought)]

    def strike(self, book: Book, **sought: str) -> None:
        if book == "usage":
            self._unused(self._usage(sought))
        else:
            self.kept.audit = [row for row in self.kept.audit if not _has(("number", *AUDIT), row, sought)]

    def _unused(self, rows: Sequence[Cells]) -> None:
        for row in rows:
            del self.kept.usage[row[:-1]]

    def has_before(self, book: Book, before: Any) -> bool:
        return bool(self._before(book, before))

    def strike_before(self, book: Book, before: Any) -> None:
        gone = self._before(book, before)
        if book == "usage":
            self._unused(gone)
        else:
            self.kept.audit = [row for row in self.kept.audit if row not in gone]

    def _before(self, book: Book, before: Any) -> list[Cells]:
        if book == "usage":
            return [row for row in self._usage({}) if row[3] < before]
        return [row for row in self.kept.audit if row[2] < before]

    def keep_key(self, key: Cells, old: Cells | None = None) -> bool:
        others = [one for one in self.kept.keys if old is None or one[0] != old[0]]
        if any(key[0] == one[0] or key[1] == one[1] for one in others):
            return False
        if old is None:
            self.kept.keys.append(tuple(key))
        else:
            self._swap(old, key)
        return True

    def _swap(self, key: Cells, new: Cells) -> None:
        self.kept.keys[self.kept.keys.index(key)] = new

    def drop_key(self, key: Cells) -> bool:
        self.kept.keys.remove(key)
        return True

    def has_keys(self) -> bool:
        return bool(self.kept.keys)

    def note_key_use(self, times: Mapping[str, int]) -> None:
        for id, time in times.items():
            for key in self.entries("access_keys", id=id):
                self._swap(key, (*key[:-1], max(time, key[-1] or time)))

    # The audit

    def add_audit(self, entries: Sequence[Cells]) -> None:
        for cells in entries:
            self.kept.numbered += 1
            self.kept.audit.append((self.kept.numbered, *cells))

    def audit(
        self, tenant: str, sought: Mapping[str, str | int], *, before: tuple[int, int] | None, limit: int
    ) -> list[Cells]:
        names = {space.id: space.name for space in self.kept.spaces}
        found = [
            (*row, names.get(row[6]))
            for row in self.kept.audit
            if row[1] == tenant and _is_sought(row, sought) and (before is None or (row[2], row[0]) < before)
        ]
        return sorted(found, key=lambda row: (row[2], row[0]), reverse=True)[:limit]

    def tenants(self) -> set[str]:
        return {one.tenant for one in self.kept.spaces if self._holds(one)} | {key[2] for key in self.kept.keys}


def _is_current(cells: Cells) -> bool:
    return cells[ITEM["superseded_by"]] is None and cells[ITEM["retired"]] is None and not cells[ITEM["repeatable"]]


def _is_sought(row: Cells, sought: Mapping[str, Any]) -> bool:
    told = dict(zip(("number", *AUDIT), row, strict=True))
    alike = all(told[name] == sought[name] for name in ("key", "request", "verb", "space") if name in sought)
    in_time = sought.get("since", told["at"]) <= told["at"] < sought.get("until", told["at"] + 1)
    return alike and in_time and ("item" not in sought or sought["item"] in json.loads(told["ids"]))


def _has(columns: Sequence[str], row: Cells, sought: Mapping[str, Values]) -> bool:
    told = dict(zip(columns, row, strict=True))
    return all(
        value is None or (told[name] == value if isinstance(value, str | bytes) else told[name] in value)
        for name, value in sought.items()
    )


def _source(cells: Cells) -> dict[str, str]:
    found: dict[str, str] = json.loads(cells[ITEM["body"]]).get("source", {})
    return found


def _speaker(cells: Cells) -> str:
    return _source(cells).get("speaker", "")


class DictDriver:
    """Implements `ledger.Driver`: one transaction at a time, on a copy that takes the place of what was there."""

    location = "dictionaries"

    def __init__(self) -> None:
        self._kept = Kept()
        self._alone = threading.RLock()
        self._is_writing = False
        self.is_closed = False

    @property
    def secret(self) -> bytes:
        return self._kept.secret

    @secret.setter
    def secret(self, secret: bytes) -> None:
        assert self.secret == secret

    def head(self, space: SpaceId) -> Head:
        row = self.read(None, lambda rows: rows.find(space))
        return Head(row.head, row.floor)

    def read(self, tenant: str | None, work: Callable[[Rows], T], *, together: bool = False) -> T:
        with self._alone:
            if self.is_closed:
                raise StoreError("the store is closed")
            return work(DictRows(copy.deepcopy(self._kept)))

    def write(self, space: SpaceId, work: Callable[[Rows], T], size: int = 0) -> T:
        return self.change(None, work)

    def erase(self, space: SpaceId, work: Callable[[Rows], T]) -> T:
        return self.change(None, work)

    def change(self, tenant: str | None, work: Callable[[Rows], T]) -> T:
        with self._alone:
            if self.is_closed:
                raise StoreError("the store is closed")
            if self._is_writing:
                raise StoreError("a write cannot be made from within another write; make it afterwards")
            rows, self._is_writing = DictRows(copy.deepcopy(self._kept)), True
            try:
                result = work(rows)
                self._kept = rows.kept
                return result
            finally:
                self._is_writing = False

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[Rows, SpaceId], T]) -> list[T]:
        return self.change(None, lambda rows: [work(rows, space) for space in spaces])

    @contextmanager
    def viewed(self) -> Iterator[Rows]:
        yield self.read(None, lambda rows: rows)

    def tidy(self) -> None:
        """Nothing is left over."""

    def close(self) -> None:
        self.is_closed = True

    def clean(self) -> bool:
        return True


class DictStore(Ledger):
    """Implements `truekeep.ports.Store`, for as long as it lives."""

    def __init__(self) -> None:
        super().__init__(DictDriver())

    def size(self) -> int:
        return self._driver.read(None, lambda rows: sum(map(rows.size_of, map(rows.find, rows.spaces()))))

    def backup(self, target: Path) -> None:
        if target.exists():
            raise InvalidInput("target", f"{target} exists; a backup never overwrites")
        target.parent.mkdir(parents=True, exist_ok=True)
        with self._driver.viewed() as rows:
            target.write_bytes(pickle.dumps(rows))

    def check(self) -> list[str]:
        return []

    def recount(self, *, dry_run: bool = False) -> list[str]:
        return []

    def wipe(self) -> bool:
        return True
