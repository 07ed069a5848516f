"""What the spaces of a tenant use together, counted in their store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from truekeep.ports import Span, Usages


@dataclass(frozen=True, slots=True)
class TenantAccount:
    """The port `Account`. A budget for each space would be none: anybody has as many as he likes.

    All that one piece of work uses falls into the period in which it began.
    """

    usages: Usages
    tenant: str
    now: datetime

    def take(self, counter: str, want: int, *, limit: int | None, per: Span) -> bool:
        if limit is None:
            self.settle(counter, want, per=per)
            return True
        period = self._period(per)
        granted = self.usages.lease_usage(self.tenant, self._subject, counter, period, want=want, limit=limit)
        if granted < want:
            self.settle(counter, -granted, per=per)
        return granted >= want

    def settle(self, counter: str, more: int, *, per: Span) -> None:
        if more:
            self.usages.count_usage(self.tenant, {(self._subject, counter, self._period(per)): more})

    @property
    def _subject(self) -> str:
        return f"tenant:{self.tenant}"

    def _period(self, per: Span) -> str:
        now = self.now.astimezone(UTC)
        return f"{now:%Y-%m-%d}" if per == "day" else f"{now:%Y-%m}"
