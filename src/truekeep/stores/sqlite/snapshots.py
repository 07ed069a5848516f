"""Snapshots: derived data of an index, in pieces, so that writers never wait for a large one."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import apsw

from truekeep.model import SpaceId
from truekeep.ports import Snapshot
from truekeep.stores.ledger.space import Space
from truekeep.stores.records import to_json

from .part import Part
from .rows import checksum, query, sealed

PIECE = 4_000_000
MANIFEST = "SELECT space, name, seq, manifest, checksum FROM snapshots"


class Piece(NamedTuple):
    id: int
    started: int  # numbers are used again: this tells one saving's piece from another's
    crc: int


class SnapshotRows(Part):
    """The port `Snapshots`."""

    def save_snapshot(self, space: SpaceId, name: str, snapshot: Snapshot) -> None:
        started = secrets.randbits(62)
        manifest = {
            part: [
                self._save_piece(space, started, memoryview(data)[at : at + PIECE]) for at in range(0, len(data), PIECE)
            ]
            for part, data in snapshot.parts.items()
        }
        own = [piece for pieces in manifest.values() for piece in pieces]

        def publish(connection: apsw.Connection) -> Sequence[Piece]:
            """Make it visible; the pieces that nobody needs any more."""
            row = self._spaces.open(connection, space)
            if _has_erased_since(connection, row, snapshot.seq) or not _are_there(connection, own):
                return own
            former = query(connection, f"{MANIFEST} WHERE space = ? AND name = ?", (row.id, name))
            columns = sealed("snapshots", row.id, name, snapshot.seq, to_json(manifest))
            connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", columns)
            return [piece for _, _, _, text, _ in former for pieces in parse(text).values() for piece in pieces]

        self._remove(self._database.write(publish))

    def load_snapshot(self, space: SpaceId, name: str) -> Snapshot | None:
        def fetch(connection: apsw.Connection) -> Snapshot | None:
            row = self._spaces.find(connection, space)
            if row is None:
                return None
            for columns in query(connection, f"{MANIFEST} WHERE space = ? AND name = ?", (row.id, name)):
                if checksum("snapshots", columns[:-1]) == columns[-1]:
                    return _load(connection, columns[2], parse(columns[3]))
            return None

        return self._database.read_together(fetch)

    def remove_leftovers(self) -> None:
        """Remove pieces that no manifest names. A saving that is under way elsewhere notices, and is dropped."""

        def seek(connection: apsw.Connection) -> list[Piece]:
            manifests = query(connection, "SELECT manifest FROM snapshots")
            named = {
                (piece.id, piece.started) for (text,) in manifests for part in parse(text).values() for piece in part
            }
            present = query(connection, "SELECT id, started FROM pieces")
            return [Piece(id, started, 0) for id, started in present if (id, started) not in named]

        self._remove(self._database.read_together(seek))

    def drop_derived(self) -> None:
        """All rows at once: whatever is damaged in them need not be read."""
        for table in ("snapshots", "pieces", "vectors"):

            def empty(connection: apsw.Connection, table: str = table) -> None:
                connection.execute(f"DELETE FROM {table}")

            self._database.write(empty, PIECE)

    def _save_piece(self, space: SpaceId, started: int, data: memoryview) -> Piece:
        def keep(connection: apsw.Connection) -> int:
            row = self._spaces.open(connection, space)
            connection.execute("INSERT INTO pieces (space, started, data) VALUES (?, ?, ?)", (row.id, started, data))
            return connection.last_insert_rowid()

        return Piece(self._database.write(keep, len(data)), started, zlib.crc32(data))

    def _remove(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:

            def remove(connection: apsw.Connection, piece: Piece = piece) -> None:
                connection.execute("DELETE FROM pieces WHERE id = ? AND started = ?", piece[:2])

            self._database.write(remove, PIECE)


def parse(manifest: str) -> dict[str, list[Piece]]:
    return {part: [Piece(*piece) for piece in pieces] for part, pieces in json.loads(manifest).items()}


def _has_erased_since(connection: apsw.Connection, row: Space, seq: int) -> bool:
    statement = "SELECT 1 FROM markers WHERE space = ? AND seq > ? LIMIT 1"
    return row.floor > seq or bool(query(connection, statement, (row.id, seq)))


def _are_there(connection: apsw.Connection, pieces: Sequence[Piece]) -> bool:
    statement = "SELECT 1 FROM pieces WHERE id = ? AND started = ?"
    return all(query(connection, statement, piece[:2]) for piece in pieces)


def _load(connection: apsw.Connection, seq: int, manifest: dict[str, list[Piece]]) -> Snapshot | None:
    parts: dict[str, bytes] = {}
    for name, pieces in manifest.items():
        found: list[bytes] = []
        for piece in pieces:
            statement = "SELECT data FROM pieces WHERE id = ? AND started = ?"
            for (data,) in query(connection, statement, piece[:2]):
                if zlib.crc32(data) == piece.crc:
                    found.append(data)
        if len(found) != len(pieces):
            return None  # damaged, or removed: it is only derived
        parts[name] = found[0] if len(found) == 1 else b"".join(found)
    return Snapshot(seq, parts)
