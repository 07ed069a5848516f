"""Questions about all spaces, about the file, and about copies into it."""

from __future__ import annotations

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space

from .rows import query, sealed, verified
from .spaces import SELECT, count_spaces, keep_meta, meta, space_of
from .tables import Tables

NOTE = "SELECT space, note, checksum FROM moves WHERE space = ?"
NEXT = f"{SELECT} WHERE tenant = ? AND name > ? AND (items > 0 OR kept_values > 0 OR jobs > 0) ORDER BY name LIMIT ?"


class SpaceTables(Tables):
    """Those methods of `ledger.Rows` that are about all spaces."""

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
