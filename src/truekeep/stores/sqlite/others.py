"""Questions about values and jobs, about all spaces and copies into them, and about snapshots."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space
from truekeep.stores.ledger.cells import Manifest
from truekeep.stores.tables import to_json

from .rows import Columns, cells_of, checksum, named, query, sealed, verified
from .spaces import SELECT, count_spaces, keep_meta, meta, space_of
from .tables import Tables

KEYS = "SELECT key FROM kept_values WHERE space = ? AND (expires IS NULL OR expires > ?) ORDER BY key"
FREE = """WHERE state IN ('waiting', 'running') AND CASE state WHEN 'waiting' THEN not_before ELSE lease END <= ?
    ORDER BY created, row LIMIT 1"""
# Without INDEXED BY, SQLite may prefer to ask every space of the tenant.
OF_TENANT = """INDEXED BY jobs_by_id WHERE id = ?
    AND EXISTS (SELECT 1 FROM spaces WHERE spaces.id = jobs.space AND tenant = ?) ORDER BY row LIMIT 1"""
LATEST = "WHERE space IN (SELECT id FROM spaces WHERE tenant = ?) ORDER BY created DESC, row DESC LIMIT ?"
OPEN = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')"
NOTE = "SELECT space, note, checksum FROM moves WHERE space = ?"
NEXT = f"{SELECT} WHERE tenant = ? AND name > ? AND (items > 0 OR kept_values > 0 OR jobs > 0) ORDER BY name LIMIT ?"
SNAPSHOT = "SELECT space, name, seq, manifest, checksum FROM snapshots WHERE space = ? AND name = ?"
PIECES = "SELECT data FROM pieces WHERE space = ? AND started = ? ORDER BY id"
DROP_PIECE = "DELETE FROM pieces WHERE id = (SELECT id FROM pieces WHERE space = ? AND started = ? LIMIT 1) RETURNING 1"
SAVED = """SELECT DISTINCT s.tenant, s.name, p.started FROM pieces AS p JOIN spaces AS s ON s.id = p.space"""


class OtherTables(Tables):
    """Those methods of `ledger.Rows` that are about values, jobs, spaces and snapshots."""

    def size_of(self, space: Space) -> int:
        return self.number("SELECT bytes FROM sizes WHERE space = ?", space.id)

    def payloads(self, space: Space) -> int:
        return self.number("SELECT sum(octet_length(payload)) FROM jobs WHERE space = ?", space.id)

    def memories(self, space: Space) -> int:
        return self.number("SELECT sum(items) FROM spaces WHERE tenant = ?", space.tenant)

    def open_jobs_of(self, tenant: str) -> int:
        return self.number(f"{OPEN} AND space IN (SELECT id FROM spaces WHERE tenant = ? AND jobs > 0)", tenant)

    def value_keys(self, space: Space, at: int) -> list[str]:
        self.miss("kept_values", space, any_number=True)
        return [key for (key,) in query(self.connection, KEYS, (space.id, at))]

    def free_job(self, at: int) -> tuple[SpaceId, Columns] | None:
        return next(self._jobs(FREE, at), None)

    def job_of(self, tenant: str, id: str) -> tuple[SpaceId, Columns] | None:
        return next(self._jobs(OF_TENANT, id, tenant), None)

    def latest_jobs(self, tenant: str, limit: int) -> list[tuple[SpaceId, Columns]]:
        return list(self._jobs(LATEST, tenant, limit))

    def _jobs(self, where: str, *sought: str | int) -> Iterator[tuple[SpaceId, Columns]]:
        for columns in query(self.connection, f"SELECT {named('jobs')} FROM jobs {where}", sought):
            space = self._spaces.by_id(self.connection, columns[0])
            yield SpaceId(space.tenant, space.name), cells_of("jobs", columns)

    def open_jobs(self, space: Space | None) -> int:
        return self.number(OPEN) if space is None else self.number(f"{OPEN} AND space = ?", space.id)

    def spaces(self) -> list[SpaceId]:
        count_spaces(self.connection)
        return [
            SpaceId(*row) for row in query(self.connection, "SELECT tenant, name FROM spaces ORDER BY tenant, name")
        ]

    def sizes(self, tenant: str, *, after: str, limit: int) -> list[tuple[str, int, int, int]]:
        count_spaces(self.connection)
        found = [verified("spaces", row, row[2]) for row in query(self.connection, NEXT, (tenant, after, limit))]
        sized = "SELECT bytes FROM sizes WHERE space = ?"
        return [
            (row.name, row.counts["items"], row.counts["kept_values"], self.number(sized, row.id))
            for row in map(space_of, found)
        ]

    def secret(self) -> bytes:
        kept: bytes = meta(self.connection)[1]
        return kept

    def keep_secret(self, secret: bytes) -> None:
        _, _, wipe, spaces, total, _ = meta(self.connection)
        keep_meta(self.connection, secret, wipe, spaces, total)

    def note(self, space: Space) -> str | None:
        rows = query(self.connection, NOTE, (space.id,))
        return verified("moves", rows[0], space.name)[1] if rows else None

    def keep_note(self, space: Space, note: str | None) -> None:
        self.connection.execute("DELETE FROM moves WHERE space = ?", (space.id,))
        if note is not None:
            self.connection.execute("INSERT INTO moves VALUES (?, ?, ?)", sealed("moves", space.id, note))

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        for row in query(self.connection, SNAPSHOT, (space.id, name)):
            if checksum("snapshots", row[:-1]) == row[-1] and "saving" in (kept := json.loads(row[3])):
                return row[2], kept["saving"], kept["parts"]
        return None

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None:
        row = sealed("snapshots", space.id, name, seq, to_json({"saving": saving, "parts": dict(manifest)}))
        self.connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", row)

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        self.connection.execute("INSERT INTO pieces (space, started, data) VALUES (?, ?, ?)", (space.id, saving, data))

    def pieces(self, space: Space, saving: int) -> Mapping[int, bytes]:
        return {at: data for at, (data,) in enumerate(query(self.connection, PIECES, (space.id, saving)))}

    def drop_piece(self, space: Space, saving: int) -> bool:
        return bool(query(self.connection, DROP_PIECE, (space.id, saving)))

    def leftovers(self) -> list[tuple[SpaceId, int]]:
        named = {json.loads(text).get("saving") for (text,) in query(self.connection, "SELECT manifest FROM snapshots")}
        saved = query(self.connection, SAVED)
        return [(SpaceId(tenant, name), saving) for tenant, name, saving in saved if saving not in named]

    def drop_snapshots(self, space: Space) -> None:
        for table in ("snapshots", "pieces"):
            self.connection.execute(f"DELETE FROM {table} WHERE space = ?", (space.id,))

    def drop_all(self, table: str) -> None:
        self.connection.execute(f"DELETE FROM {table}")
