"""Snapshots: their rows, and the pieces of each saving in the order in which they came."""

from __future__ import annotations

import json
from collections.abc import Mapping

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space
from truekeep.stores.ledger.cells import Manifest
from truekeep.stores.records import to_json

from .rows import checksum, query, sealed
from .tables import Tables

NAMED = "SELECT space, name, seq, manifest, checksum FROM snapshots WHERE space = ? AND name = ?"
PIECES = "SELECT data FROM pieces WHERE space = ? AND started = ? ORDER BY id"
DROP = "DELETE FROM pieces WHERE id = (SELECT id FROM pieces WHERE space = ? AND started = ? LIMIT 1) RETURNING 1"
SAVED = """SELECT DISTINCT s.tenant, s.name, p.started FROM pieces AS p JOIN spaces AS s ON s.id = p.space"""


class SnapshotTables(Tables):
    """Those methods of `ledger.Rows` that are about snapshots."""

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        for row in query(self.connection, NAMED, (space.id, name)):
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
        return bool(query(self.connection, DROP, (space.id, saving)))

    def leftovers(self) -> list[tuple[SpaceId, int]]:
        named = {json.loads(text).get("saving") for (text,) in query(self.connection, "SELECT manifest FROM snapshots")}
        saved = query(self.connection, SAVED)
        return [(SpaceId(tenant, name), saving) for tenant, name, saving in saved if saving not in named]

    def drop_snapshots(self, space: Space) -> None:
        for table in ("snapshots", "pieces"):
            self.connection.execute(f"DELETE FROM {table} WHERE space = ?", (space.id,))

    def drop_all(self, table: str) -> None:
        self.connection.execute(f"DELETE FROM {table}")
