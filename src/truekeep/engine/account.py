"""What is used on behalf of a space, counted in its store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from truekeep.model import SpaceId
from truekeep.ports import Span, Usages


@dataclass(frozen=True, slots=True)
class SpaceAccount:
    """The port `Account`. All that one piece of work uses falls into the period in which it began."""

    usages: Usages
    space: SpaceId
    now: datetime

    def take(self, counter: str, want: int, *, limit: int | None, per: Span) -> bool:
        if limit is None:
            self.settle(counter, want, per=per)
            return True
        tenant, subject = self._holder
        granted = self.usages.lease_usage(tenant, subject, counter, self._period(per), want=want, limit=limit)
        if granted < want:
            self.settle(counter, -granted, per=per)
        return granted >= want

    def settle(self, counter: str, more: int, *, per: Span) -> None:
        if more:
            tenant, subject = self._holder
            self.usages.count_usage(tenant, {(subject, counter, self._period(per)): more})

    @property
    def _holder(self) -> tuple[str, str]:
        return self.space.tenant, f"space:{self.space.name}"

    def _period(self, per: Span) -> str:
        now = self.now.astimezone(UTC)
        return f"{now:%Y-%m-%d}" if per == "day" else f"{now:%Y-%m}"
