"""Questions about all spaces, about the database, and about copies into it."""

from __future__ import annotations

from truekeep.model import SpaceId
from truekeep.stores.ledger import Space

from .tables import Tables

KEEP_NOTE = """INSERT INTO moves (tenant, space_id, note) VALUES (%s, %s, %s)
    ON CONFLICT (space_id) DO UPDATE SET note = excluded.note"""
SIZES = """SELECT name, items, kept_values, bytes FROM spaces WHERE tenant = %s AND name > %s
    AND (items > 0 OR kept_values > 0 OR EXISTS (SELECT 1 FROM jobs WHERE jobs.space_id = spaces.id))
    ORDER BY name LIMIT nullif(%s, -1)"""


class SpaceTables(Tables):
    """Those methods of `ledger.Rows` that are about all spaces."""

    def spaces(self) -> list[SpaceId]:
        return [SpaceId(*row) for row in self.session.query("SELECT tenant, name FROM spaces ORDER BY tenant, name")]

    def sizes(self, tenant: str, *, after: str, limit: int) -> list[tuple[str, int, int, int]]:
        rows = self.session.query(SIZES, (tenant, after, limit))
        return [(name, items, values, size) for name, items, values, size in rows]

    def secret(self) -> bytes:
        lock = "FOR UPDATE" if self.session.is_writing else ""
        return bytes(self.session.query(f"SELECT secret FROM meta {lock}")[0][0])

    def keep_secret(self, secret: bytes) -> None:
        self.session.change("UPDATE meta SET secret = %s", (secret,))

    def note(self, space: Space) -> str | None:
        rows = self.session.query("SELECT note FROM moves WHERE space_id = %s", (space.id,))
        return rows[0][0] if rows else None

    def keep_note(self, space: Space, note: str | None) -> None:
        if note is None:
            self.session.change_later("DELETE FROM moves WHERE space_id = %s", (space.id,))
        else:
            self.session.change_later(KEEP_NOTE, (space.tenant, space.id, note))
