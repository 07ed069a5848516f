"""Snapshots: their rows, and the pieces of each saving."""

from __future__ import annotations

import json
from collections.abc import Mapping

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space
from truekeep.stores.ledger.cells import Manifest
from truekeep.stores.records import to_json

from .tables import Tables

NAMED = "SELECT seq, saving, manifest FROM snapshots WHERE space_id = %s AND name = %s"
KEEP = """INSERT INTO snapshots (tenant, space_id, name, seq, saving, manifest) VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (space_id, name) DO UPDATE SET seq = excluded.seq, saving = excluded.saving,
    manifest = excluded.manifest"""
ADD_PIECE = "INSERT INTO pieces (tenant, space_id, saving, number, data) VALUES (%s, %s, %s, %s, %b)"
PIECES = "SELECT number, data FROM pieces WHERE space_id = %s AND saving = %s"
DROP = """DELETE FROM pieces WHERE space_id = %(space)s AND saving = %(saving)s
    AND number = (SELECT min(number) FROM pieces WHERE space_id = %(space)s AND saving = %(saving)s)"""
LEFTOVERS = """SELECT DISTINCT s.tenant, s.name, p.saving FROM pieces AS p JOIN spaces AS s ON s.id = p.space_id
    WHERE NOT EXISTS (SELECT 1 FROM snapshots AS n WHERE n.space_id = p.space_id AND n.saving = p.saving)"""


class SnapshotTables(Tables):
    """Those methods of `ledger.Rows` that are about snapshots."""

    def snapshot(self, space: Space, name: str) -> tuple[int, int, Manifest] | None:
        for seq, saving, manifest in self.session.query(NAMED, (space.id, name)):
            return seq, saving, json.loads(manifest)
        return None

    def keep_snapshot(self, space: Space, name: str, seq: int, saving: int, manifest: Manifest) -> None:
        self.session.change(KEEP, (space.tenant, space.id, name, seq, saving, to_json(dict(manifest))))

    def add_piece(self, space: Space, saving: int, number: int, data: bytes) -> None:
        self.session.change(ADD_PIECE, (space.tenant, space.id, saving, number, data))

    def pieces(self, space: Space, saving: int) -> Mapping[int, bytes]:
        return dict(self.session.query(PIECES, (space.id, saving), binary=True))

    def drop_piece(self, space: Space, saving: int) -> bool:
        return bool(self.session.change(DROP, {"space": space.id, "saving": saving}))

    def leftovers(self) -> list[tuple[SpaceId, int]]:
        rows = self.session.query(LEFTOVERS)
        return [(SpaceId(tenant, name), saving) for tenant, name, saving in rows]

    def drop_snapshots(self, space: Space) -> None:
        for table in ("snapshots", "pieces"):
            self.session.change_later(f"DELETE FROM {table} WHERE space_id = %s", (space.id,))

    def drop_all(self, table: str) -> None:
        self.session.change(f"DELETE FROM {table}")
