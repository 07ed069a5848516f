"""Snapshots: derived data of an index, in pieces that the server can keep."""

from __future__ import annotations

import json
import secrets
import zlib

from truekeep.model import SpaceId
from truekeep.ports import Snapshot
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import to_json

from .part import Part
from .session import Session
from .spaces import Writing, find

PIECE = 4_000_000
ADD_PIECE = "INSERT INTO pieces (tenant, space_id, saving, number, data) VALUES (%s, %s, %s, %s, %b)"
KEEP = """INSERT INTO snapshots (tenant, space_id, name, seq, saving, manifest) VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (space_id, name) DO UPDATE SET seq = excluded.seq, saving = excluded.saving,
    manifest = excluded.manifest"""


class _Outdated(Exception):
    """Something was erased after the snapshot was made."""


class SnapshotRows(Part):
    """The port `Snapshots`."""

    def save_snapshot(self, space: SpaceId, name: str, snapshot: Snapshot) -> None:
        """The pieces first: the space is locked only to see whether they are still true, and to name them."""

        def work(session: Session) -> None:
            row = find(session, space) or Writing(session, space).open()
            saving = secrets.randbits(62)
            manifest = _add_pieces(session, row, snapshot, saving)
            row = Writing(session, space).open()
            if _has_erased_since(session, row, snapshot.seq):
                raise _Outdated
            former = session.query("SELECT saving FROM snapshots WHERE space_id = %s AND name = %s", (row.id, name))
            session.change(KEEP, (row.tenant, row.id, name, snapshot.seq, saving, to_json(manifest)))
            for (gone,) in former:
                session.change("DELETE FROM pieces WHERE space_id = %s AND saving = %s", (row.id, gone))

        try:
            self._database.change(space.tenant, work)
        except _Outdated:
            return  # nothing of it was kept

    def load_snapshot(self, space: SpaceId, name: str) -> Snapshot | None:
        def fetch(session: Session) -> Snapshot | None:
            row = find(session, space)
            if row is None:
                return None
            named = "SELECT seq, saving, manifest FROM snapshots WHERE space_id = %s AND name = %s"
            for seq, saving, manifest in session.query(named, (row.id, name)):
                statement = "SELECT number, data FROM pieces WHERE space_id = %s AND saving = %s"
                pieces: dict[int, bytes] = dict(session.query(statement, (row.id, saving), binary=True))
                return _whole(seq, json.loads(manifest), pieces)
            return None

        return self._database.read_together(space.tenant, fetch)

    def drop_derived(self) -> None:
        for table in ("snapshots", "pieces", "vectors"):

            def empty(session: Session, table: str = table) -> int:
                return session.change(f"DELETE FROM {table}")

            self._database.change(None, empty)


def _add_pieces(session: Session, row: Space, snapshot: Snapshot, saving: int) -> dict[str, list[tuple[int, int]]]:
    manifest: dict[str, list[tuple[int, int]]] = {}
    number = 0
    for part, data in snapshot.parts.items():
        manifest[part] = []
        for at in range(0, len(data), PIECE):
            piece = data[at : at + PIECE]
            session.change(ADD_PIECE, (row.tenant, row.id, saving, number, piece))
            manifest[part].append((number, zlib.crc32(piece)))
            number += 1
    return manifest


def _has_erased_since(session: Session, row: Space, seq: int) -> bool:
    statement = "SELECT 1 FROM markers WHERE space_id = %s AND seq > %s AND id <> '' LIMIT 1"
    return row.floor > seq or bool(session.query(statement, (row.id, seq)))


def _whole(seq: int, manifest: dict[str, list[tuple[int, int]]], pieces: dict[int, bytes]) -> Snapshot | None:
    """None when a piece is damaged or gone: it is only derived."""
    if any(zlib.crc32(pieces.get(number, b"")) != crc for part in manifest.values() for number, crc in part):
        return None
    return Snapshot(seq, {part: b"".join(pieces[number] for number, _ in named) for part, named in manifest.items()})
