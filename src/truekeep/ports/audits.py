"""The port of the audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from truekeep.model import AuditEntry, AuditFilters, AuditPage


class Audits(Protocol):
    """What was done with which key: ids, never texts. Kept when items and spaces are erased; goes with its tenant.

    Of a space that is erased the name goes, too: `space` is None from then on. By its name it is still found.
    """

    def note_audit(self, entries: Mapping[str, Sequence[AuditEntry]]) -> None:
        """Keep entries by tenant, all or none. No id is twice in one."""

    def audit(self, tenant: str, filters: AuditFilters, *, cursor: str | None = None, limit: int = 100) -> AuditPage:
        """Those of the tenant, latest first. An item or a request is found however many days there are.

        InvalidInput for a cursor that is none.
        """

    def drop_audit(self, *, before: datetime) -> None:
        """Remove what was noted before then, of all tenants."""
