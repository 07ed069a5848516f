"""Snapshots: derived data of an index, in pieces, so that writers never wait for a large one."""

from __future__ import annotations

import secrets
import zlib
from collections.abc import Mapping, Sequence

from truekeep.model import SpaceId
from truekeep.ports import Snapshot

from .chapter import Chapter
from .rows import Rows

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
            row = rows.open(space)
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
        for table in ("snapshots", "pieces", "vectors"):
            self._driver.change(None, lambda rows, table=table: rows.drop_all(table))  # type: ignore[misc]  # bound

    def remove_leftovers(self) -> None:
        """Remove pieces that no snapshot names. A saving that is under way elsewhere notices, and is dropped."""
        for space, saving in self._driver.read(None, lambda rows: rows.leftovers(), together=True):
            self._drop_pieces(space, saving)

    def _save_piece(self, space: SpaceId, saving: int, number: int, data: bytes) -> None:
        self._driver.write(space, lambda rows: rows.add_piece(rows.open(space), saving, number, data), len(data))

    def _drop_pieces(self, space: SpaceId, saving: int) -> None:
        while self._driver.write(space, lambda rows: rows.drop_piece(rows.find(space), saving), PIECE):
            pass


def _whole(seq: int, manifest: Mapping[str, Sequence[tuple[int, int]]], pieces: Mapping[int, bytes]) -> Snapshot | None:
    """None when a piece is damaged or gone: it is only derived."""
    if any(zlib.crc32(pieces.get(number, b"")) != crc for part in manifest.values() for number, crc in part):
        return None
    return Snapshot(seq, {part: b"".join(pieces[number] for number, _ in named) for part, named in manifest.items()})
